"""What stands in `cypher/`, on real servers of both lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import LiteralString, NamedTuple

import pytest
from neo4j import Session
from neo4j.exceptions import ConstraintError

from ragspine_store.queries import Mode, NamedQuery, get_query, load_queries, queries_of
from tests.neo4j_server import Server

QUERIES = list(load_queries().values())


class Planner(NamedTuple):
    """A session that only plans, and what has to stand before a query for that."""

    session: Session
    prefix: LiteralString


@pytest.fixture(scope="module", params=["neo4j_lts", "neo4j_calver"])
def planner(request: pytest.FixtureRequest) -> Iterator[Planner]:
    """Each line plans for one version of the language, the newer line for the one to come."""
    server: Server = request.getfixturevalue(request.param)
    language = "CYPHER 5 " if server.version.startswith("5.") else "CYPHER 25 "
    with server.session() as session:
        yield Planner(session, f"EXPLAIN {language}")


@pytest.fixture
def session(neo4j_server: Server) -> Iterator[Session]:
    """A session on an empty store, its schema in place."""
    with neo4j_server.session() as session:
        apply_schema(session)
        yield session


def apply_schema(session: Session) -> int:
    """Apply all of it; how many constraints and indexes that adds."""
    added = 0
    for query in queries_of("schema"):
        counters = session.run(query.text).consume().counters
        added += counters.constraints_added + counters.indexes_added
    session.run("CALL db.awaitIndexes()").consume()
    return added


def search(session: Session, words: str) -> list[str]:
    rows = session.run(
        "CALL db.index.fulltext.queryNodes('ragspine_tokens', $words) YIELD node, score"
        " RETURN node.id AS id ORDER BY score DESC, id",
        words=words,
    )
    return [row["id"] for row in rows]


# --- every query ------------------------------------------------------------------------------


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.definition.name)
def test_a_query_is_planned_as_it_is_declared(query: NamedQuery, planner: Planner) -> None:
    explained = planner.session.run(planner.prefix + query.text)
    assert tuple(explained.keys()) == query.definition.returns
    kind = explained.consume().query_type
    assert (kind == "r") == (query.definition.mode is Mode.READ)


def test_facts_about_the_store_are_kept_one_by_one(session: Session) -> None:
    def find(key: str) -> list[str]:
        query = get_query("find_meta")
        return [row["value"] for row in session.run(query.text, query.bind({"key": key}))]

    query = get_query("set_meta")
    for value in ("1", "2"):
        session.run(query.text, query.bind({"key": "schema", "value": value})).consume()
    assert find("schema") == ["2"]
    assert find("tokenizer") == []


# --- the schema -------------------------------------------------------------------------------


def test_applying_the_schema_again_changes_nothing(session: Session) -> None:
    assert apply_schema(session) == 0


def test_no_two_nodes_of_ours_have_the_same_id(session: Session) -> None:
    session.run("CREATE (:Ragspine:Document {id: 'document:a'})").consume()
    with pytest.raises(ConstraintError):
        session.run("CREATE (:Ragspine:Entity {id: 'document:a'})").consume()


def test_nodes_of_other_people_are_under_no_constraint_and_in_no_index(session: Session) -> None:
    transaction = session.begin_transaction()
    transaction.run("UNWIND [1, 2] AS i CREATE (:Document:Child {id: 'document:a', tok: 'tea'})")
    counted = transaction.run("MATCH (n:Child {tok: 'tea'}) RETURN count(n)").single(strict=True)
    assert counted.value() == 2
    transaction.rollback()
    indexes = session.run(
        "SHOW INDEXES YIELD name, entityType, labelsOrTypes AS labels"
        " WHERE name STARTS WITH 'ragspine' AND entityType = 'NODE'"
    )
    labels = {label for index in indexes for label in index["labels"]}
    assert {"Ragspine", "RagspineSearchable"} <= labels
    assert all(label.startswith("Ragspine") for label in labels)


def test_tokens_are_parted_at_spaces_alone(session: Session) -> None:
    session.run(
        "UNWIND $rows AS row"
        " CREATE (:Ragspine:Child:RagspineSearchable {id: row.id, tok: row.tok})",
        rows=[
            {"id": "child:a", "tok": "第4 4条 c++ node.js it's"},
            {"id": "child:b", "tok": "第14 14条 the IS"},
        ],
    ).consume()
    session.run("CREATE (:Ragspine:Child {id: 'child:c', tok: '第4 4条'})").consume()
    assert search(session, '"第4"') == ["child:a"]
    assert search(session, '"第4 4条"') == ["child:a"]
    assert search(session, '"c++"') == ["child:a"]
    assert search(session, '"node.js"') == ["child:a"]
    assert search(session, '"node"') == []
    assert search(session, '"the"') == ["child:b"]
    assert search(session, '"is"') == []


def test_an_index_of_vectors_keeps_those_of_each_length_apart(session: Session) -> None:
    session.run(
        "UNWIND $rows AS row CREATE (:Ragspine:RagspineVector {id: row.id, child_vector: row.v})",
        rows=[
            {"id": "vector:a", "v": [1.0, 0.0, 0.0]},
            {"id": "vector:b", "v": [0.0, 1.0, 0.0]},
            {"id": "vector:c", "v": [1.0, 0.0]},
        ],
    ).consume()
    near = (
        "CALL db.index.vector.queryNodes('ragspine_child_vectors', 9, $v) YIELD node"
        " RETURN collect(node.id)"
    )
    for vector, expected in (
        ([0.9, 0.1, 0.0], ["vector:a", "vector:b"]),
        ([0.9, 0.1], ["vector:c"]),
        ([0.9, 0.1, 0.0, 0.0], list[str]()),
    ):
        assert session.run(near, v=vector).single(strict=True).value() == expected


def test_a_clearing_leaves_what_is_not_ours(neo4j_server: Server, session: Session) -> None:
    try:
        session.run("CREATE (:Document {id: 'somebody'})-[:OWNS]->(:Ragspine:Document {id: 'a'})")
        neo4j_server.clear()
        left = session.run("MATCH (n:Document) RETURN n.id").single(strict=True)
        assert left.value() == "somebody"
    finally:
        session.run("MATCH (n:Document {id: 'somebody'}) DETACH DELETE n").consume()
