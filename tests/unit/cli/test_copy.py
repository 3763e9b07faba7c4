"""`copy`: what it prints, what it refuses, and that what it made goes on as its source would."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import Result

from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.testing.base import put
from ragspine_store.testing.documents import Part, make_document
from tests.conftest import let_in
from tests.neo4j_server import Server

Run = Callable[..., Result]
ROOT = Path(__file__).parents[3]
SOURCE = "ragspine.db"


@pytest.fixture
def server(neo4j_lts: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    let_in(monkeypatch, neo4j_lts)
    monkeypatch.delenv("RAGSPINE_STUB_KEY")
    neo4j_lts.clear()
    yield neo4j_lts
    neo4j_lts.clear()


def copied(run: Run, source: str, target: str) -> dict[str, dict[str, object]]:
    result = run("copy", source, target, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_a_copy_tells_counts_and_hashes_of_both(ingested: Run) -> None:
    result = ingested("copy", SOURCE, "sqlite:///other.db")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert result.stdout.startswith("2 documents copied, 0 there already.\n")
    assert ["documents", "2", "2"] in lines
    assert ["stubs", "1", "1"] in lines
    one, other = re.findall(r"[0-9a-f]{64}", result.stdout)
    assert one == other
    again = copied(ingested, SOURCE, "other.db")
    assert (again["copied"], again["passed_over"]) == (0, 2)
    assert again["source"] == again["target"]
    assert again["source"]["hash"] == one


def test_a_copied_file_is_ingested_again_without_a_change(ingested: Run) -> None:
    copied(ingested, SOURCE, "other.db")
    assert Path("other.db.key").read_bytes() == Path(f"{SOURCE}.key").read_bytes()
    assert Path("other.db.key").stat().st_mode & 0o777 == 0o600
    arguments = ("ingest", "rules", "--chunker", "parent_child", "--store", "sqlite:///other.db")
    result = ingested(*arguments)
    assert result.exit_code == 0
    assert "unchanged  3" in result.stdout
    assert copied(ingested, SOURCE, "other.db")["copied"] == 0


def test_a_server_takes_the_key_of_a_file_from_the_environment(
    ingested: Run, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = ingested("copy", SOURCE, server.uri)
    assert refused.exit_code == 1
    assert "RAGSPINE_STUB_KEY: set that to what the file holds" in refused.stderr
    monkeypatch.setenv("RAGSPINE_STUB_KEY", "another key")
    refused = ingested("copy", SOURCE, server.uri)
    assert refused.exit_code == 1
    assert "not the one this store was written with" in refused.stderr
    with server.session() as session:
        assert session.run("MATCH (n:Ragspine) RETURN count(n)").single(strict=True).value() == 0
    monkeypatch.setenv("RAGSPINE_STUB_KEY", Path(f"{SOURCE}.key").read_text(encoding="ascii"))
    there = copied(ingested, SOURCE, server.uri)
    back = copied(ingested, server.uri, "back.db")
    assert there["target"] == back["target"]
    for store in (server.uri, "sqlite:///back.db"):
        result = ingested("ingest", "rules", "--chunker", "parent_child", "--store", store)
        assert "unchanged  3" in result.stdout
    monkeypatch.delenv("RAGSPINE_STUB_KEY")
    refused = ingested("copy", server.uri, "keyless.db")
    assert "expected RAGSPINE_STUB_KEY" in refused.stderr
    assert not Path("keyless.db").exists()


def test_restricted_text_needs_a_key_at_a_server_that_keeps_stubs(
    run: Run, rules: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_RESTRICTED_AT_REST", "text")
    assert run("ingest", "rules").exit_code == 0
    monkeypatch.delenv("RAGSPINE_RESTRICTED_AT_REST")
    refused = run("copy", SOURCE, server.uri)
    assert "no key is there to name them; expected RAGSPINE_STUB_KEY" in refused.stderr
    reduced = run("copy", SOURCE, "stubs.db")
    assert reduced.exit_code == 0
    assert "RESTRICTED text of 1 document left out." in reduced.stdout
    assert "Kingfisher" not in reduced.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ((SOURCE, SOURCE), 1, "the same store given twice"),
        ((SOURCE, f"sqlite:///{SOURCE}"), 1, "the same store given twice"),
        (("missing.db", "other.db"), 1, "no store at 'missing.db'"),
        (("mysql://host/db", "other.db"), 1, "of an unknown kind"),
        ((SOURCE, "neo4j://user:secret@host"), 1, "holds credentials"),
        (("", "other.db"), 2, "expected a store"),
        ((SOURCE, ""), 2, "expected a store"),
        ((SOURCE,), 2, "TARGET"),
    ],
    ids=["twice", "twice-as-url", "missing", "unknown", "credentials", "blank", "blank-to", "one"],
)
def test_a_copy_that_cannot_be_made_says_why(
    ingested: Run, arguments: tuple[str, ...], code: int, told: str
) -> None:
    result = ingested("copy", *arguments)
    assert result.exit_code == code
    assert told in result.stderr
    assert "secret" not in result.stderr
    assert not Path("other.db").exists()


def test_a_target_with_something_else_in_it_is_refused(ingested: Run) -> None:
    copied(ingested, SOURCE, "other.db")
    assert ingested("delete", "rules/policy.md").exit_code == 0
    refused = ingested("copy", SOURCE, "other.db")
    assert refused.exit_code == 1
    assert "nothing was written" in refused.stderr


@pytest.mark.guarantee("G10")
def test_a_copy_killed_half_way_is_completed(run: Run, tmp_path: Path) -> None:
    with closing(ChunkStore(tmp_path / "large.db")) as store:
        store.init_schema()
        put(store, *(make_document(f"{n}.md", Part("H", ("tea",) * 20)) for n in range(300)))
    program = [sys.executable, "-m", "ragspine_graph", "copy", "large.db", "other.db"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(program, cwd=tmp_path, env=environment)
    other = tmp_path / "other.db"
    while process.poll() is None and documents_in(other) < 50:
        pass
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    standing = documents_in(other)
    assert 50 <= standing < 300
    unfinished = run("status", "--operator", "--store", "sqlite:///other.db").stdout
    assert "is a copy of another one that was cut short" in unfinished
    report = copied(run, "large.db", "other.db")
    assert (report["copied"], report["passed_over"]) == (300 - standing, standing)
    assert report["source"] == report["target"]
    assert report["target"]["documents"] == 300


def documents_in(file: Path) -> int:
    """How many documents a file holds; 0 before it is a store."""
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as db:
            return db.execute("SELECT COUNT(*) FROM document").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
