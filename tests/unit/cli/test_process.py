"""What only a process of its own shows: encodings, pipes, signals, terminals."""

import json
import os
import pty
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

ROOT = Path(__file__).parents[3]
PROGRAM = (sys.executable, "-m", "ragspine_graph")


def environment(**variables: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAGSPINE_")}
    return {**kept, "PYTHONPATH": str(ROOT), **variables}


def start(
    *arguments: str, variables: dict[str, str] | None = None
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [*PROGRAM, *arguments],
        env=environment(**(variables or {})),
        capture_output=True,
        check=False,
    )


def test_what_the_driver_logs_is_not_printed_beside_the_one_line_of_the_error() -> None:
    program = """
import logging, sys
from ragspine_graph.cli.app import main
sys.argv = ["ragspine-graph", "--version"]
try:
    main()
except SystemExit:
    logging.getLogger("neo4j.pool").error("connection lost")
    logging.getLogger("other").error("printed")
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, check=True
    )
    assert ended.stderr == b"printed\n"


@pytest.mark.usefixtures("ingested")
@pytest.mark.parametrize("encoding", ["ascii", "cp932", "latin-1", "utf-8"])
def test_an_output_of_any_encoding_is_written(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "emoji.md").write_text("# 😀 é\n\n昼食手当 😀 é\n", encoding="utf-8")
    variables = {"PYTHONIOENCODING": encoding}
    assert start("ingest", "emoji.md", "--root", ".", variables=variables).returncode == 0
    shown = start("search", "昼食手当", variables=variables)
    assert (shown.returncode, shown.stderr) == (0, b"")
    printed = start("search", "昼食手当", "--json", variables=variables)
    texts = [s["text"] for s in json.loads(printed.stdout.decode(encoding))["snippets"]]
    assert any("昼食手当 😀 é" in text for text in texts)


@pytest.mark.usefixtures("ingested")
@pytest.mark.parametrize(
    "arguments",
    [("search", "手当"), ("search", "手当", "--json"), ("show", "rules/policy.md"), ("--help",)],
    ids=" ".join,
)
def test_a_reader_that_has_gone_ends_the_program_quietly(arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = subprocess.run(
            [*PROGRAM, *arguments],
            env=environment(),
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writing)
    assert ended.stderr == b""
    assert ended.returncode == 1


@pytest.mark.usefixtures("ingested")
@pytest.mark.parametrize(
    "arguments",
    [("search", "手当"), ("search", "手当", "--json"), ("status", "--json")],
    ids=" ".join,
)
def test_a_program_without_an_output_ends_quietly(arguments: tuple[str, ...]) -> None:
    ended = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *PROGRAM, *arguments],
        env=environment(),
        stderr=subprocess.PIPE,
        check=False,
    )
    assert (ended.stderr, ended.returncode) == (b"", 0)


@pytest.mark.usefixtures("run")
def test_an_interrupt_exits_with_130_and_no_traceback(tmp_path: Path) -> None:
    # The program waits for its settings; opening the other end waits for the program.
    os.mkfifo(tmp_path / "settings.toml")
    process = subprocess.Popen(
        [*PROGRAM, "status", "--config", "settings.toml"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with (tmp_path / "settings.toml").open("wb"):
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, b"")
    assert b"Traceback" not in stderr


@pytest.mark.usefixtures("run", "rules")
def test_a_terminal_is_shown_a_progress_bar() -> None:
    terminal, program_side = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, "ingest", "rules"],
        env=environment(TERM="xterm"),
        stdout=subprocess.DEVNULL,
        stderr=program_side,
    )
    os.close(program_side)
    shown = b""
    try:
        while chunk := os.read(terminal, 4096):
            shown += chunk
    except OSError:
        pass  # Linux reports the end of a terminal as an error
    finally:
        os.close(terminal)
    assert process.wait() == 0
    assert b"3/3" in shown


def test_the_version_is_the_projects() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    printed = start("--version").stdout.decode()
    assert printed == f"{project['name']} {project['version']}\n"


def test_without_arguments_the_commands_are_listed(run: Callable[..., Result]) -> None:
    listed = run("--help")
    assert listed.exit_code == 0
    for command in ("ingest", "search", "show", "relabel", "delete", "purge", "status"):
        assert f"\n  {command} " in listed.stdout
