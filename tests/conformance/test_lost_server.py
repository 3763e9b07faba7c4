"""A server that dies, or cannot be reached any more, in the middle of anything."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ragspine_store.neo4j_store.transaction
from ragspine_graph.cli import app
from ragspine_store.errors import StoreUnavailableError
from ragspine_store.protocols import Store
from ragspine_store.testing.base import found
from tests import generations
from tests.backends import Neo4jBackend, Place
from tests.graphs import DEALS, PAY, PROFILE, write_documents
from tests.neo4j_server import LTS, Server, killable_server
from tests.wholeness import assert_whole
from tests.wire import Wire

pytestmark = pytest.mark.guarantee("G10")

DOCUMENTS = 6


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    return docs


def test_a_server_killed_in_the_middle_of_an_ingest_has_each_document_whole(docs: Path) -> None:
    with killable_server(LTS) as (process, server), closing(Neo4jBackend(server, "stub")) as place:
        store, other = place.open_store(), place.open_store()
        generations.run(store, docs, DOCUMENTS, 1)
        with ThreadPoolExecutor(1) as pool:
            ingest = pool.submit(generations.run, store, docs, DOCUMENTS, 3)
            wait_for(other, generations.word(0, 3))
            process.kill()
            with pytest.raises(StoreUnavailableError, match="run the same again"):
                ingest.result()
        process.start()
        with closing(place.open_store()) as again:
            # What was committed before is there.
            assert found(again, generations.word(0, 3))
            assert set(assert_whole(again, place)) == {1, 3}
            generations.run(again, docs, DOCUMENTS, 3)
            assert set(assert_whole(again, place)) == {3}


def wait_for(store: Store, word: str) -> None:
    """Return as soon as a document can be found."""
    while not found(store, word):
        time.sleep(0.01)


# --- a lost connection, by the command line -----------------------------------------------------

SECRET = "The vacation of quartzword is twenty days."
COMMANDS = [
    ("ingest", "docs", "--root", "docs"),
    ("ingest", "docs", "--root", "docs", "--sync"),
    ("relations", "build"),
    ("search", "quartzword"),
    ("context", "quartzword"),
    ("show", "leave.md"),
    ("relations", "list"),
    ("audit", "list"),
    ("cypher", "run", "sections_without_references"),
    ("status", "--operator"),
    ("relabel", "leave.md", "CONFIDENTIAL"),
    ("relabel", "leave.md#s1", "RESTRICTED"),
    ("purge", "--restricted"),
    ("delete", "leave.md"),
]


@pytest.fixture
def knowledge(
    docs: Path, each_backend: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Server:
    """A knowledge base on a server whose documents have changed since."""
    assert isinstance(each_backend, Neo4jBackend)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "profile.toml").write_text(PROFILE, encoding="utf-8")
    monkeypatch.setenv("RAGSPINE_PROFILE", "profile.toml")
    monkeypatch.setenv("RAGSPINE_STORE", each_backend.url)
    monkeypatch.setenv("RAGSPINE_ENTITY_SOURCES", "profile,titles,terms")
    write_documents(tmp_path, {"pay.md": PAY, "deals.md": DEALS})
    assert run("ingest", "docs", "--root", "docs")[0] == 0
    assert run("relations", "build")[0] == 0
    (docs / "leave.md").write_text(f"# Leave\n\n{SECRET}\n", encoding="utf-8")
    return each_backend.server


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stderr


@pytest.mark.parametrize("each_backend", ["neo4j"], indirect=True)
@pytest.mark.parametrize("at_rest", ["stub"])
def test_a_connection_lost_in_mid_command_is_told_in_one_line_and_running_it_again_completes(
    knowledge: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    direct = knowledge.uri
    monkeypatch.setattr(ragspine_store.neo4j_store.transaction, "_FIRST_PAUSE_S", 0.001)
    for command in COMMANDS:
        failures = 0
        for lasts in (0, 4, 8):
            with closing(Wire(knowledge, lasts=lasts)) as wire:
                monkeypatch.setenv("RAGSPINE_STORE", wire.uri)
                exit_code, said = run(*command)
            if exit_code:
                failures += 1
                assert exit_code == 1
                assert "run the same again" in said, (command, lasts, said)
                assert "Traceback" not in said
                assert "quartzword" not in said
        assert failures > 1, command
        monkeypatch.setenv("RAGSPINE_STORE", direct)
        assert run(*command)[0] == 0, command
