"""The service from Python: what is found, what is stored, and for how long."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragspine_graph import KnowledgeBase, Reader, Sensitivity, ServiceConfig
from ragspine_graph.errors import RequestError
from ragspine_store.errors import (
    DocumentIdError,
    FilterError,
    LabelError,
    NotFoundError,
    QueryError,
    StoreError,
    StoreUnavailableError,
)
from ragspine_store.ingest_report import IngestReport, Outcome
from tests.backends import SQLiteBackend
from tests.conftest import AtRest

HANDBOOK = """# 情報管理規程

## 第1条　パスワード

1. パスワードは１２桁以上とする。
2. ウイルスバスターを導入する。
3. 困ったら上長にれんらくする。

## 第2条　手当と税

1. 通勤手当は月20,000円とする。
2. 所得税を控除する。
3. Docker の部署で C++ と BYOD を使う。

## 第3条　Languages

1. Tiếng Việt: tôi đọc sách.
2. 한국어를 배운다.
"""


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    return docs


@pytest.fixture
def knowledge(tmp_path: Path, docs: Path, at_rest: AtRest) -> Iterator[KnowledgeBase]:
    config = ServiceConfig.load(chunker="parent_child", restricted_at_rest=at_rest)
    with KnowledgeBase.open(tmp_path / "kb.db", config) as knowledge:
        knowledge.ingest(docs)
        yield knowledge


def found(knowledge: KnowledgeBase, query: str, k: int = 10) -> list[str]:
    return [snippet.chunk_id for snippet in knowledge.search(query, k=k).snippets]


def outcomes(report: IngestReport) -> list[Outcome]:
    return [file.outcome for file in report.files]


@pytest.mark.parametrize(
    ("query", "child"),
    [
        ("パスワード", 0),
        ("ﾊﾟｽﾜｰﾄﾞ", 0),
        ("12桁", 0),
        ("ウイルスバスター", 1),
        ("れんらく", 2),
        ("通勤手当", 3),
        ("20000円", 3),
        ("税", 4),
        ("docker 部署", 5),
        ("ＢＹＯＤ", 5),
        ("C++", 5),
        ("Việt", 6),
        ("VIỆT", 6),
        (unicodedata.normalize("NFD", "Việt"), 6),
        ("한국어", 7),
        (unicodedata.normalize("NFD", "한국어"), 7),
    ],
)
def test_a_word_is_found_whatever_its_width_and_case(
    knowledge: KnowledgeBase, query: str, child: int
) -> None:
    assert found(knowledge, query)[0] == f"docs/handbook.md#c{child}"


def test_a_heading_is_found_through_its_article(knowledge: KnowledgeBase) -> None:
    assert set(found(knowledge, "手当")) == {f"docs/handbook.md#c{n}" for n in (3, 4, 5)}


@pytest.mark.parametrize(
    "query",
    ["AND", "C++", "~x", "/b", "a:b", "x*", "tok:x", "NEAR(a, b)", "a OR", "-a", "{a}", "a\0b"],
)
def test_no_query_is_an_engines_syntax(knowledge: KnowledgeBase, query: str) -> None:
    knowledge.search(query)


@pytest.mark.parametrize(
    "query", ["!", '"', "(", "*", "", " \n", "🎉", "x" * 10_000, "税" * 10_000]
)
def test_what_cannot_be_searched_is_a_clear_error(knowledge: KnowledgeBase, query: str) -> None:
    with pytest.raises(QueryError, match="expected"):
        knowledge.search(query)


@pytest.mark.parametrize("k", [0, -1, 10_001, 10**30])
def test_a_number_of_hits_has_bounds(knowledge: KnowledgeBase, k: int) -> None:
    with pytest.raises(RequestError, match="expected 1 to 10,000"):
        knowledge.search("税", k=k)


def test_requests_that_mean_nothing_are_errors(knowledge: KnowledgeBase) -> None:
    unknown: dict[str, Any] = {"expand": "windows"}
    with pytest.raises(FilterError, match="expected one of topic, entity, geography"):
        knowledge.search("税", filters={"author": ["me"]})
    with pytest.raises(RequestError, match="expected one of none, window"):
        knowledge.search("税", **unknown)
    with pytest.raises(LabelError, match="above every clearance"):
        Reader(Sensitivity.RESTRICTED)


def test_a_sentence_in_a_public_and_a_restricted_document_is_found_once(
    knowledge: KnowledgeBase, docs: Path
) -> None:
    for name, label in (("open", "PUBLIC"), ("closed", "RESTRICTED")):
        text = f"---\nsensitivity: {label}\n---\n# 計画\n\n支店を来春に移す。\n"
        (docs / f"{name}.md").write_text(text, encoding="utf-8")
    knowledge.ingest(docs)
    assert found(knowledge, "支店") == ["docs/open.md#c0"]


def test_ten_nearer_restricted_documents_take_no_place(
    knowledge: KnowledgeBase, docs: Path
) -> None:
    for n in range(10):
        (docs / f"near{n}.md").write_text(
            "---\nsensitivity: RESTRICTED\n---\n支店 支店\n", encoding="utf-8"
        )
        (docs / f"far{n}.md").write_text(
            f"支店を来春に移すかもしれない、{n}番。\n", encoding="utf-8"
        )
    knowledge.ingest(docs)
    assert found(knowledge, "支店", k=5) == [f"docs/far{n}.md#c0" for n in range(5)]


def test_the_same_bytes_again_change_nothing(
    knowledge: KnowledgeBase, docs: Path, tmp_path: Path
) -> None:
    def rows() -> list[str]:
        with SQLiteBackend(tmp_path / "kb.db", "stub").raw() as db:
            return list(db.iterdump())

    before = rows()
    report = knowledge.ingest(docs)
    assert outcomes(report) == [Outcome.UNCHANGED]
    assert report.erased
    assert rows() == before


@pytest.mark.parametrize("change", ["text", "title", "sidecar", "collection", "label", "chunker"])
def test_what_changed_is_never_skipped(
    knowledge: KnowledgeBase, docs: Path, tmp_path: Path, at_rest: AtRest, change: str
) -> None:
    file = docs / "handbook.md"
    if change == "text":
        file.write_text(HANDBOOK + "\n終わり。\n", encoding="utf-8")
    elif change == "title":
        file.write_text("---\ntitle: x\n---\n" + HANDBOOK, encoding="utf-8")
    elif change == "sidecar":
        (docs / "labels.toml").write_text('["*.md"]\ntopic = "x"\n')
    if change == "chunker":
        config = ServiceConfig.load(chunker="sentence_window", restricted_at_rest=at_rest)
        with KnowledgeBase.open(tmp_path / "kb.db", config) as other:
            report = other.ingest(docs)
    else:
        report = knowledge.ingest(
            docs,
            collection="x" if change == "collection" else None,
            sensitivity="CONFIDENTIAL" if change == "label" else None,
        )
    assert outcomes(report) == [Outcome.UPDATED]
    assert outcomes(knowledge.ingest(docs, dry_run=True)) == [
        Outcome.UPDATED if change in ("collection", "chunker") else Outcome.UNCHANGED
    ]


def test_an_unchanged_file_goes_to_restricted_and_comes_back(
    knowledge: KnowledgeBase, docs: Path, at_rest: AtRest
) -> None:
    before = knowledge.search("手当").to_dict()
    gone = knowledge.relabel("docs/handbook.md", "RESTRICTED")
    assert (gone.before, gone.after, gone.erased) == (
        Sensitivity.INTERNAL,
        Sensitivity.RESTRICTED,
        True,
    )
    assert found(knowledge, "手当") == []
    assert (knowledge.status().documents, knowledge.status().chunks) == (0, 0)
    with pytest.raises(NotFoundError):
        knowledge.show("docs/handbook.md")
    assert outcomes(knowledge.ingest(docs)) == [Outcome.UNCHANGED]
    assert found(knowledge, "手当") == []

    back = knowledge.relabel("docs/handbook.md", "INTERNAL", allow_lower=True)
    assert back.needs_document == (at_rest == "stub")
    if at_rest == "stub":
        assert found(knowledge, "手当") == []
        assert outcomes(knowledge.ingest(docs)) == [Outcome.UPDATED]
    assert knowledge.search("手当").to_dict() == before


def test_a_deleted_document_comes_back_when_it_is_ingested_again(
    knowledge: KnowledgeBase, docs: Path, tmp_path: Path
) -> None:
    before = knowledge.search("手当").to_dict()
    assert knowledge.delete("docs/handbook.md").documents == 1
    totals = SQLiteBackend(tmp_path / "kb.db", "stub").totals()
    assert set(totals.values()) == {0}
    assert found(knowledge, "手当") == []
    assert outcomes(knowledge.ingest(docs)) == [Outcome.ADDED]
    assert knowledge.search("手当").to_dict() == before


def test_documents_are_deleted_all_or_none(knowledge: KnowledgeBase) -> None:
    with pytest.raises(NotFoundError, match=r"'missing\.md'"):
        knowledge.delete(["docs/handbook.md", "missing.md"])
    assert len(found(knowledge, "手当")) == 3


def test_one_name_in_two_folders_is_two_documents(knowledge: KnowledgeBase, docs: Path) -> None:
    for folder in ("hr", "it"):
        (docs / folder).mkdir()
        (docs / folder / "rules.md").write_text(f"支店の規則、{folder}\n", encoding="utf-8")
    knowledge.ingest(docs)
    assert found(knowledge, "支店") == ["docs/hr/rules.md#c0", "docs/it/rules.md#c0"]


def test_one_id_from_two_roots_is_refused_and_nothing_overwritten(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere" / "docs"
    other.mkdir(parents=True)
    (other / "handbook.md").write_text("# another\n", encoding="utf-8")
    (file,) = knowledge.ingest(other).files
    assert file.outcome is Outcome.REFUSED
    assert str(tmp_path / "docs" / "handbook.md") in file.message
    assert str(other / "handbook.md") in file.message
    assert "--root" in file.message
    assert len(found(knowledge, "手当")) == 3


@pytest.mark.parametrize("together", [True, False], ids=["one-run", "two-runs"])
def test_of_twins_in_nfc_and_nfd_the_second_is_refused_and_both_are_named(
    knowledge: KnowledgeBase, docs: Path, together: bool
) -> None:
    paths = [docs / unicodedata.normalize(form, "パリ.md") for form in ("NFC", "NFD")]
    for number, path in enumerate(paths):
        path.write_text(f"支店{number}\n", encoding="utf-8")
    assert len(list(docs.iterdir())) == 3
    reports = [knowledge.ingest(paths)] if together else [knowledge.ingest(p) for p in paths]
    first, second = [file for report in reports for file in report.files]
    assert (first.outcome, second.outcome) == (Outcome.ADDED, Outcome.REFUSED)
    assert ascii(str(paths[0])) in second.message
    assert ascii(str(paths[1])) in second.message
    assert [s.text for s in knowledge.search("支店").snippets] == ["支店0"]


def test_a_link_out_of_the_root_is_not_followed(
    knowledge: KnowledgeBase, docs: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("支店の秘密\n", encoding="utf-8")
    (docs / "file.md").symlink_to(outside / "secret.md")
    (docs / "folder").symlink_to(outside)
    (docs / "loop.md").symlink_to(docs / "loop.md")
    (docs / "dangling.md").symlink_to(outside / "none.md")
    report = knowledge.ingest(docs, root=docs)
    refused = {
        Path(f.source).name: f.message for f in report.files if f.outcome is not Outcome.ADDED
    }
    assert "outside of the root" in refused["file.md"]
    assert set(refused) >= {"file.md", "loop.md", "dangling.md"}
    assert found(knowledge, "支店") == []


def test_a_path_out_of_the_root_is_refused(
    knowledge: KnowledgeBase, docs: Path, tmp_path: Path
) -> None:
    (tmp_path / "above.md").write_text("支店\n", encoding="utf-8")
    for path in (docs / ".." / "above.md", tmp_path / "above.md"):
        (file,) = knowledge.ingest(path, root=docs).files
        assert file.outcome is Outcome.REFUSED
        assert "outside of the root" in file.message
    assert found(knowledge, "支店") == []


@pytest.mark.parametrize("name", ["x" * 300 + ".md", "a\0b.md", "missing.md", "x" * 5_000])
def test_a_path_that_cannot_be_is_one_line_and_the_others_are_ingested(
    knowledge: KnowledgeBase, docs: Path, name: str
) -> None:
    (docs / "new.md").write_text("支店\n", encoding="utf-8")
    report = knowledge.ingest([docs / name, docs / "new.md"])
    assert outcomes(report) == [Outcome.REFUSED, Outcome.ADDED]
    assert "expected a file or folder" in report.files[0].message


@pytest.mark.parametrize(
    "name",
    [
        "あ" * 80 + ".md",
        "a b.md",
        "100% #1.md",
        "'\"`x`.md",
        "[red]x.md",
        "\x1b[31m.md",
        "-k.md",
        "=1+1.md",
    ],
)
def test_odd_names_are_names(knowledge: KnowledgeBase, docs: Path, name: str) -> None:
    (docs / name).write_text("支店\n", encoding="utf-8")
    (file,) = knowledge.ingest(docs / name).files
    assert file.outcome is Outcome.ADDED
    assert found(knowledge, "支店") == [f"{file.doc_id}#c0"]
    assert knowledge.show(f"{file.doc_id}#para1").text == "支店"
    assert found(knowledge, "支店") == [
        s.chunk_id for s in knowledge.search("支店", filters={"doc_id": file.doc_id}).snippets
    ]
    assert knowledge.delete(file.doc_id).documents == 1


def test_what_is_no_document_is_one_line_and_the_others_are_ingested(
    knowledge: KnowledgeBase, docs: Path
) -> None:
    (docs / "picture.png").write_bytes(b"\x89PNG\r\n")
    (docs / "binary.md").write_bytes(bytes(range(256)))
    (docs / "empty.md").write_text("")
    (docs / "lone.md").write_text('---\ntitle: "\\ud800"\n---\nx\n')
    (docs / "good.md").write_text("支店\n", encoding="utf-8")
    os.mkfifo(docs / "pipe.md")
    files = {Path(f.source).name: f for f in knowledge.ingest(docs).files}
    assert {name: f.outcome.value for name, f in files.items()} == {
        "binary.md": "refused",
        "empty.md": "refused",
        "good.md": "added",
        "handbook.md": "unchanged",
        "lone.md": "refused",
        "picture.png": "skipped",
        "pipe.md": "skipped",
    }
    for file in files.values():
        assert bool(file.message) == (file.outcome in (Outcome.REFUSED, Outcome.SKIPPED))
        assert "\n" not in file.message


def test_a_dry_run_writes_nothing(knowledge: KnowledgeBase, docs: Path, tmp_path: Path) -> None:
    (docs / "new.md").write_text("支店\n", encoding="utf-8")
    (docs / "handbook.md").write_text(HANDBOOK + "\n支店\n", encoding="utf-8")
    before = SQLiteBackend(tmp_path / "kb.db", "stub").totals()
    report = knowledge.ingest(docs, dry_run=True)
    assert outcomes(report) == [Outcome.UPDATED, Outcome.ADDED]
    assert report.dry_run
    assert SQLiteBackend(tmp_path / "kb.db", "stub").totals() == before
    assert found(knowledge, "支店") == []


def test_progress_is_told_before_each_file_and_at_the_end(
    knowledge: KnowledgeBase, docs: Path
) -> None:
    (docs / "new.md").write_text("支店\n", encoding="utf-8")
    told: list[tuple[int, int, str]] = []
    knowledge.ingest(docs, progress=lambda p: told.append((p.done, p.total, p.name)))
    assert told == [(0, 2, "handbook.md"), (1, 2, "new.md"), (2, 2, "")]


@pytest.mark.parametrize("node_id", ["", "#c0", "\ud800", "a\0", "docs/handbook.md#x", "%", "../x"])
def test_an_odd_id_is_not_found(knowledge: KnowledgeBase, node_id: str) -> None:
    for call in (knowledge.show, knowledge.delete):
        with pytest.raises((NotFoundError, DocumentIdError)):
            call(node_id)
    with pytest.raises(StoreError):
        knowledge.relabel(node_id, "PUBLIC")


def test_results_are_json(knowledge: KnowledgeBase) -> None:
    for result in (
        knowledge.search("手当"),
        knowledge.show("docs/handbook.md"),
        knowledge.show("docs/handbook.md#c3"),
        knowledge.status(operator=True),
        knowledge.relabel("docs/handbook.md", "CONFIDENTIAL"),
        knowledge.delete("docs/handbook.md"),
        knowledge.purge(),
    ):
        assert json.loads(json.dumps(result.to_dict())) == result.to_dict()


def test_a_search_result_keeps_its_locators_beside_its_snippets(knowledge: KnowledgeBase) -> None:
    (snippet, *_) = knowledge.search("通勤手当").snippets
    locator = snippet.locator
    assert locator.heading_path == ("情報管理規程", "第2条　手当と税")
    assert snippet.prompt_text.startswith("## 第2条　手当と税")
    assert locator.raw_span is not None
    assert HANDBOOK[slice(*locator.raw_span)] == snippet.text
    result = knowledge.search("通勤手当", k=2).to_dict()
    assert [*result] == ["query", "snippets", "locators", "refused"]


def test_settings_choose_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    KnowledgeBase.open().close()
    assert (tmp_path / "ragspine.db").exists()
    monkeypatch.setenv("RAGSPINE_STORE", "sqlite:///other.db")
    KnowledgeBase.open().close()
    KnowledgeBase.open("sqlite:///third.db").close()
    assert {p.name for p in tmp_path.glob("*.db")} == {"ragspine.db", "other.db", "third.db"}
    with pytest.raises(StoreUnavailableError, match=r"bolt://127\.0\.0\.1:1 "):
        KnowledgeBase.open("bolt://127.0.0.1:1")


ARTICLE = """# 第4条：諸手当および福利厚生

