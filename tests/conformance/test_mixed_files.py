"""Two hundred files of all kinds: each is searchable, or named with its reason."""

from __future__ import annotations

from pathlib import Path

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_store.ingest_report import Outcome
from tests.mixed_files import write_files

COUNT = 200


def test_every_file_is_searchable_or_named_with_its_reason(tmp_path: Path) -> None:
    words = write_files(tmp_path / "docs", COUNT)
    config = ServiceConfig.load(chunker="parent_child")
    with KnowledgeBase.open(tmp_path / "kb.db", config) as knowledge:
        report = knowledge.ingest(tmp_path / "docs", sync=True)
        assert len(report.files) == COUNT
        found = {
            snippet.doc_id
            for word in words.values()
            for snippet in knowledge.search(word, k=3).snippets
        }
        for file in report.files:
            if file.outcome is Outcome.ADDED:
                assert file.chunks > 0
                assert file.message == ""
            else:
                assert file.outcome in (Outcome.REFUSED, Outcome.SKIPPED)
                assert len(file.message.splitlines()) == 1
                assert "expected" in file.message
        again = knowledge.ingest(tmp_path / "docs", sync=True)
    assert found == {f"docs/{name}" for name in words}
    named = {file.source for file in report.files if file.message}
    assert all("broken" in Path(source).parts for source in named)
    assert again.count(Outcome.UNCHANGED) == report.count(Outcome.ADDED)
    assert [f.message for f in again.files if f.message] == [
        f.message for f in report.files if f.message
    ]
