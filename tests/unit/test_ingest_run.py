"""What an ingest run does when settings change or a plug-in fails."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_store import ChunkStore, DocumentMeta, ingest_narrative
from ragspine_store.errors import TransactionAbortedError
from ragspine_store.ingest_report import Outcome
from ragspine_store.records import Chunk, Outline
from tests.giving_up import GivesUp

SECRET = "符号語は青い梟である。"


def ingest(folder: Path, at_rest: str) -> Outcome:
    with KnowledgeBase.open(
        folder / "kb.db", ServiceConfig.load(restricted_at_rest=at_rest)
    ) as knowledge:
        report = knowledge.ingest(folder / "docs", sensitivity="RESTRICTED")
    return report.files[0].outcome


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "secret.md").write_text(SECRET, encoding="utf-8")
    return tmp_path


@pytest.mark.guarantee("G4")
def test_a_changed_at_rest_setting_is_never_skipped(documents: Path) -> None:
    def kept() -> bool:
        return any(SECRET.encode() in path.read_bytes() for path in documents.glob("kb.db*"))

    assert (ingest(documents, "text"), kept()) == (Outcome.ADDED, True)
    assert (ingest(documents, "text"), kept()) == (Outcome.UNCHANGED, True)
    assert (ingest(documents, "stub"), kept()) == (Outcome.UPDATED, False)
    assert (ingest(documents, "stub"), kept()) == (Outcome.UNCHANGED, False)
    assert (ingest(documents, "text"), kept()) == (Outcome.UPDATED, True)


class FailingChunker:
    """A third party's chunker that fails on one document."""

    spec = "failing"

    def chunk(
        self, text: str, meta: DocumentMeta, *, outline: Outline | None = None
    ) -> list[Chunk]:
        raise RuntimeError(text)


def test_a_plug_in_that_fails_costs_one_line_that_shows_no_text(documents: Path) -> None:
    with ChunkStore(documents / "kb.db") as store:
        store.init_schema()
        report = ingest_narrative(documents / "docs", store, chunker=FailingChunker())

    (file,) = report.files
    assert file.outcome is Outcome.REFUSED
    assert file.message.endswith("made the loader or chunker fail with RuntimeError")
    assert SECRET not in repr(report)


@pytest.mark.parametrize(
    ("given_up", "is_written"), [({3}, True), ({3, 4}, True), ({3, 4, 5}, False)]
)
def test_what_a_server_gave_up_is_written_again_a_few_times(
    documents: Path, given_up: set[int], *, is_written: bool
) -> None:
    with GivesUp(documents / "kb.db") as store:
        store.init_schema()
        store.given_up = given_up
        with nullcontext() if is_written else pytest.raises(TransactionAbortedError):
            ingest_narrative(documents / "docs", store)
        assert store.count() == (1 if is_written else 0)
