"""The command `cypher`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from ragspine_graph.cypher import list_queries
from tests.graphs import DOCUMENTS, OWNS, ScriptedModel, open_knowledge, write_documents

Run = Callable[..., Result]

HOSTILE = """\
# <script>alert(1)</script> \u202etitle

## 第1条 =1+1 [red]x`) DETACH DELETE n//

1. 第2条による。

## 第2条 "];x[label="

1. 前条による。
"""


@pytest.fixture
def asked(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command line on a store with a graph."""
    with open_knowledge(tmp_path) as knowledge:
        docs = write_documents(tmp_path, {**DOCUMENTS, "hostile.md": HOSTILE})
        knowledge.ingest(docs, root=docs)
        knowledge.build_relations(provider=ScriptedModel(OWNS))
    monkeypatch.setenv("RAGSPINE_STORE", "sqlite:///kb.db")
    monkeypatch.setenv("RAGSPINE_PROFILE", "profile.toml")
    return run


def test_the_list_names_every_query_a_reader_may_run(run: Run) -> None:
    shown = run("cypher", "list")
    assert shown.exit_code == 0
    listed = json.loads(run("cypher", "list", "--json").stdout)["queries"]
    names = [query.name for query in list_queries()]
    assert [query["name"] for query in listed] == names
    assert [line.split()[0] for line in shown.stdout.splitlines()[1:]] == names


def test_an_explanation_shows_text_parameters_and_columns(run: Run) -> None:
    shown = run("cypher", "explain", "neighbourhood").stdout
    assert "--param entity  STRING, required: its id or its name" in shown
    assert "--param limit  INTEGER, by default 100" in shown
    assert "returns  source, source_name, kind" in shown
    assert "r.clearance <= $clearance" in shown
    assert "--param clearance" not in shown
    told = json.loads(run("cypher", "explain", "path", "--json").stdout)
    assert told["returns"] == ["nodes", "hops"]
    assert told["parameters"][0] == {
        "name": "source",
        "type": "STRING",
        "required": True,
        "default": None,
        "meaning": "id of a node, or name of an entity",
    }


def test_a_named_query_prints_a_table_json_or_csv(asked: Run) -> None:
    call = ("cypher", "run", "references_out", "--param", "article=rules.md#s3")
    table = asked(*call)
    assert table.exit_code == 0
    assert "section:rules.md#s3  section:rules.md#s2  refers_to" in table.stdout
    told = json.loads(asked(*call, "--json").stdout)
    assert told == json.loads(asked(*call, "--format", "json").stdout)
    assert told["rows"][0]["quote"] == "前条"
    head, row = csv.reader(io.StringIO(asked(*call, "--format", "csv").stdout, newline=""))
    assert dict(zip(head, row, strict=True)) == told["rows"][0]


def test_parameters_are_read_by_their_type(asked: Run) -> None:
    call = ("cypher", "run", "neighbourhood", "--param", "entity=acme", "--json")
    assert json.loads(asked(*call).stdout)["rows"] == []
    rows = json.loads(asked(*call, "--param", "unverified=true").stdout)["rows"]
    assert [row["kind"] for row in rows] == ["owns"]
    wrong = asked(*call, "--param", "unverified=maybe")
    assert wrong.exit_code == 1
    assert "expected BOOLEAN" in wrong.stderr


def test_ones_own_query_comes_from_an_option_or_a_file(asked: Run, tmp_path: Path) -> None:
    text = "MATCH (d:Document) WHERE d.doc_id = $doc RETURN d.title AS title"
    (tmp_path / "my.cypher").write_text(f"// mine\n{text};\n", encoding="utf-8-sig")
    for given in (("--query", text), ("--file", "my.cypher")):
        result = asked("cypher", *given, "--param", "doc=pay.md", "--json")
        assert json.loads(result.stdout)["rows"] == [{"title": "賃金規程"}]


def test_ones_own_parameters_are_json_or_strings(asked: Run) -> None:
    result = asked(
        *("cypher", "--query", "RETURN $n + 1 AS n, $l[1] AS l, $s AS s", "--json"),
        *("--param", "n=1", "--param", 'l=["a", "b"]', "--param", "s=a=b"),
    )
    assert json.loads(result.stdout)["rows"] == [{"n": 2, "l": "b", "s": "a=b"}]


