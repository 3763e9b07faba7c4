"""Connections to a server: refused, lost, shared with an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing

import pytest

from ragspine_store.errors import StoreFormatError, StoreUnavailableError
from ragspine_store.neo4j_store import Neo4jStore
from ragspine_store.records import PreparedDocument
from ragspine_store.testing import Part, make_document
from ragspine_store.testing.base import found, put
from tests.backends import Neo4jBackend, fresh_backend
from tests.neo4j_server import Server
from tests.wire import Wire

PAY = Part("Pay", ("The salary is paid monthly.",))


@pytest.fixture
def backend(neo4j_lts: Server) -> Iterator[Neo4jBackend]:
    yield from fresh_backend(neo4j_lts, "stub")


@pytest.fixture
def store(backend: Neo4jBackend) -> Neo4jStore:
    return backend.open_store()


@pytest.mark.parametrize("uri", ["bolt://127.0.0.1:1", "nonsense", "bolt://", "ftp://127.0.0.1"])
def test_an_address_where_no_server_answers_is_told(uri: str) -> None:
    with pytest.raises(StoreUnavailableError, match="expected"), Neo4jStore(uri) as store:
        store.init_schema()


def test_wrong_credentials_are_told_without_repeating_them(neo4j_lts: Server) -> None:
    with (
        pytest.raises(StoreUnavailableError, match="NEO4J_USERNAME") as caught,
        Neo4jStore(neo4j_lts.uri, username="neo4j", password="wrong horse") as store,
    ):
        store.init_schema()
    assert "wrong horse" not in str(caught.value)


@pytest.mark.parametrize(
    ("database", "message"),
    [
        ("system", "a database for data, which `system` is not.* set NEO4J_DATABASE"),
        ("nowhere", "no database of that name.* set NEO4J_DATABASE"),
    ],
)
def test_a_database_that_holds_no_data_is_told(
    neo4j_lts: Server, database: str, message: str
) -> None:
    with Neo4jStore(
        neo4j_lts.uri,
        username=neo4j_lts.username,
        password=neo4j_lts.password,
        database=database,
    ) as store:
        for call in (store.exists, store.init_schema):
            with pytest.raises(StoreUnavailableError, match=message):
                call()


def test_a_constraint_of_others_that_stands_in_the_way_is_told(
    backend: Neo4jBackend, store: Neo4jStore
) -> None:
    backend.raw("CREATE CONSTRAINT others FOR (d:Document) REQUIRE d.id IS UNIQUE")
    backend.raw("CREATE (:Document {id: 'document:a.md'})")
    try:
        with pytest.raises(StoreFormatError, match=r"drop the constraint, or set NEO4J_DATABASE"):
            put(store, make_document("a.md", PAY))
        assert found(store, "salary") == []
        put(store, make_document("b.md", PAY))
        assert found(store, "salary") == ["b.md#c0"]
    finally:
        backend.raw("DROP CONSTRAINT others")
        backend.raw("MATCH (d:Document) WHERE NOT d:Ragspine DELETE d")


def put_while_cut(
    store: Neo4jStore, document: PreparedDocument, wire: Wire, *, cut_first: bool
) -> None:
    with store.writing() as writer:
        if cut_first:
            wire.cut()
        writer.put(document)
        wire.cut()


@pytest.mark.guarantee("G10")
def test_a_connection_lost_in_the_middle_leaves_nothing_and_running_again_completes(
    neo4j_lts: Server, backend: Neo4jBackend, store: Neo4jStore
) -> None:
    put(store, make_document("a.md", PAY))
    totals = backend.totals()
    changed = make_document("a.md", Part("Leave", ("Twenty days of vacation.",)))
    with (
        closing(Wire(neo4j_lts)) as wire,
        Neo4jStore(wire.uri, username=neo4j_lts.username, password=neo4j_lts.password) as away,
    ):
        for cut_first in (True, False):
            with pytest.raises(StoreUnavailableError, match="run the same again"):
                put_while_cut(away, changed, wire, cut_first=cut_first)
            assert backend.totals() == totals
            assert found(store, "salary vacation") == ["a.md#c0"]
        with away.writing() as writer:
            writer.put(changed)
    assert found(store, "salary") == []
    assert found(store, "vacation") == ["a.md#c0"]


def test_a_running_event_loop_does_not_hinder_a_call(store: Neo4jStore) -> None:
    put(store, make_document("a.md", PAY))

    async def ask() -> list[str]:
        here = found(store, "salary")
        assert await asyncio.to_thread(found, store, "salary") == here
        return here

    assert asyncio.run(ask()) == ["a.md#c0"]
