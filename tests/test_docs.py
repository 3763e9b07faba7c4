"""The documents agree with the code: promises, commands, settings, links, and what README runs."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import typer

from ragspine_graph.cli import app
from ragspine_graph.config import ServiceConfig
from tools.generate_cli_docs import PAGE, render_page
from tools.record_demo_answers import FILE as ANSWERS
from tools.record_demo_answers import render_recording

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
NOT_YET = "not yet: "


class Promise(NamedTuple):
    """One row of the table of promises in SECURITY.md."""

    name: str
    kept_in: str
    proven_by: str

    @property
    def is_built(self) -> bool:
        return not self.kept_in.startswith(NOT_YET)


def read_promises() -> list[Promise]:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (G\d+) \|[^|]*\|([^|]*)\|([^|]*)\|", text, flags=re.MULTILINE)
    return [Promise(name, kept_in.strip(), proven_by.strip()) for name, kept_in, proven_by in rows]


def guarantees_of(decorated: ast.expr) -> Iterator[str]:
    """Names in every `pytest.mark.guarantee(...)` inside an expression."""
    for node in ast.walk(decorated):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "guarantee"
        ):
            yield from (str(a.value) for a in node.args if isinstance(a, ast.Constant))


def read_markers() -> dict[str, set[str]]:
    """Which promises each test file, and each test function in it, says it proves."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        file = path.relative_to(ROOT).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
                found.setdefault(file, set()).update(guarantees_of(node.value))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names = {n for d in node.decorator_list for n in guarantees_of(d)}
                if names:
                    found[f"{file}::{node.name}"] = names
                    found.setdefault(file, set()).update(names)
    return found


PROMISES = read_promises()
MARKERS = read_markers()


def test_the_table_lists_the_ten_promises_in_order() -> None:
    assert [promise.name for promise in PROMISES] == [f"G{n}" for n in range(1, 11)]


@pytest.mark.parametrize(
    "promise", [p for p in PROMISES if p.is_built], ids=lambda promise: promise.name
)
def test_a_promise_names_modules_that_exist_and_tests_that_carry_its_mark(promise: Promise) -> None:
    modules = re.findall(r"`(ragspine_\w+(?:\.\w+)*)`", promise.kept_in)
    proofs = re.findall(r"`(tests/[^`]+)`", promise.proven_by)
    assert modules
    assert proofs
    for module in modules:
        path = ROOT / module.replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").is_file(), module
    for proof in proofs:
        assert promise.name in MARKERS.get(proof, set()), proof


def test_a_promise_not_built_yet_has_no_proof() -> None:
    marked = set[str]().union(*MARKERS.values())
    assert {p.name for p in PROMISES if not p.is_built}.isdisjoint(marked)


def test_every_mark_names_a_promise() -> None:
    marked = set[str]().union(*MARKERS.values())
    assert marked <= {promise.name for promise in PROMISES}


def test_the_page_of_the_command_line_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == render_page()


def test_the_recorded_answers_of_the_demo_are_those_of_the_sample() -> None:
    assert ANSWERS.read_text(encoding="utf-8") == render_recording()


def command_names() -> list[str]:
    return list(getattr(typer.main.get_command(app), "commands", {}))


@pytest.mark.parametrize("command", command_names())
def test_every_command_is_shown_in_the_user_guide(command: str) -> None:
    prose = "".join(p.read_text(encoding="utf-8") for p in PAGES if p != PAGE)
    assert f"ragspine-graph {command}" in prose


@pytest.mark.parametrize("field", list(ServiceConfig.model_fields))
def test_every_setting_stands_in_the_configuration_page(field: str) -> None:
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert f"`{field}`" in page
    assert f"`RAGSPINE_{field.upper()}`" in page


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_and_paths_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        assert (page.parent / target).exists(), target
    for path in re.findall(
        r"`((?:ragspine_\w+|tests|tools|examples|docs|benchmarks)/[^`*{}]*)`", text
    ):
        assert (ROOT / path.partition("::")[0]).exists(), path


def test_every_decision_record_is_in_the_index() -> None:
    index = (ROOT / "docs" / "adr" / "README.md").read_text(encoding="utf-8")
    records = [path.name for path in (ROOT / "docs" / "adr").glob("[0-9]*.md")]
    assert records
    assert [name for name in records if f"({name})" not in index] == []


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    assert found
    return found


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the documents that the examples name, as the current folder."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copytree(ROOT / "examples" / "sample" / "handbook", tmp_path / "handbook")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_readme_opens_with_the_two_commands_and_five_lines_of_python() -> None:
    opening = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## ")[0]
    assert "make demo" in opening
    assert "make test" in opening
    assert len([line for line in blocks("README.md", "python")[0].splitlines() if line]) == 5


@pytest.mark.parametrize(
    "page",
    ["README.md", "docs/python.md", "docs/relations.md", "docs/audit.md", "docs/evaluation.md"],
)
def test_python_in_the_docs_runs(
    page: str, clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    namespace: dict[str, object] = {}
    for block in blocks(page, "python"):
        exec(compile(block, page, "exec"), namespace)
    assert "#para" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("pages", "told"),
    [
        (["README.md"], "rules/旅費規程.md#para4"),
        (["docs/relations.md", "docs/audit.md"], "第12条：在宅勤務 —refers_to→"),
        (["docs/evaluation.md"], "not found: sample/handbook/就業規則.md#s20"),
    ],
    ids=["README", "relations", "evaluation"],
)
def test_commands_in_the_docs_run(pages: list[str], told: str, clone: Path) -> None:
    walk = [
        block
        for page in pages
        for block in blocks(page, "sh")
        if re.search("^(ragspine-graph|mkdir) ", block, re.MULTILINE)
    ]
    assert len(walk) > 1
    program = f'ragspine-graph() {{ "{sys.executable}" -m ragspine_graph "$@"; }}'
    result = subprocess.run(
        ["bash", "-euc", "\n".join([program, *walk])],
        cwd=clone,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert told in result.stdout
