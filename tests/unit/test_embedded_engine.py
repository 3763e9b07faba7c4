"""The embedded engine: what it holds, what it gives back, and that it reads no file."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_graph.cypher.engine import EmbeddedEngine
from ragspine_graph.cypher.projection import NodeRow, RelationshipRow
from ragspine_store.ad_hoc import AdHocQuery, screen_query
from ragspine_store.cypher_protocols import Bounds
from ragspine_store.errors import CypherError
from tests.unit.test_ad_hoc import LOADS

INJECTION = "x`) DETACH DELETE n//"


def entity(node_id: str, **properties: object) -> NodeRow:
    return NodeRow("Entity", {"id": node_id, **properties})


def joined(type_: str, source: str, target: str, **properties: object) -> RelationshipRow:
    return RelationshipRow(type_, "Entity", source, "Entity", target, properties)


ENGINE = EmbeddedEngine(
    [
        entity("a", name="A", clearance=1),
        entity("b"),
        entity(INJECTION, name=INJECTION),
        NodeRow("Document", {"id": "document:d", "title": "", "doc_id": "d"}),
        NodeRow("Section", {"id": "section:d#s1", "doc_id": "d", "heading": "H"}),
        RelationshipRow("PARENT_OF", "Document", "document:d", "Section", "section:d#s1"),
        joined("MENTIONS", "a", "b", quote="one", count=1),
        joined("MENTIONS", "a", "b", quote="two", count=2),
        joined("MODEL_RELATION", "a", INJECTION, kind=INJECTION),
        joined("MENTIONS", "a", "nobody"),
    ]
)


def rows(query: str, bounds: Bounds = Bounds(), **values: object) -> list[tuple[object, ...]]:  # noqa: B008 frozen
    return list(ENGINE.run(screen_query(query), values, bounds).rows)


def test_one_relationship_stands_for_each_place() -> None:
    assert rows("MATCH (:Entity)-[r:MENTIONS]->(n) RETURN n.id, r.quote ORDER BY r.quote") == [
        ("b", "one"),
        ("b", "two"),
    ]


def test_every_node_carries_the_common_label_and_only_its_own_properties() -> None:
    assert rows("MATCH (n:Ragspine) RETURN count(n)") == [(5,)]
    assert rows("MATCH (n:Ragspine) RETURN n ORDER BY n.id") == [
        (
            {
                "labels": ["Entity", "Ragspine"],
                "properties": {"id": "a", "name": "A", "clearance": 1},
            },
        ),
        ({"labels": ["Entity", "Ragspine"], "properties": {"id": "b"}},),
        (
            {
                "labels": ["Document", "Ragspine"],
                "properties": {"id": "document:d", "title": "", "doc_id": "d"},
            },
        ),
        (
            {
                "labels": ["Section", "Ragspine"],
                "properties": {"id": "section:d#s1", "doc_id": "d", "heading": "H"},
            },
        ),
        ({"labels": ["Entity", "Ragspine"], "properties": {"id": INJECTION, "name": INJECTION}},),
    ]


def test_a_node_without_a_name_has_none() -> None:
    asked = "MATCH (n:Ragspine {id: $id}) RETURN n.name, coalesce(n.name, n.heading, n.title, '')"
    assert rows(asked, id="b") == [(None, "")]
    assert rows(asked, id="section:d#s1") == [(None, "H")]


def test_names_and_kinds_are_data() -> None:
    asked = "MATCH (n {name: $name})<-[r:MODEL_RELATION {kind: $name}]-(m) RETURN m.id, r.kind"
    assert rows(asked, name=INJECTION) == [("a", INJECTION)]
    assert rows("MATCH ()-[r:MODEL_RELATION]->() RETURN r") == [
        ({"type": "MODEL_RELATION", "properties": {"kind": INJECTION}},)
    ]


def test_values_come_back_as_those_of_json() -> None:
    found = rows(
        "RETURN 1 AS i, 1.5 AS f, true AS t, null AS n, [1, 'a', null] AS l, {k: [1]} AS m,"
        " date('2026-01-31') AS d, datetime('2026-01-31T09:00:00Z') AS dt"
    )
    assert found == [
        (1, 1.5, True, None, [1, "a", None], {"k": [1]}, "2026-01-31", "2026-01-31T09:00:00+00:00")
    ]


def test_a_path_is_its_nodes_and_relationships() -> None:
    ((path,),) = rows("MATCH p = (:Document)-[:PARENT_OF]->() RETURN p")
    section = {"id": "section:d#s1", "doc_id": "d", "heading": "H"}
    assert path == {
        "nodes": [
            {
                "labels": ["Document", "Ragspine"],
                "properties": {"id": "document:d", "title": "", "doc_id": "d"},
            },
            {"labels": ["Section", "Ragspine"], "properties": section},
        ],
        "relationships": [{"type": "PARENT_OF", "properties": {}}],
    }


def test_rows_beyond_the_bound_are_cut_and_that_is_said() -> None:
    query = screen_query("UNWIND range(1, 10) AS x RETURN x")
    whole = ENGINE.run(query, {}, Bounds(max_rows=10))
    cut = ENGINE.run(query, {}, Bounds(max_rows=9))
    assert (len(whole.rows), whole.is_cut) == (10, False)
    assert (len(cut.rows), cut.is_cut) == (9, True)


def test_a_query_whose_time_is_over_is_stopped() -> None:
    endless = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(a + b)"
    with pytest.raises(CypherError, match=r"was stopped after 0\.05 s"):
        rows(endless, Bounds(timeout_s=0.05))


@pytest.mark.parametrize(
    "query", ["RETURN count(", "MATCH (n RETURN n", "RETURN 1 / 0 AS x", "RETURN n"]
)
def test_what_the_engine_cannot_run_is_an_error_of_one_line(query: str) -> None:
    with pytest.raises(CypherError, match=r"^the engine does not run the query: [^\n]+$"):
        rows(query)


def test_threads_share_it() -> None:
    found: list[int] = []

    def ask() -> None:
        found.extend(len(rows("MATCH (n:Ragspine) RETURN n.id")) for _ in range(20))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [5] * 80


# --- nothing but the graph ----------------------------------------------------------------------

CANARY = "canaryquartz"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "secret.csv"
    file.write_text(f"{CANARY}\n", encoding="utf-8")
    return file


def unscreened(text: str) -> AdHocQuery:
    """What no code of ours can make, to see what the engine would do with it."""
    query = screen_query("RETURN 1")
    object.__setattr__(query, "text", text)
    return query


def test_left_to_itself_the_engine_does_load_files(file: Path) -> None:
    """The reason for the screening; once it fails, the engine has become safer."""
    for query in ("LOAD CSV FROM '{}' AS r RETURN r", "`LOAD` CSV FROM '{}' AS r RETURN r"):
        found = ENGINE.run(unscreened(query.format(f"file://{file}")), {}, Bounds())
        assert found.rows == (([CANARY],),)


def told(query: str, values: Mapping[str, object]) -> str:
    """All that a query says: its rows or its error."""
    try:
        return repr(ENGINE.run(screen_query(query), values, Bounds(timeout_s=1)).rows)
    except CypherError as error:
        return repr(error)


DISGUISED = [
    "RETURN 'a\\' AS x LOAD CSV FROM 'f' AS row RETURN row //'",
    "RETURN 'a\\\\' AS x, 'LOAD CSV FROM ' + 'f' AS row",
    "RETURN \"LOAD CSV FROM 'f' AS row RETURN row\" AS x",
    "RETURN 'x' /* ' LOAD CSV FROM 'f' AS row RETURN row // */ AS x",
    "MATCH (load) RETURN load.csv",
    "RETURN {load: 'csv'} AS x",
]


@pytest.mark.parametrize("query", [*LOADS, *DISGUISED])
@pytest.mark.parametrize("form", ["{}", "file://{}", "file:{}"])
def test_no_spelling_of_it_reads_a_file(query: str, form: str, file: Path) -> None:
    named = re.sub(r"'f'|'file:///etc/passwd'", f"'{form.format(file)}'", query)
    assert CANARY not in told(named, {})


@pytest.mark.parametrize(
    "query", ["CREATE (n:X)", "MATCH (n) SET n.x = 1", "MATCH (n) DETACH DELETE n", "DROP INDEX x"]
)
def test_it_is_frozen_besides(query: str) -> None:
    with pytest.raises(CypherError):
        ENGINE.run(unscreened(query), {}, Bounds())
    assert rows("MATCH (n:Ragspine) RETURN count(n)") == [(5,)]


fragments = st.sampled_from(
    [
        *(
            "LOAD",
            "CSV",
            "load csv",
            "`LOAD`",
            "LOAD CSV FROM $f AS r",
            "RETURN r",
            "UNION",
            "CALL {",
        ),
        *("}", "MATCH (n)", "RETURN 1 AS r", "WITH 1 AS r", "/*", "*/", "//", "\n", "'", '"', "`"),
        *("\\", "\\u0027", "$f", "FOR VALID_TIME ALL", "EXPLAIN", "FOREACH (x IN [1] |", ")", ";"),
    ]
)


@settings(max_examples=settings().max_examples * 3)
@given(st.lists(fragments, max_size=10).map(" ".join))
def test_no_mixture_of_fragments_reads_a_file(
    tmp_path_factory: pytest.TempPathFactory, query: str
) -> None:
    file = tmp_path_factory.getbasetemp() / "secret.csv"
    file.write_text(f"{CANARY}\n", encoding="utf-8")
    assert CANARY not in told(query, {"f": f"file://{file}"})


shown = st.text(st.characters(exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp")), max_size=20)


@given(shown)
def test_the_engine_reads_a_literal_as_the_screening_did(text: str) -> None:
    for quote in "'\"":
        literal = text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
        try:
            screened = screen_query(f"RETURN {quote}{literal}{quote} AS x")
        except CypherError:
            assert re.search(r"\\[uU]", text)
            continue
        assert screened.strings == (text,)
        assert ENGINE.run(screened, {}, Bounds()).rows == ((text,),)
