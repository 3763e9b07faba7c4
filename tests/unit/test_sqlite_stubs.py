"""The key that names stubs: made once, checked ever after."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_store.errors import StoreFormatError
from ragspine_store.ingest_report import Outcome

SECRET = "符号語は青い梟である。"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "plan.md").write_text(SECRET, encoding="utf-8")
    (folder / "open.md").write_text("公開の文書。", encoding="utf-8")
    with KnowledgeBase.open(tmp_path / "kb.db", ServiceConfig.load()) as knowledge:
        knowledge.ingest(folder)
        knowledge.relabel("docs/plan.md", "RESTRICTED")
    return folder


@pytest.mark.guarantee("G3")
def test_another_key_is_refused_rather_than_a_stub_overlooked(docs: Path) -> None:
    config = ServiceConfig.load(stub_key="another key")
    with KnowledgeBase.open(docs.parent / "kb.db", config) as knowledge:
        report = knowledge.ingest(docs / "plan.md")

        assert "not the one this store was written with" in report.files[0].message
        assert knowledge.search("青い梟").snippets == ()


@pytest.mark.guarantee("G3")
def test_a_lost_key_stops_new_documents_but_not_what_is_known_to_be_visible(docs: Path) -> None:
    (docs.parent / "kb.db.key").unlink()
    with KnowledgeBase.open(docs.parent / "kb.db", ServiceConfig.load()) as knowledge:
        assert "key is missing" in knowledge.ingest(docs / "plan.md").files[0].message
        assert knowledge.search("青い梟").snippets == ()
        assert knowledge.delete("docs/open.md").documents == 1
        with pytest.raises(StoreFormatError, match="restore it from a backup"):
            knowledge.delete("docs/plan.md")


def test_what_a_key_file_holds_may_be_given_as_the_key(docs: Path) -> None:
    file = docs.parent / "kb.db.key"
    written = file.read_text(encoding="ascii")
    file.unlink()
    config = ServiceConfig.load(stub_key=written)
    with KnowledgeBase.open(docs.parent / "kb.db", config) as knowledge:
        assert knowledge.ingest(docs / "plan.md").files[0].outcome is Outcome.UNCHANGED
        assert knowledge.delete("docs/plan.md").documents == 1
    assert not file.exists()


def test_a_key_of_hexadecimal_digits_is_a_key_as_it_stands(tmp_path: Path, docs: Path) -> None:
    written = (docs.parent / "kb.db.key").read_text(encoding="ascii")
    config = ServiceConfig.load(stub_key=written)
    with KnowledgeBase.open(tmp_path / "other.db", config) as knowledge:
        knowledge.ingest(docs, sensitivity="RESTRICTED")
    # Its stubs are named by the digits, not by what they stand for.
    (tmp_path / "other.db.key").write_text(written, encoding="ascii")
    with KnowledgeBase.open(tmp_path / "other.db", ServiceConfig.load()) as knowledge:
        report = knowledge.ingest(docs / "plan.md")
        assert "not the one this store was written with" in report.files[0].message
    with KnowledgeBase.open(tmp_path / "other.db", config) as knowledge:
        assert knowledge.ingest(docs / "plan.md").files[0].outcome is Outcome.UNCHANGED