def test_rows_that_are_cut_are_told_of(asked: Run) -> None:
    result = asked("cypher", "--query", "MATCH (n) RETURN n.id", "--max-rows", "2")
    assert len(result.stdout.splitlines()) == 3
    assert result.stderr == "warning: there are more than these 2 rows\n"


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ([], 2, "--query CYPHER or --file FILE"),
        (["--query", "RETURN 1", "--file", "x"], 2, "--query CYPHER or --file FILE"),
        (["nope"], 2, "No such command"),
        (["--file", "missing.cypher"], 1, "'missing.cypher'"),
        (["--query", "LOAD CSV FROM 'f' AS r RETURN r"], 1, "is refused"),
        (["--query", "MATCH (n) RETURN n.id", "--format", "dot"], 1, "source and target"),
        (["--query", "RETURN 1", "--operator"], 1, "expected a store on Neo4j"),
        (["--query", "RETURN 1", "--param", "x"], 2, "expected key=value"),
        (["--query", "RETURN 1", "--timeout", "0"], 1, "timeout 0 s given"),
        (["run", "nope"], 1, "no query 'nope'"),
        (["run", "path", "--param", "a=b"], 1, "unknown parameter 'a'"),
        (["run", "path"], 1, "no 'source'"),
        (["explain", "find_meta"], 1, "no query 'find_meta'"),
    ],
)
def test_a_wrong_use_is_one_line_and_an_exit_code(
    asked: Run, given: list[str], code: int, said: str
) -> None:
    result = asked("cypher", *given)
    assert result.exit_code == code
    assert said in result.stderr
    assert result.stdout == ""


def test_a_refusal_is_printed_and_no_failure(asked: Run) -> None:
    result = asked("cypher", "run", "neighbourhood", "--param", "entity=Kestrel")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Refused (listed-name)")
    told = json.loads(asked("cypher", "--query", "RETURN 'Kestrel'", "--json").stdout)
    assert told["refused"] == {"rule": "listed-name", "name": "Kestrel Ltd."}


@pytest.mark.parametrize("form", ["table", "csv", "dot", "html"])
def test_no_name_from_a_document_acts(asked: Run, form: str) -> None:
    text = "MATCH (s:Section)-[r:REFERS_TO]->(t) RETURN s.id AS source, s.heading AS source_name, "
    text += "r.kind AS kind, t.id AS target, t.heading AS target_name ORDER BY source"
    shown = asked("cypher", "--query", text, "--format", form)
    assert shown.exit_code == 0, shown.stderr
    assert "\u202e" not in shown.stdout
    assert "<script>" not in shown.stdout
    heading = "第1条 =1+1 [red]x`) DETACH DELETE n//"
    quoted = {"html": "第1条 =1+1 [red]x`) DETACH DELETE n//", "dot": f'"{heading}"'}
    assert quoted.get(form, heading) in shown.stdout
    if form == "dot":
        assert r'"第2条 \"];x[label=\""' in shown.stdout


def test_a_cell_that_begins_like_a_formula_is_none(asked: Run) -> None:
    given = ("cypher", "--query", "RETURN '=1+1' AS a, -1 AS b, ['@x'] AS c", "--format", "csv")
    assert asked(*given).stdout.splitlines()[1] == '\'=1+1,-1,"[""@x""]"'


def test_an_output_can_be_written_to_a_file(asked: Run, tmp_path: Path) -> None:
    call = ("cypher", "run", "path", "--param", "source=entity:MINATO")
    call = (*call, "--param", "target=entity:MINATO_LOG")
    for form in ("csv", "dot", "html", "json"):
        result = asked(*call, "--format", form, "--out", f"out.{form}")
        assert (result.exit_code, result.stdout) == (0, "")
    assert (tmp_path / "out.dot").read_text(encoding="utf-8").startswith("digraph {")
    assert (tmp_path / "out.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["rows"][0]["hops"] == 1


def test_a_reader_is_answered_for_their_clearance(asked: Run) -> None:
    assert asked("relabel", "pay.md", "CONFIDENTIAL").exit_code == 0
    count = ("cypher", "--query", "MATCH (d:Document) RETURN count(d) AS n", "--json")
    assert json.loads(asked(*count).stdout)["rows"] == [{"n": 4}]
    lower = asked(*count, "--clearance", "INTERNAL")
    assert json.loads(lower.stdout)["rows"] == [{"n": 3}]
    other = asked(*count, "--collection", "other")
    assert json.loads(other.stdout)["rows"] == [{"n": 0}]
    assert asked(*count, "--clearance", "RESTRICTED").exit_code == 1
