"""What stands on a server of the relation graph, as people who explore it find it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragspine_store.neo4j_store import Neo4jStore
from ragspine_store.relations import Address, Verdict
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.testing import make_document
from ragspine_store.testing.base import put
from ragspine_store.testing.relations import (
    ACME,
    CONFIDENTIAL,
    LEAVE,
    PAY,
    RESTRICTED,
    at,
    fact,
    fill,
    judge,
    mention,
    pays,
    put_model,
    put_profile,
    put_rules,
    refer,
    section,
)
from tests.backends import Neo4jBackend, fresh_backend
from tests.conftest import AtRest
from tests.neo4j_server import Server


@pytest.fixture
def backend(neo4j_lts: Server, at_rest: AtRest) -> Iterator[Neo4jBackend]:
    yield from fresh_backend(neo4j_lts, at_rest)


@pytest.fixture
def store(backend: Neo4jBackend) -> Neo4jStore:
    return backend.open_store()


def clearances(backend: Neo4jBackend) -> dict[str, set[tuple[int, str | None]]]:
    """Who may see the places of each kind, the references and the terms."""
    rows = backend.raw(
        "MATCH (:Ragspine)-[r]->(:Ragspine) WHERE r.edge_id IS NOT NULL"
        " RETURN r.kind AS kind, r.clearance AS clearance, r.collection AS collection"
        " UNION ALL MATCH (n:Reference|Entity) WHERE n.doc_id IS NOT NULL"
        " RETURN split(n.id, ':')[0] AS kind, n.clearance AS clearance, n.collection AS collection"
    )
    found: dict[str, set[tuple[int, str | None]]] = {}
    for row in rows:
        found.setdefault(row["kind"], set()).add((row["clearance"], row["collection"]))
    return found


def test_each_change_of_a_label_is_shown_at_what_was_made_of_the_document(
    backend: Neo4jBackend, store: Neo4jStore
) -> None:
    put(store, make_document("a.md", PAY, LEAVE))
    fill(backend, store, "a.md")
    put_rules(
        backend,
        store,
        "a.md",
        mention(ACME, at("a.md", 0)),
        addresses=[Address("article 1", section("a.md", 1))],
        references=[refer(section("a.md", 2), "article 1", at("a.md", 2))],
    )
    kinds = {"derives", "mentions", "pays", "reference", "refers_to"}
    assert clearances(backend) == {kind: {(1, "default")} for kind in kinds}
    with store.writing() as transaction:
        transaction.relabel_part("a.md#c1", CONFIDENTIAL)
    assert clearances(backend) == {
        **{kind: {(1, "default")} for kind in kinds},
        "pays": {(2, "default")},
    }
    with store.writing() as transaction:
        transaction.relabel("a.md", CONFIDENTIAL)
    assert clearances(backend) == {kind: {(2, "default")} for kind in kinds}
    put(store, make_document("a.md", LEAVE, label=Sensitivity.PUBLIC))
    # The text of what a model found is gone: it keeps the label that the text had.
    assert clearances(backend) == {"derives": {(0, "default")}, "pays": {(2, "default")}}


def test_a_fact_is_nobodys_until_its_document_is_there(
    backend: Neo4jBackend, store: Neo4jStore
) -> None:
    put_profile(backend, store, fact("a.md"))
    assert clearances(backend) == {"derives": {(3, None)}}
    put(store, make_document("a.md", PAY))
    assert clearances(backend) == {"derives": {(1, "default")}}


def test_the_last_verdict_is_shown_at_each_place_of_an_edge(
    backend: Neo4jBackend, store: Neo4jStore
) -> None:
    put(store, make_document("a.md", PAY), make_document("b.md", PAY))
    put_model(backend, store, "a.md", 1, pays())
    judge(store, pays().key.edge_id, Verdict.REJECTED)
    put_model(backend, store, "b.md", 1, pays(doc_id="b.md"))
    rows = backend.raw(
        "MATCH ()-[r:MODEL_RELATION]->()"
        " RETURN r.doc_id AS doc_id, r.derived AS derived, r.verified AS verified,"
        " r.reviewer AS reviewer ORDER BY doc_id"
    )
    assert [tuple(row) for row in rows] == [
        ("a.md", "model-derived", "rejected", "Kim"),
        ("b.md", "model-derived", "rejected", "Kim"),
    ]


@pytest.mark.parametrize("node_id", ["a.md", "a.md#s1", "a.md#c1"])
def test_no_property_keeps_the_words_of_what_became_restricted(
    backend: Neo4jBackend, store: Neo4jStore, node_id: str
) -> None:
    put(store, make_document("a.md", PAY, LEAVE))
    fill(backend, store, "a.md")
    words = "Acme pays Gamma"
    keeping = (
        "MATCH (n:Ragspine) WHERE NOT (n:Child OR n:Text)"
        " UNWIND keys(n) AS key WITH n, n[key] AS value"
        " WHERE toStringOrNull(value) CONTAINS $words RETURN labels(n) AS where"
        " UNION ALL MATCH (:Ragspine)-[r]->() UNWIND keys(r) AS key WITH r, r[key] AS value"
        " WHERE toStringOrNull(value) CONTAINS $words RETURN [type(r)] AS where"
    )
    assert backend.raw(keeping, words=words)
    with store.writing() as transaction:
        if "#" in node_id:
            transaction.relabel_part(node_id, RESTRICTED)
        else:
            transaction.relabel(node_id, RESTRICTED)
    assert backend.raw(keeping, words=words) == []


def test_links_of_references_follow_each_change_of_what_answers_them(
    backend: Neo4jBackend, store: Neo4jStore
) -> None:
    def links() -> list[tuple[str, list[int] | None]]:
        rows = backend.raw(
            "MATCH ()-[r:REFERS_TO]->(t)"
            " RETURN t.id AS target, r.before_clearances AS before ORDER BY target"
        )
        return [(row["target"], row["before"]) for row in rows]

    put(store, make_document("a.md", PAY, LEAVE))
    cited = [refer(section("a.md", 2), "article 1", at("a.md", 2), "law")]
    put_rules(backend, store, "a.md", references=cited)
    assert links() == []
    for doc_id, label in (("b.md", CONFIDENTIAL), ("c.md", Sensitivity.INTERNAL)):
        put(store, make_document(doc_id, PAY, label=label))
        part = Address("article 1", section(doc_id, 1))
        put_rules(backend, store, doc_id, titles=["law"], addresses=[part])
    both = [("section:b.md#s1", None), ("section:c.md#s1", [2])]
    assert links() == both
    with store.writing() as transaction:
        transaction.relabel("b.md", Sensitivity.INTERNAL)
    assert links() == both[:1]
    with store.writing() as transaction:
        transaction.delete("b.md")
    assert links() == [("section:c.md#s1", None)]
    put(store, make_document("c.md", LEAVE))
    assert links() == []
