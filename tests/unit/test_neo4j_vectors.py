"""Vectors on a server: round trips, and an index that may only be looked into so far."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragspine_store.neo4j_store import Neo4jStore, nearest, vectors
from ragspine_store.protocols import Scope
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.testing import Part, make_document
from ragspine_store.testing.base import put
from ragspine_store.testing.vectors import CHILD, MODEL, OTHER, PARENT, embed, embedded, near
from ragspine_store.vectors import VectorKind
from tests.backends import Neo4jBackend, fresh_backend
from tests.neo4j_server import Server

PAIR = Part("Pair", ("tea one", "tea two"))


@pytest.fixture(params=["neo4j_lts", "neo4j_calver"])
def backend(request: pytest.FixtureRequest) -> Iterator[Neo4jBackend]:
    server: Server = request.getfixturevalue(request.param)
    yield from fresh_backend(server, "stub")


@pytest.fixture
def store(backend: Neo4jBackend) -> Neo4jStore:
    return backend.open_store()


@pytest.fixture
def small_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is asked for few, so that a small store is large to it."""
    monkeypatch.setattr(nearest, "_LOOK", 8)
    monkeypatch.setattr(nearest, "_LOOK_NARROWED", 8)
    monkeypatch.setattr(nearest, "_SCORED", 8)


def search(store: Neo4jStore, kind: VectorKind, k: int, reader: Reader | None = None) -> int:
    with store.reading() as transaction:
        scope = Scope(reader or Reader())
        return len(transaction.nearest(MODEL, embed("line 3 of 4"), kind, scope, k))


def fill(store: Neo4jStore, label: Sensitivity = Sensitivity.INTERNAL) -> None:
    """Write forty documents of two children in one parent."""
    for no in range(40):
        lines = tuple(f"line {n} of {no}" for n in range(2))
        document = make_document(f"{label.name}{no:02}.md", Part("h", lines), label=label)
        put(store, embedded(document, MODEL, OTHER))


def test_the_nearest_come_in_one_query(backend: Neo4jBackend, store: Neo4jStore) -> None:
    fill(store)
    for kind in (CHILD, PARENT):
        assert backend.statements(store, lambda kind=kind: search(store, kind, 5)) == 1
    assert (
        backend.statements(store, lambda: search(store, CHILD, 5, Reader(Sensitivity.PUBLIC))) == 1
    )


@pytest.mark.usefixtures("small_look")
def test_the_index_gives_what_a_comparison_with_all_gives(
    store: Neo4jStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    for kind, most in ((CHILD, 2), (PARENT, 4)):
        for question in ("line 1 of 7", "tea"):
            by_index = near(store, question, kind=kind, k=2)
            with monkeypatch.context() as whole:
                whole.setattr(nearest, "_LOOK", 1_000)
                assert by_index == near(store, question, kind=kind, k=2)
            assert len(by_index) == most


@pytest.mark.guarantee("G2")
@pytest.mark.usefixtures("small_look")
def test_what_fills_the_index_takes_no_slot(backend: Neo4jBackend, store: Neo4jStore) -> None:
    fill(store, Sensitivity.CONFIDENTIAL)
    put(store, embedded(make_document("open.md", PAIR)))
    low = Reader(Sensitivity.INTERNAL)
    for kind in (CHILD, PARENT):
        found = near(store, "line 1 of 7", kind=kind, k=2, reader=low)
        assert set(found) == {"open.md#c0", "open.md#c1"}
        assert backend.statements(store, lambda kind=kind: search(store, kind, 2, low)) == 2


def test_many_vectors_are_written_in_batches(
    store: Neo4jStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_BATCH_NUMBERS", 9)
    lines = tuple(f"line {n}" for n in range(7))
    put(store, embedded(make_document("a.md", Part("h", lines))))
    assert len(near(store, "line 1", kind=PARENT)) == len(near(store, "line 1")) == 7


def test_nothing_of_a_document_is_left_beside_it(backend: Neo4jBackend, store: Neo4jStore) -> None:
    put(store, embedded(make_document("a.md", PAIR), MODEL, OTHER))
    assert backend.totals()["RagspineVector"] == 6
    put(store, embedded(make_document("a.md", PAIR)))
    assert backend.totals()["RagspineVector"] == 3
    with store.writing() as transaction:
        transaction.delete("a.md")
    assert "RagspineVector" not in backend.totals()
