"""What a server makes necessary for copies: few round trips, batches, plans that scan nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragspine_store.copying import copy_store
from ragspine_store.kept import KeptRelations, KeptStub
from ragspine_store.neo4j_store import Neo4jStore, rows
from ragspine_store.neo4j_store.copying import reading
from ragspine_store.queries import NamedQuery, queries_of
from ragspine_store.relations import Node, NodeType
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.testing import Part, make_document
from ragspine_store.testing.base import put
from ragspine_store.testing.copies import fill_store, read_kept
from ragspine_store.testing.relations import at, mention, put_rules
from tests.backends import Neo4jBackend, SQLiteBackend, fresh_backend
from tests.neo4j_server import Server
from tests.unit.test_neo4j_store import operators_of

WHOLE_STORE = {
    *("kept_document_ids", "read_kept_profile", "clear_labels", "forget_missing_documents"),
    *("read_lowered", "read_verdict_entries", "append_verdicts"),
}


@pytest.fixture
def backend(neo4j_lts: Server) -> Iterator[Neo4jBackend]:
    yield from fresh_backend(neo4j_lts, "stub")


@pytest.fixture
def store(backend: Neo4jBackend) -> Neo4jStore:
    return backend.open_store()


@pytest.fixture
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SQLiteBackend]:
    backend = SQLiteBackend(tmp_path_factory.mktemp("file") / "store.db", "stub")
    yield backend
    backend.close()


def fill_file(file: SQLiteBackend, number: int) -> ChunkStore:
    """A store of one document with so many sections, and as many of all that the graph keeps."""
    store = file.open_store()
    put(store, make_document("a.md", *(Part(f"S{n}", ("tea",) * 5) for n in range(number))))
    mentions = [mention(Node(NodeType.ENTITY, f"e{n}"), at("a.md", n)) for n in range(number)]
    put_rules(file, store, "a.md", *mentions, titles=[f"title {n}" for n in range(number)])
    return store


@pytest.mark.parametrize("number", [2, 40])
def test_a_document_is_copied_in_as_many_queries_whatever_it_holds(
    backend: Neo4jBackend, store: Neo4jStore, file: SQLiteBackend, number: int
) -> None:
    kept = read_kept(fill_file(file, number))
    with store.writing() as transaction:
        writer = transaction.kept
        assert backend.statements(store, lambda: writer.write_document(kept.documents[0])) == 7
        assert backend.statements(store, lambda: writer.write_relations(kept.relations[0])) == 7
    with store.reading() as transaction:
        reader = transaction.kept
        assert backend.statements(store, lambda: reader.document("a.md")) == 1
        assert backend.statements(store, lambda: reader.relations("a.md")) == 1
    assert read_kept(store).relations == kept.relations
    assert read_kept(store).documents == kept.documents


def test_rows_go_to_the_server_in_batches(
    backend: Neo4jBackend, store: Neo4jStore, file: SQLiteBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = file.open_store()
    fill_store(file, one)
    with one.writing() as transaction:
        hashes = [KeptStub(f"{n:064x}", "", "", "", (), "RESTRICTED", "", True) for n in range(7)]
        transaction.kept.write_stubs(hashes)
    monkeypatch.setattr(rows, "BATCH_ROWS", 2)
    monkeypatch.setattr(reading, "BATCH_ROWS", 2)
    key = file.path.with_name("store.db.key").read_text(encoding="ascii")
    with Neo4jStore(
        backend.server.uri,
        username=backend.server.username,
        password=backend.server.password,
        stub_key=key.encode(),
    ) as keyed:
        assert copy_store(one, keyed, source_name="a file").is_equal
        assert read_kept(keyed) == read_kept(one)


def test_nothing_is_written_for_a_document_that_the_graph_keeps_nothing_of(
    backend: Neo4jBackend, store: Neo4jStore
) -> None:
    put(store, make_document("a.md", Part("Tea", ("tea",))))
    with store.writing() as transaction:
        writer = transaction.kept
        empty = KeptRelations("a.md")
        assert backend.statements(store, lambda: writer.write_relations(empty)) == 0


@pytest.mark.parametrize("query", queries_of("copying"), ids=lambda query: query.definition.name)
def test_a_plan_made_while_the_store_is_empty_scans_nothing(
    store: Neo4jStore, neo4j_lts: Server, query: NamedQuery
) -> None:
    values = {parameter.name: None for parameter in query.definition.parameters}
    with neo4j_lts.session() as session:
        operators = operators_of(session.run("EXPLAIN " + query.text, values).consume())
    scans = {name for name in operators if "Scan" in name}
    assert bool(scans) == (query.definition.name in WHOLE_STORE)
    assert not scans & {"AllNodesScan", "NodeIndexScan"}
