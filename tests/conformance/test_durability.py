"""Killed at any instant, a store holds each document wholly old or wholly new."""

from __future__ import annotations

import os
import random
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

import ragspine_store.neo4j_store.connection
import ragspine_store.sqlite_store.connection
from ragspine_graph import KnowledgeBase, Sensitivity, ServiceConfig
from ragspine_store.errors import StoreLockedError
from ragspine_store.ingest_report import Outcome
from ragspine_store.testing.base import found
from tests import generations
from tests.backends import Place
from tests.wholeness import assert_whole

pytestmark = pytest.mark.guarantee("G10")

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place(each_backend: Place) -> Place:
    return each_backend


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    return docs


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

    def ingest_and_die(self, place: Place, folder: Path, documents: int, first: int) -> list[int]:
        """Let it ingest from a generation on, and kill it; which generations it finished."""
        print(place.url, folder, documents, first, sep="\t", file=self.stdin, flush=True)
        ready, process = self.stdout.readline().split()
        assert ready == "ready"
        time.sleep(random.uniform(0, 4 if place.is_server else 0.25))  # any instant will do
        os.kill(int(process), signal.SIGKILL)
        return [int(line) for line in iter(self.stdout.readline, "gone\n")]


@pytest.mark.parametrize("at_rest", ["stub"])
def test_a_kill_at_any_instant_leaves_each_document_whole(
    place: Place, docs: Path, program: Program
) -> None:
    generation, seen = 1, set[int]()
    kills, documents = (5, 4) if place.is_server else (20, 30)
    for _ in range(kills):
        finished = program.ingest_and_die(place, docs, documents, generation)
        with closing(place.open_store()) as store:
            seen.update(assert_whole(store, place))
        generation = max([generation, *finished]) + 2
    assert len(seen) > 1


PROGRAM = """
import sys
from ragspine_graph import KnowledgeBase
with KnowledgeBase.open(sys.argv[1]) as knowledge:
    report = knowledge.ingest(sys.argv[2], root=sys.argv[3])
    print(*{file.outcome.value for file in report.files})
"""


@pytest.mark.parametrize("at_rest", ["stub"])
def test_two_processes_that_ingest_at_once_lose_nothing(place: Place, tmp_path: Path) -> None:
    count = 10 if place.is_server else 60
    folders = [tmp_path / name for name in ("one", "two")]
    for number, folder in enumerate(folders):
        folder.mkdir()
        generations.write(folder, range(number, count + number), number)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, place.url, str(folder), str(tmp_path)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for folder in folders
    ]
    assert [process.communicate()[0] for process in processes] == ["added\n"] * 2
    assert [process.returncode for process in processes] == [0, 0]
    with closing(place.open_store()) as store:
        for number, name in enumerate(("one", "two")):
            for document in range(number, count + number):
                ids = found(store, generations.word(document, number))
                assert ids == [f"{name}/{document}.md#c0"]


@pytest.fixture
def knowledge(place: Place, docs: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[KnowledgeBase]:
    monkeypatch.setattr(ragspine_store.sqlite_store.connection, "LOCK_TIMEOUT_S", 0.05)
    generations.write(docs, range(3), 0)
    config = ServiceConfig.load(chunker="parent_child", restricted_at_rest=place.restricted_at_rest)
    with KnowledgeBase.open(place.url, config) as knowledge:
        knowledge.ingest(docs)
        yield knowledge


def test_a_locked_store_is_a_clear_error_after_a_bounded_wait(
    place: Place, knowledge: KnowledgeBase, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = knowledge.status(operator=True)
    with monkeypatch.context() as patch, place.locked():
        patch.setattr(ragspine_store.neo4j_store.connection, "TRANSACTION_TIMEOUT_S", 0.2)
        for call in (
            lambda: knowledge.ingest(docs),
            lambda: knowledge.relabel("docs/1.md", "RESTRICTED"),
            lambda: knowledge.delete("docs/1.md"),
            knowledge.purge,
        ):
            with pytest.raises(StoreLockedError, match=r"(kb\.db is locked|is writing).*try again"):
                call()
        with KnowledgeBase.open(place.url, ServiceConfig()) as reading:
            assert len(reading.search("doc1gen0").snippets) == 2
        assert knowledge.status(operator=True) == before
        assert len(knowledge.search("doc1gen0").snippets) == 2
    assert knowledge.relabel("docs/1.md", "RESTRICTED").after is Sensitivity.RESTRICTED
    assert knowledge.search("doc1gen0").snippets == ()


def test_an_ingest_that_fails_half_way_leaves_the_document_as_it_was(
    place: Place, knowledge: KnowledgeBase, docs: Path
) -> None:
    generations.write(docs, range(3), 1)
    place.break_writes([f"docs/{n}.md#c{n + 1}" for n in range(3)])
    report = knowledge.ingest(docs)
    assert [file.outcome for file in report.files] == [Outcome.REFUSED] * 3
    says = "constraint" if place.is_server else "reports"
    assert all(says in file.message for file in report.files)
    assert knowledge.search("doc1gen1").snippets == ()
    found = [snippet.chunk_id for snippet in knowledge.search("doc1gen0").snippets]
    assert found == ["docs/1.md#c0", "docs/1.md#c1"]