1. 会社は、次の手当を支給する。
2. 通勤手当は、月額20,000円を上限とする。
3. 昼食手当は、試用期間の満了後に支給する。
4. 各手当は、給与とともに支払う。
"""


def test_a_hit_on_an_item_is_read_in_its_article_and_cited_as_the_item(
    knowledge: KnowledgeBase, docs: Path
) -> None:
    (docs / "allowances.md").write_text(ARTICLE, encoding="utf-8")
    knowledge.ingest(docs)
    snippet = knowledge.search("試用期間中の昼食手当").snippets[0]
    assert snippet.text == "3. 昼食手当は、試用期間の満了後に支給する。"
    assert snippet.source_locator == "docs/allowances.md#para4"
    assert snippet.prompt_text == ARTICLE.strip()
    assert snippet.parent_locator == "docs/allowances.md#para1-5"


def test_a_lost_parent_text_leaves_the_children_and_a_warning(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    SQLiteBackend(tmp_path / "kb.db", "stub").lose_text("docs/handbook.md")
    snippets = knowledge.search("手当").snippets
    assert len(snippets) == 3
    assert {(s.prompt_text, s.parent_locator) for s in snippets} == {("", "")}
    assert knowledge.parent_contexts("手当") == []
    assert knowledge.show("docs/handbook.md").text is None
    assert knowledge.show("docs/handbook.md#c3").text == "1. 通勤手当は月20,000円とする。"
    assert knowledge.show("docs/handbook.md#s2").text is None
    with pytest.raises(NotFoundError):
        knowledge.show("docs/handbook.md#para2")
    warnings = knowledge.status(operator=True).warnings()
    assert any("8 children have lost their window" in warning for warning in warnings)


def test_a_megabyte_without_a_heading_is_stored_once(tmp_path: Path) -> None:
    sentences = (
        f"第{n}の定めは、社員の手当と休暇の届出について{n * 7}日とする。" for n in range(36_000)
    )
    (tmp_path / "long.md").write_text("\n".join(sentences), encoding="utf-8")
    size = (tmp_path / "long.md").stat().st_size
    config = ServiceConfig.load(chunker="parent_child")
    with KnowledgeBase.open(tmp_path / "kb.db", config) as knowledge:
        knowledge.ingest(tmp_path / "long.md")
        assert len(knowledge.search("第35999の定め").snippets) == 10
    assert size > 1_100_000
    assert (tmp_path / "kb.db").stat().st_size <= 5 * size
