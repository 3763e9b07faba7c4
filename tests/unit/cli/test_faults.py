import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from ragspine_graph.knowledge_base import KnowledgeBase

Run = Callable[..., Result]

READING = [("search", "手当"), ("context", "手当"), ("show", "a.md"), ("status",)]
CHANGING = [("relabel", "a.md", "PUBLIC"), ("delete", "a.md"), ("purge", "--restricted")]


def assert_one_line(result: Result, *parts: str) -> None:
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    for part in parts:
        assert part in result.stderr


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("command", [*READING, *CHANGING], ids=lambda command: command[0])
def test_a_store_that_does_not_exist_is_refused_and_not_created(
    run: Run, tmp_path: Path, command: tuple[str, ...], form: tuple[str, ...]
) -> None:
    assert_one_line(run(*command, *form), "'ragspine.db'", "run ingest first")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("search", "手当", "-k", "0"), ("k = 0 given", "expected")),
        (("search", "手当", "-k", "1" + "0" * 30), ("expected",)),
        (("context", "手当", "--budget", "0"), ("budget_tokens = 0 given", "at least 1")),
        (("context", "!"), ("expected",)),
        (("search", "手当", "--clearance", "RESTRICTED"), ("expected PUBLIC, INTERNAL or",)),
        (("show", "rules/policy.md", "--clearance", "SECRET"), ("in --clearance",)),
        (("show", ""), ("expected the id",)),
        (("ingest", "rules", "--chunker", "x"), ("'x'", "parent_child", "sentence_window")),
        (("ingest", "rules", "--sensitivity", "SECRET"), ("expected one of PUBLIC, INTERNAL",)),
        (("ingest", "rules", "--profile", "none.toml"), ("'none.toml'",)),
        (("status", "--config", "none.toml"), ("'none.toml'", "no such file")),
        (("status", "--config", "bad.toml"), ("'bad.toml'", "'chunkr'", "chunker")),
        (("status", "--store", "rules.db"), ("not a URL", "sqlite:///")),
        (("status", "--store", "sqlite:///rules"), ("rules",)),
        (("status", "--store", "sqlite:///bad.toml"), ("not a readable store",)),
        (("ingest", "rules", "--store", "sqlite:///none/a.db"), ("existing, writable folder",)),
    ],
    ids=lambda value: " ".join(value)[:40],
)
def test_bad_input_is_one_line_that_says_what_was_expected(
    ingested: Run, tmp_path: Path, arguments: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    (tmp_path / "bad.toml").write_text('chunkr = "none"\n' + "#" * 200, encoding="utf-8")
    assert_one_line(ingested(*arguments), *parts)


def test_a_message_shows_no_credentials_of_a_store(run: Run) -> None:
    result = run("status", "--store", "neo4j://user:hunter2@host/db")
    assert_one_line(result, "neo4j://")
    assert "hunter2" not in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("search",),
        ("search", "a", "--expand", "merge"),
        ("context", "a", "--expand", "none"),
        ("search", "a", "-k", "x"),
        ("fetch",),
    ],
    ids=["missing argument", "no such choice", "none", "no number", "unknown command"],
)
def test_a_wrong_use_exits_with_2(ingested: Run, arguments: tuple[str, ...]) -> None:
    result = ingested(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Usage: ")


def test_what_nobody_expected_is_one_line_without_its_message(
    ingested: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a sentence of a document")

    monkeypatch.setattr(KnowledgeBase, "search", fail)
    result = ingested("search", "手当")
    assert_one_line(result, "RuntimeError")
    assert "sentence" not in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("--store", "sqlite:///other.db", "status", "--json"),
        ("status", "--json", "--store", "sqlite:///other.db"),
        ("--store", "sqlite:///none.db", "status", "--json", "--store", "sqlite:///other.db"),
        ("--config", "settings.toml", "status", "--json"),
        ("status", "--config", "settings.toml", "--json"),
    ],
    ids=["before", "after", "the later wins", "config before", "config after"],
)
def test_store_and_settings_may_stand_before_or_after_the_command(
    run: Run, rules: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "settings.toml").write_text('store = "sqlite:///other.db"\n', encoding="utf-8")
    run("ingest", "rules", "--store", "sqlite:///other.db")
    shown = json.loads(run(*arguments).stdout)
    assert (shown["documents"], shown["chunks"]) == (2, 2)


def test_a_file_that_cannot_be_read_is_one_refused_line(run: Run, rules: Path) -> None:
    (rules / "broken.md").symlink_to("/proc/self/mem")
    result = run("ingest", "rules", "--json")
    assert result.exit_code == 1
    assert result.stderr.startswith("refused: ")
    assert result.stderr.count("\n") == 1
    assert "broken.md" in result.stderr
    outcomes = json.loads(result.stdout)["outcomes"]
    assert (outcomes["added"], outcomes["refused"]) == (3, 1)


def test_a_fault_of_the_stores_own_files_ends_the_command(
    run: Run, rules: Path, tmp_path: Path
) -> None:
    (tmp_path / "ragspine.db.key").mkdir()
    assert_one_line(run("ingest", "rules"), "ragspine.db.key'", "directory")
