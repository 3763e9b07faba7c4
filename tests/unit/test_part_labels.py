"""Sections and children that are stricter than their document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, Reader, Sensitivity, ServiceConfig
from ragspine_graph.results import Relabelled
from ragspine_store.errors import LabelError, NotFoundError
from ragspine_store.ingest_report import Outcome

RULES = """# 規則

## 第1条 目的

1. これは公開の条文である。
2. 鯨についての定め。

## 第2条 秘密の計画

1. 符号語は青い梟である。

## 第3条 雑則

1. 最後の定め。
"""
SECRET = "rules/a.md#s3"


@pytest.fixture(params=["stub", "text"])
def knowledge(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[KnowledgeBase]:
    source(tmp_path).parent.mkdir()
    source(tmp_path).write_text(RULES, encoding="utf-8")
    config = ServiceConfig.load(chunker="parent_child", restricted_at_rest=request.param)
    with KnowledgeBase.open(tmp_path / "kb.db", config) as opened:
        opened.ingest(source(tmp_path))
        yield opened


def source(folder: Path) -> Path:
    return folder / "rules" / "a.md"


def found(knowledge: KnowledgeBase, query: str, reader: Reader | None = None) -> list[str]:
    return [s.chunk_id for s in knowledge.search(query, reader=reader).snippets]


@pytest.mark.guarantee("G1")
def test_a_restricted_section_leaves_by_no_exit_and_the_rest_of_its_document_stays(
    knowledge: KnowledgeBase,
) -> None:
    knowledge.relabel(SECRET, "RESTRICTED")

    assert found(knowledge, "青い梟") == []
    assert found(knowledge, "秘密の計画") == []
    assert found(knowledge, "公開の条文") == ["rules/a.md#c0"]
    shown = knowledge.show("rules/a.md")
    assert shown.text is None
    assert [section.heading for section in shown.sections] == ["規則", "第1条 目的", "第3条 雑則"]
    assert knowledge.status().chunks == 3


@pytest.mark.guarantee("G2")
@pytest.mark.parametrize("fragment", ["s3", "c2", "para6", "s99", "c99", "para99"])
def test_what_names_a_restricted_section_is_not_found_like_what_never_was(
    knowledge: KnowledgeBase, fragment: str
) -> None:
    knowledge.relabel(SECRET, "RESTRICTED")
    node_id = f"rules/a.md#{fragment}"

    with pytest.raises(NotFoundError) as error:
        knowledge.show(node_id)

    assert str(error.value).replace(node_id, "ID") == (
        "nothing of the id 'ID': expected the id of a document, section, child or locator as "
        "search or status give it"
    )


@pytest.mark.guarantee("G4")
def test_a_restricted_section_is_erased_from_every_file_unless_text_is_kept(
    knowledge: KnowledgeBase, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    knowledge.relabel(SECRET, "RESTRICTED")
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("kb.db*"))
    mode = "text" if "[text]" in request.node.name else "stub"

    assert ("青い梟".encode() in kept, "秘密の計画".encode() in kept) == (
        (True, True) if mode == "text" else (False, False)
    )

    knowledge.purge()
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("kb.db*"))
    assert "青い梟".encode() not in kept
    assert "秘密の計画".encode() not in kept
    assert found(knowledge, "最後の定め")[0] == "rules/a.md#c3"


@pytest.mark.guarantee("G5")
def test_a_child_stricter_than_the_reader_withholds_the_window_of_its_siblings(
    knowledge: KnowledgeBase,
) -> None:
    knowledge.relabel("rules/a.md#c1", "CONFIDENTIAL")
    narrow = Reader(Sensitivity.INTERNAL)

    snippets = knowledge.search("公開の条文", reader=narrow).snippets
    assert [(s.chunk_id, s.prompt_text, s.parent_locator) for s in snippets] == [
        ("rules/a.md#c0", "", "")
    ]
    assert found(knowledge, "鯨", narrow) == []
    assert found(knowledge, "鯨") == ["rules/a.md#c1"]
    assert "鯨" in knowledge.search("公開の条文").snippets[0].prompt_text


@pytest.mark.guarantee("G3")
def test_an_unchanged_file_keeps_the_labels_of_its_parts_and_a_changed_one_is_refused(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    knowledge.relabel(SECRET, "RESTRICTED")
    assert knowledge.ingest(source(tmp_path)).files[0].outcome is Outcome.UNCHANGED

    source(tmp_path).write_text(RULES + "2. 追加。\n", encoding="utf-8")
    refused = knowledge.ingest(source(tmp_path)).files[0]
    assert refused.outcome is Outcome.REFUSED
    assert "--allow-lower" in refused.message
    assert found(knowledge, "青い梟") == []

    raised = knowledge.ingest(source(tmp_path), sensitivity="RESTRICTED").files[0]
    assert raised.label is Sensitivity.RESTRICTED
    assert found(knowledge, "公開の条文") == []


def test_a_lowered_section_comes_back_once_its_file_is_ingested_again(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    knowledge.relabel(SECRET, "RESTRICTED")
    with pytest.raises(LabelError, match="--allow-lower"):
        knowledge.relabel(SECRET, "INTERNAL")

    changed = knowledge.relabel(SECRET, "INTERNAL", allow_lower=True)

    if changed.needs_document:
        assert found(knowledge, "青い梟") == []
        assert knowledge.ingest(source(tmp_path)).files[0].outcome is Outcome.UPDATED
    assert found(knowledge, "青い梟") == ["rules/a.md#c2"]


def test_a_part_keeps_its_own_label_when_its_document_is_raised_and_lowered(
    tmp_path: Path,
) -> None:
    source(tmp_path).parent.mkdir()
    source(tmp_path).write_text(RULES, encoding="utf-8")
    config = ServiceConfig.load(chunker="parent_child", restricted_at_rest="text")
    with KnowledgeBase.open(tmp_path / "kb.db", config) as knowledge:
        knowledge.ingest(source(tmp_path))
        knowledge.relabel("rules/a.md#c1", "CONFIDENTIAL")
        knowledge.relabel("rules/a.md", "RESTRICTED")
        assert found(knowledge, "公開の条文") == []

        knowledge.relabel("rules/a.md", "INTERNAL", allow_lower=True)

        narrow = Reader(Sensitivity.INTERNAL)
        assert found(knowledge, "公開の条文", narrow) == ["rules/a.md#c0"]
        assert found(knowledge, "鯨", narrow) == []
        assert found(knowledge, "鯨") == ["rules/a.md#c1"]


def test_a_part_cannot_be_less_strict_than_its_document(knowledge: KnowledgeBase) -> None:
    with pytest.raises(LabelError, match="stands under a label of INTERNAL"):
        knowledge.relabel(SECRET, "PUBLIC", allow_lower=True)


def test_relabelling_a_part_reports_its_id_and_labels(knowledge: KnowledgeBase) -> None:
    assert knowledge.relabel(SECRET, "CONFIDENTIAL") == Relabelled(
        SECRET,
        before=Sensitivity.INTERNAL,
        after=Sensitivity.CONFIDENTIAL,
        needs_document=False,
        erased=True,
    )


@pytest.mark.parametrize("node_id", ["rules/a.md#s77", "rules/a.md#c77", "rules/a.md#para3"])
def test_a_part_that_is_not_there_cannot_be_relabelled(
    knowledge: KnowledgeBase, node_id: str
) -> None:
    with pytest.raises(NotFoundError, match="no section or child"):
        knowledge.relabel(node_id, "RESTRICTED")


def test_a_default_chunk_across_a_restricted_heading_is_withheld_whole(tmp_path: Path) -> None:
    source(tmp_path).parent.mkdir()
    source(tmp_path).write_text(RULES, encoding="utf-8")
    with KnowledgeBase.open(tmp_path / "kb.db", ServiceConfig.load(chunker="none")) as knowledge:
        knowledge.ingest(source(tmp_path))
        assert found(knowledge, "公開の条文") == ["rules/a.md#c0"]

        knowledge.relabel(SECRET, "RESTRICTED")

        assert found(knowledge, "公開の条文") == []
        assert knowledge.show("rules/a.md#s2").text is None


def test_relabelling_a_child_leaves_the_label_of_a_section_inside_it(tmp_path: Path) -> None:
    source(tmp_path).parent.mkdir()
    source(tmp_path).write_text("# One\n\notter.\n\n# Two\n\nwalrus.\n", encoding="utf-8")
    config = ServiceConfig.load(chunker="none", restricted_at_rest="text")
    with KnowledgeBase.open(tmp_path / "kb.db", config) as knowledge:
        knowledge.ingest(source(tmp_path))
        knowledge.relabel("rules/a.md#s2", "RESTRICTED")

        with pytest.raises(LabelError, match="stands under a label of RESTRICTED"):
            knowledge.relabel("rules/a.md#c0", "INTERNAL", allow_lower=True)
        assert knowledge.relabel("rules/a.md#c0", "RESTRICTED").before is Sensitivity.RESTRICTED

        assert found(knowledge, "walrus") == []
        with pytest.raises(LabelError, match="stands under a label of RESTRICTED"):
            knowledge.relabel("rules/a.md#s2", "INTERNAL", allow_lower=True)


def test_an_erased_section_stays_withheld_until_its_file_is_ingested_again(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    knowledge.relabel(SECRET, "RESTRICTED")
    if not knowledge.relabel(SECRET, "INTERNAL", allow_lower=True).needs_document:
        return

    with pytest.raises(NotFoundError):
        knowledge.show(SECRET)
    assert knowledge.show("rules/a.md").text is None
    knowledge.ingest(source(tmp_path))
    assert "青い梟" in (knowledge.show("rules/a.md").text or "")
