"""What only the SQLite store has of the relation graph: tables, triggers, statements, migration."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ragspine_store.relation_protocols import EdgeFilter
from ragspine_store.relations import (
    Address,
    Answer,
    AnswerKey,
    Evidence,
    NodeType,
    Provenance,
    Verdict,
)
from ragspine_store.sensitivity import Reader
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.sqlite_store.relations import references
from ragspine_store.sqlite_store.scope import reader_values
from ragspine_store.testing import Part, make_document
from ragspine_store.testing.base import put
from ragspine_store.testing.relations import (
    at,
    entity,
    mention,
    parent,
    proposed,
    put_model,
    put_profile,
    put_rules,
    read_edges,
    refer,
    section,
    unlisted,
)
from ragspine_store.testing.vectors import embedded, near
from tests.backends import SQLiteBackend, statements_of

PARTS = (Part("One", ("tea", "milk")), Part("Two", ("rice",)))


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[SQLiteBackend]:
    backend = SQLiteBackend(tmp_path / "store.db", "stub")
    yield backend
    backend.close()


@pytest.fixture
def store(backend: SQLiteBackend) -> ChunkStore:
    return backend.open_store()


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return list(db.iterdump())


def make_schema_2(path: Path) -> None:
    """Take from a store what schemas 3 and 4 added."""
    with closing(sqlite3.connect(path)) as db, db:
        for kind, name in db.execute(
            "SELECT type, name FROM sqlite_master"
            " WHERE type IN ('table', 'trigger') AND name GLOB '*vector_*'"
        ).fetchall():
            db.execute(f"DROP {kind} {name}")
        for kind, name in db.execute(
            "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'trigger')"
            " AND tbl_name GLOB 'relation_*' OR tbl_name IN ('model_answer', 'verdict_log')"
            " AND type = 'table' ORDER BY type DESC"
        ).fetchall():
            db.execute(f"DROP {kind} {name}")
        db.execute("UPDATE store_meta SET value = '2' WHERE key = 'schema'")


def test_a_store_of_schema_2_opens_keeps_what_it_has_and_holds_relations(
    backend: SQLiteBackend, store: ChunkStore
) -> None:
    put(store, make_document("a.md", *PARTS))
    with backend.raw() as db:
        db.execute("UPDATE document SET is_stated = 1")
    fresh = dump(backend.path)
    store.close()
    make_schema_2(backend.path)
    assert not any("relation_edge" in line for line in dump(backend.path))
    migrated = backend.open_store()
    assert sorted(dump(backend.path)) == sorted(fresh)
    migrated.init_schema()
    assert sorted(dump(backend.path)) == sorted(fresh)
    assert put_rules(backend, migrated, "a.md", mention(entity("acme"), at("a.md")))
    assert len(read_edges(migrated)) == 1
    put(migrated, embedded(make_document("b.md", *PARTS)))
    assert len(near(migrated, "tea")) == 3


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE verdict_log SET note = 'other'",
        "DELETE FROM verdict_log",
        "INSERT OR REPLACE INTO verdict_log SELECT * FROM verdict_log",
        "REPLACE INTO verdict_log SELECT no, edge, document, 'verified', reviewer, note, at,"
        " evidence FROM verdict_log",
    ],
)
def test_the_verdict_log_is_append_only(
    backend: SQLiteBackend, store: ChunkStore, statement: str
) -> None:
    put(store, make_document("a.md", *PARTS))
    found = proposed(entity("acme"), "pays", unlisted("x"), at("a.md"))
    put_model(backend, store, "a.md", 0, found)
    with store.writing() as transaction:
        transaction.record_verdict(
            found.key.edge_id, Verdict.REJECTED, reviewer="Kim", note="wrong"
        )
    with backend.raw() as db, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        db.execute(statement)
    with store.reading() as transaction:
        (entry,) = transaction.verdict_log(None)
    assert (entry.verdict, entry.note) == (Verdict.REJECTED, "wrong")


def test_the_log_holds_no_name_and_no_id(backend: SQLiteBackend, store: ChunkStore) -> None:
    put(store, make_document("secret-plan.md", *PARTS))
    found = proposed(entity("acme"), "pays", unlisted("zaphod"), at("secret-plan.md"))
    put_model(backend, store, "secret-plan.md", 0, found)
    with store.writing() as transaction:
        transaction.record_verdict(found.key.edge_id, Verdict.VERIFIED, reviewer="Kim", note="")
    with backend.raw() as db:
        (row,) = db.execute("SELECT * FROM verdict_log").fetchall()
    for word in ("secret-plan", "zaphod", "acme", "pays", found.key.edge_id):
        assert word not in repr(row)


@pytest.mark.parametrize(
    "delete",
    [
        "DELETE FROM relation_evidence",
        "DELETE FROM relation_evidence WHERE edge IS NULL",
    ],
)
def test_nothing_outlives_its_evidence(
    backend: SQLiteBackend, store: ChunkStore, delete: str
) -> None:
    put(store, make_document("a.md", *PARTS))
    put_profile(backend, store, parent(entity("acme", "Acme"), entity("beta", "Beta")))
    put_rules(
        backend,
        store,
        "a.md",
        mention(entity("acme", "Acme"), at("a.md")),
        references=[refer(section("a.md", 2), "article 1", at("a.md", 2))],
    )
    with backend.raw() as db:
        db.execute(delete)
    left = {n: c for n, c in backend.totals().items() if n.startswith("relation_") and c}
    if delete.endswith("NULL"):
        assert left == {
            "relation_document": 1,
            "relation_node": 3,
            "relation_edge": 2,
            "relation_evidence": 2,
        }
    else:
        assert left == {"relation_document": 1}


def test_the_same_relations_written_again_leave_the_same_rows(
    backend: SQLiteBackend, store: ChunkStore
) -> None:
    put(store, make_document("a.md", *PARTS))

    def write() -> dict[str, int]:
        put_profile(backend, store, parent(entity("acme", "Acme"), entity("beta")))
        put_rules(
            backend,
            store,
            "a.md",
            mention(entity("acme"), at("a.md")),
            titles=["law"],
            addresses=[Address("article 1", section("a.md", 1))],
            references=[refer(section("a.md", 2), "article 1", at("a.md", 2))],
        )
        put_model(
            backend, store, "a.md", 0, proposed(entity("acme"), "pays", unlisted("x"), at("a.md"))
        )
        return dict(backend.totals())

    first, edges_before = write(), read_edges(store)
    assert write() == first
    assert read_edges(store) == edges_before


def test_an_ingest_without_relations_asks_for_them_once(store: ChunkStore) -> None:
    put(store, make_document("a.md", *PARTS))

    def again() -> None:
        with store.writing() as transaction:
            transaction.put(make_document("a.md", *PARTS))

    asked = [s for s in statements_of(store, again) if "relation_" in s or "model_answer" in s]
    assert len(asked) == 1


def test_writing_costs_the_same_number_of_statements_for_each_kind_of_row(
    backend: SQLiteBackend, store: ChunkStore
) -> None:
    put(store, make_document("a.md", *PARTS), make_document("b.md", *PARTS))

    def write(doc_id: str, size: int) -> list[str]:
        found = [mention(entity(f"e{no}"), at(doc_id)) for no in range(size)]
        statements = statements_of(store, lambda: put_rules(backend, store, doc_id, *found))
        # One for each row of an executemany.
        return list(dict.fromkeys(s.split("VALUES")[0] for s in statements))

    assert len(write("a.md", 1)) == len(write("b.md", 50))


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (EdgeFilter(Reader(), nodes=["entity:acme"]), "ix_relation_edge_source"),
        (EdgeFilter(Reader(), ids=["e1"]), "ix_relation_edge_id"),
        (EdgeFilter(Reader(), doc_ids=["a.md"]), "ix_relation_evidence_doc"),
        (EdgeFilter(Reader(), limit=3), "ux_relation_edge"),
        (
            EdgeFilter(
                Reader(), verdicts=[Verdict.VERIFIED], provenances=tuple(Provenance), limit=3
            ),
            "ux_relation_edge",
        ),
    ],
    ids=["nodes", "ids", "documents", "page", "page of what is trusted"],
)
def test_edges_are_looked_for_by_an_index(
    store: ChunkStore, wanted: EdgeFilter, index: str
) -> None:
    with store.reading() as transaction:
        statement, *_ = statements_of(store, lambda: transaction.edges(wanted))
    plan = store._connection._db.execute("EXPLAIN QUERY PLAN " + statement).fetchall()
    steps = [step[-1] for step in plan]
    assert any(index in step for step in steps)
    assert not any(
        step.startswith("SCAN") and "relation" in step and index not in step for step in steps
    )


def test_references_of_a_node_are_looked_for_by_an_index(store: ChunkStore) -> None:
    values = {"nodes": "[]", "doc_ids": "[]", "source": "", "before": None}
    statement = references._WANTED + references._AT_NODES + references._SEEN_REFERENCES
    plan = store._connection._db.execute(
        "EXPLAIN QUERY PLAN " + statement, {**values, **reader_values(Reader())}
    ).fetchall()
    tables = ("relation_reference", "relation_address", "relation_title", "relation_document")
    scans = [step[-1] for step in plan if step[-1].startswith("SCAN")]
    assert not [scan for scan in scans if any(table in scan for table in tables)]


def looks(store: ChunkStore) -> list[str]:
    """The labels that are looked at from now on."""
    looked: list[str] = []

    def look(label: str) -> int:
        looked.append(label)
        return 1

    store._connection._db.create_function("label_level", 1, look, deterministic=True)
    return looked


def test_a_models_answer_costs_the_same_in_a_long_document(
    backend: SQLiteBackend, store: ChunkStore
) -> None:
    put(store, make_document("a.md", Part("One", ("tea",) * 500)))
    looked = looks(store)
    found = proposed(entity("acme"), "pays", unlisted("x"), at("a.md", 400))
    assert put_model(backend, store, "a.md", 400, found, version=1)
    with store.writing() as transaction:
        assert transaction.put_answer(AnswerKey("m", "p", "h"), "a.md", 400, 1, Answer("{}"))
    assert len(looked) < 10


def test_a_place_is_looked_at_once_however_many_edges_stand_in_it(
    backend: SQLiteBackend, store: ChunkStore
) -> None:
    put(store, make_document("a.md", *PARTS))
    whole = at("a.md", 0, 2)
    put_rules(backend, store, "a.md", *(mention(entity(f"e{n}"), whole) for n in range(20)))
    looked = looks(store)
    assert len(read_edges(store)) == 20
    # Once for each of three children, and for the document of each piece and end.
    assert len(looked) < 3 * 20


def test_evidence_without_children_stands_in_those_its_span_shares_text_with(
    backend: SQLiteBackend, store: ChunkStore
) -> None:
    document = make_document("a.md", *PARTS)
    put(store, document)
    span = document.chunks[1].span
    found = mention(entity("acme"), Evidence("a.md", "a.md#para2", None, span))
    put_rules(backend, store, "a.md", found)
    ((edge,),) = [read_edges(store)]
    assert edge.evidence[0].evidence.chunks == (1, 1)
    assert edge.key.provenance is Provenance.CONTROLLED
    assert edge.source.node.type is NodeType.DOCUMENT
