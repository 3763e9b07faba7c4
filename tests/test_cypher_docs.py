"""Every query and command of the pages about Cypher runs as it is printed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from operator import methodcaller
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from ragspine_graph import KnowledgeBase
from ragspine_graph.cli import app
from ragspine_graph.cypher import list_queries
from ragspine_store.graph_scheme import RELATIONSHIP_TYPES
from tests.graphs import (
    DOCUMENTS,
    OWNS,
    SUPPLIES,
    ScriptedModel,
    open_knowledge,
    write_documents,
)
from tests.neo4j_server import Server

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "cypher.md").read_text(encoding="utf-8")
SCHEME = (DOCS / "graph-scheme.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


QUERIES = blocks(PAGE, "cypher")
ALL_QUERIES = [
    query
    for page in sorted(DOCS.rglob("*.md"))
    for query in blocks(page.read_text(encoding="utf-8"), "cypher")
]
COMMANDS = [
    line
    for block in blocks(PAGE, "sh")
    for line in block.splitlines()
    if line.startswith("ragspine-graph cypher ")
]


@pytest.fixture
def knowledge(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with open_knowledge(tmp_path) as knowledge:
        docs = write_documents(tmp_path, DOCUMENTS)
        knowledge.ingest(docs, root=docs)
        knowledge.build_relations(provider=ScriptedModel(OWNS, SUPPLIES))
        yield knowledge


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_gives_rows_as_it_is_printed(query: str, knowledge: KnowledgeBase) -> None:
    assert knowledge.cypher.query(query).rows


@pytest.mark.parametrize("query", ALL_QUERIES)
def test_a_server_takes_a_query_as_it_is_printed(query: str, neo4j_server: Server) -> None:
    with neo4j_server.session() as session:
        # By name, since the driver's types take no text from a page.
        methodcaller("run", f"EXPLAIN {query}")(session).consume()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_runs_as_it_is_printed(
    command: str, knowledge: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge.close()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGSPINE_STORE", "sqlite:///kb.db")
    monkeypatch.setenv("RAGSPINE_PROFILE", "profile.toml")
    (tmp_path / "my.cypher").write_text(QUERIES[0], encoding="utf-8")
    result = CliRunner().invoke(app, shlex.split(command)[1:])
    assert (result.exit_code, result.stderr) == (0, "")
    written = [*tmp_path.glob("*.csv"), *tmp_path.glob("*.html")]
    assert len(result.stdout.splitlines()) > 1 or [file for file in written if file.stat().st_size]


def test_python_of_the_page_runs(
    knowledge: KnowledgeBase,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    knowledge.close()
    monkeypatch.chdir(tmp_path)
    (python,) = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
    exec(compile(python, "cypher.md", "exec"), {})
    assert capsys.readouterr().out.splitlines()[-1] == "['deals.md', 'pay.md', 'rules.md']"


def test_every_named_query_stands_in_the_page() -> None:
    assert [query.name for query in list_queries() if f"`{query.name}`" not in PAGE] == []


def test_every_relationship_type_and_label_stands_in_the_scheme(knowledge: KnowledgeBase) -> None:
    labels = knowledge.cypher.query("MATCH (n) UNWIND labels(n) AS l RETURN DISTINCT l").rows
    types = knowledge.cypher.query("MATCH ()-[r]->() RETURN DISTINCT type(r)").rows
    for (name,) in (*labels, *types, *((name,) for name in RELATIONSHIP_TYPES)):
        assert f"`{name}`" in SCHEME


def test_every_property_stands_in_the_scheme(knowledge: KnowledgeBase) -> None:
    found = knowledge.cypher.query("CALL db.propertyKeys() YIELD propertyKey AS k RETURN k").rows
    assert [key for (key,) in found if f"`{key}`" not in SCHEME] == []
    assert len(found) > 20


def test_the_guide_names_the_options_of_the_command() -> None:
    cypher = getattr(typer.main.get_command(app), "commands", {})["cypher"]
    options = {option for p in cypher.params for option in p.opts if option.startswith("--")}
    common = {"--store", "--config", "--out", "--help"}
    assert [option for option in options - common if option not in PAGE] == []
