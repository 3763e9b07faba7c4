"""Killed at any instant, a store holds each document wholly old or wholly new."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from ragspine_graph import KnowledgeBase, Sensitivity, ServiceConfig
from ragspine_store.errors import StoreLockedError
from ragspine_store.ingest_report import Outcome
from ragspine_store.sqlite_store import ChunkStore, connection
from ragspine_store.testing.base import found
from tests import generations
from tests.backends import SQLiteBackend
from tests.conftest import AtRest

pytestmark = pytest.mark.guarantee("G10")

ROOT = Path(__file__).parents[2]
KILLS = 20


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    return docs


def assert_whole(store: ChunkStore, backend: SQLiteBackend) -> list[int]:
    """Check every document in every table and in the index; give their generations."""
    seen: list[int] = []
    with backend.raw() as db:
        documents = db.execute(
            "SELECT no, doc_id, (SELECT group_concat(text, '') FROM"
            " (SELECT text FROM document_text WHERE doc_no = no ORDER BY start))"
            " FROM document ORDER BY no"
        ).fetchall()
        for no, doc_id, text in documents:
            number = int(doc_id.removeprefix("docs/").removesuffix(".md"))
            (name,) = set(re.findall(r"doc\d+gen\d+", text))
            generation = int(name.partition("gen")[2])
            seen.append(generation)
            count = generations.paragraphs(number, generation)
            assert text.strip() == generations.text(number, generation).strip()
            chunks = db.execute(
                "SELECT text FROM narrative_chunk WHERE doc_id = ? ORDER BY seq", (doc_id,)
            ).fetchall()
            assert chunks == [(f"{name} paragraph {n}",) for n in range(count)]
            spans = db.execute(
                "SELECT span_start, span_end FROM chunk_span WHERE doc_no = ? ORDER BY seq", (no,)
            ).fetchall()
            assert [(text[start:end],) for start, end in spans] == chunks
            headings = db.execute(
                "SELECT heading FROM section WHERE doc_no = ? ORDER BY no", (no,)
            ).fetchall()
            assert headings == [(f"Heading {name}",)] * 2
            ids = [f"{doc_id}#c{n}" for n in range(count)]
            assert found(store, name, k=100) == ids
            for other in (generation - 1, generation + 1):
                assert found(store, generations.word(number, other)) == []
        totals = backend.totals()
        for table in ("chunk_span", "section", "tree_node", "document_text"):
            orphans = f"SELECT COUNT(*) FROM {table} WHERE doc_no NOT IN (SELECT no FROM document)"
            assert db.execute(orphans).fetchone() == (0,)
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert totals["narrative_chunk"] == totals["chunk_span"] == totals["chunk_fts_docsize"]
    return seen


@pytest.fixture
def program() -> Iterator[Program]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.generations"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Program(process.stdin, process.stdout)


@dataclass(frozen=True)
class Program:
    """The running program `tests.generations`."""

    stdin: IO[str]
    stdout: IO[str]

    def ingest_and_die(self, store: Path, folder: Path, first: int) -> list[int]:
        """Let it ingest from a generation on, and kill it; which generations it finished."""
        print(store, folder, first, sep="\t", file=self.stdin, flush=True)
        ready, process = self.stdout.readline().split()
        assert ready == "ready"
        time.sleep(random.uniform(0, 0.25))  # any instant will do
        os.kill(int(process), signal.SIGKILL)
        return [int(line) for line in iter(self.stdout.readline, "gone\n")]


def test_a_kill_at_any_instant_leaves_each_document_whole(
    tmp_path: Path, docs: Path, program: Program
) -> None:
    path = tmp_path / "store.db"
    backend = SQLiteBackend(path, "stub")
    generation, seen = 1, set[int]()
    for _ in range(KILLS):
        finished = program.ingest_and_die(path, docs, generation)
        with closing(backend.open_store()) as store:
            seen.update(assert_whole(store, backend))
        generation = max([generation, *finished]) + 2
    assert len(seen) > 1


def test_two_processes_that_ingest_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    program = (
        "import sys; from ragspine_store import ChunkStore, ingest_narrative;"
        "store = ChunkStore(sys.argv[1]); store.init_schema();"
        "report = ingest_narrative(sys.argv[2], store, root=sys.argv[3]);"
        "print(*{file.outcome.value for file in report.files})"
    )
    folders = [tmp_path / name for name in ("one", "two")]
    for number, folder in enumerate(folders):
        folder.mkdir()
        generations.write(folder, range(number, 60 + number), number)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(path), str(folder), str(tmp_path)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for folder in folders
    ]
    assert [process.communicate()[0] for process in processes] == ["added\n"] * 2
    assert [process.returncode for process in processes] == [0, 0]
    with closing(ChunkStore(path)) as store:
        store.init_schema()
        for number, name in enumerate(("one", "two")):
            for document in range(number, 60 + number):
                ids = found(store, generations.word(document, number))
                assert ids == [f"{name}/{document}.md#c0"]


@pytest.fixture
def knowledge(
    tmp_path: Path, docs: Path, at_rest: AtRest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[KnowledgeBase]:
    monkeypatch.setattr(connection, "LOCK_TIMEOUT_S", 0.05)
    generations.write(docs, range(3), 0)
    config = ServiceConfig.load(restricted_at_rest=at_rest)
    with KnowledgeBase.open(tmp_path / "store.db", config) as knowledge:
        knowledge.ingest(docs)
        yield knowledge


def test_a_locked_store_is_a_clear_error_after_a_bounded_wait(
    knowledge: KnowledgeBase, docs: Path, tmp_path: Path
) -> None:
    before = knowledge.status(operator=True)
    with SQLiteBackend(tmp_path / "store.db", "stub").raw() as db:
        db.execute("BEGIN IMMEDIATE")
        for call in (
            lambda: knowledge.ingest(docs),
            lambda: knowledge.relabel("docs/1.md", "RESTRICTED"),
            lambda: knowledge.delete("docs/1.md"),
            knowledge.purge,
        ):
            with pytest.raises(StoreLockedError, match=r"store\.db is locked.*try again"):
                call()
        with KnowledgeBase.open(tmp_path / "store.db", ServiceConfig()) as reading:
            assert len(reading.search("doc1gen0").snippets) == 1
        assert knowledge.status(operator=True) == before
        assert len(knowledge.search("doc1gen0").snippets) == 1
    assert knowledge.relabel("docs/1.md", "RESTRICTED").after is Sensitivity.RESTRICTED
    assert knowledge.search("doc1gen0").snippets == ()


def test_an_ingest_that_fails_half_way_leaves_the_document_as_it_was(
    knowledge: KnowledgeBase, docs: Path, tmp_path: Path
) -> None:
    generations.write(docs, range(3), 1)
    with SQLiteBackend(tmp_path / "store.db", "stub").raw() as db:
        db.execute(
            "CREATE TRIGGER fail AFTER INSERT ON chunk_span BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
    report = knowledge.ingest(docs)
    assert [file.outcome for file in report.files] == [Outcome.REFUSED] * 3
    assert all("SQLite reports" in file.message for file in report.files)
    assert knowledge.search("doc1gen1").snippets == ()
    assert [s.chunk_id for s in knowledge.search("doc1gen0").snippets] == ["docs/1.md#c0"]
