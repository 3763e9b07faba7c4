"""What a server makes necessary: round trips, batches, lost connections, other people's nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import pytest
from neo4j import Record

from ragspine_store.errors import StoreError, StoreFormatError
from ragspine_store.neo4j_store import Neo4jStore, rows, search
from ragspine_store.protocols import Scope, Store
from ragspine_store.queries import NamedQuery, queries_of
from ragspine_store.query import parse_query
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.testing import Part, make_document
from ragspine_store.testing.base import children_of, found, put
from ragspine_store.testing.vectors import embedded, near
from tests.backends import Neo4jBackend, fresh_backend
from tests.neo4j_server import Server

PAY = Part("Pay", ("The salary is paid monthly.", "The allowance is 20,000円."))
RESTRICTED = Sensitivity.RESTRICTED
VECTOR_INDEXES = ("ragspine_vector_texts", "ragspine_child_vectors", "ragspine_parent_vectors")


@pytest.fixture
def backend(neo4j_lts: Server) -> Iterator[Neo4jBackend]:
    yield from fresh_backend(neo4j_lts, "stub")


@pytest.fixture
def store(backend: Neo4jBackend) -> Neo4jStore:
    return backend.open_store()


def version_of(store: Store, doc_id: str) -> int:
    with store.writing() as transaction:
        state = transaction.find(doc_id)
    return state.version if state else 0


def raise_label(store: Store, doc_id: str) -> None:
    with store.writing() as transaction:
        transaction.relabel(doc_id, RESTRICTED)


def delete(store: Store, doc_id: str) -> None:
    with store.writing() as transaction:
        assert transaction.delete(doc_id)


def ids_of(backend: Neo4jBackend, doc_id: str) -> list[str]:
    """Ids of all nodes of a document, in an order that does not depend on its name."""
    rows = backend.raw(
        "MATCH (n:Ragspine) WHERE n.doc_id = $doc_id"
        " RETURN n.id ORDER BY labels(n), n.hit_key, n.no, n.text_start",
        doc_id=doc_id,
    )
    return [row.value() for row in rows]


# --- round trips ------------------------------------------------------------------------------


def test_hits_their_rows_and_their_windows_come_in_one_query(
    backend: Neo4jBackend, store: Neo4jStore
) -> None:
    put(store, *(make_document(f"{no}.md", PAY, Part("Tea", ("salary",) * 5)) for no in range(9)))

    def retrieve() -> None:
        with store.reading() as transaction:
            hits = transaction.search(parse_query("salary"), Scope(Reader()), 20)
            windows = transaction.windows(transaction.candidates(hits))
            assert (len(hits), len(windows)) == (20, 20)

    assert backend.statements(store, retrieve) == 1


def test_what_a_search_reads_ahead_is_what_is_read_later(store: Neo4jStore) -> None:
    put(store, *(make_document(f"{no}.md", PAY, Part("Tea", ("salary",) * 5)) for no in range(3)))
    with store.writing() as transaction:
        transaction.relabel_part("1.md#s2", Sensitivity.CONFIDENTIAL)
    with store.reading() as transaction:
        hits = transaction.search(parse_query("salary"), Scope(Reader()), 20)
        ahead = transaction.candidates(hits)
        windows = transaction.windows(ahead)
    with store.reading() as transaction:
        assert transaction.candidates(hits) == ahead
        later = transaction.windows(ahead)
    assert {key: (w.text, set(w.labels)) for key, w in windows.items()} == {
        key: (w.text, set(w.labels)) for key, w in later.items()
    }


def test_a_document_takes_as_many_queries_whatever_it_holds(
    backend: Neo4jBackend, store: Neo4jStore
) -> None:
    def queries(doc_id: str, number: int) -> int:
        document = make_document(doc_id, *(Part(f"S{n}", ("tea",) * 5) for n in range(number)))
        return backend.statements(store, lambda: put(store, document))

    assert queries("a.md", 40) == queries("b.md", 2)
    assert queries("a.md", 2) == queries("b.md", 40)


def test_rows_go_to_the_server_in_batches(
    backend: Neo4jBackend, store: Neo4jStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = [make_document("a.md", *(Part(f"S{n}", ("tea", "milk")) for n in range(7)))]
    put(store, *documents)
    whole, text = backend.totals(), [c.chunk.text for c in children_of(store, "a.md")]
    monkeypatch.setattr(rows, "BATCH_ROWS", 3)
    put(store, *documents)
    assert backend.totals() == whole
    assert [c.chunk.text for c in children_of(store, "a.md")] == text
    with store.writing() as transaction:
        transaction.relabel("a.md", Sensitivity.CONFIDENTIAL)
    assert found(store, "milk", reader=Reader(Sensitivity.INTERNAL)) == []
    assert len(found(store, "milk")) == 7


class Planned(Protocol):
    """What is used of a summary, with the type that the driver leaves open."""

    @property
    def plan(self) -> object: ...


def operators_of(summary: Planned) -> list[str]:
    return re.findall(r"'operatorType': '(\w+)", repr(summary.plan))


LEXICAL = ("ingest", "retrieval", "reading", "labels", "stubs", "sources", "transactions", "meta")
WHOLE_STORE = {
    "count_all", "count_visible", "document_labels", "documents_to_index",
    "documents_with_restricted", "find_stub_of_file", "has_children", "has_stubs", "read_meta",
    "read_stubs",
}  # fmt: skip


@pytest.mark.parametrize(
    "query",
    [query for file in LEXICAL for query in queries_of(file)],
    ids=lambda query: query.definition.name,
)
def test_a_plan_made_while_the_store_is_empty_scans_nothing(
    store: Neo4jStore, neo4j_lts: Server, query: NamedQuery
) -> None:
    """A server keeps the plan when the store has grown."""

    with neo4j_lts.session() as session:
        operators = operators_of(session.run("EXPLAIN " + query.text).consume())
    assert operators
    scans = {name for name in operators if "Scan" in name}
    assert bool(scans) == (query.definition.name in WHOLE_STORE)
    assert not scans & {"AllNodesScan", "NodeIndexScan"}


def test_a_search_looks_up_no_more_than_it_gives(store: Neo4jStore, neo4j_lts: Server) -> None:
    """Children come sorted by score; a full sort would look up all that were found."""
    query = next(q for q in queries_of("retrieval") if q.definition.name == "search_children")
    with neo4j_lts.session() as session:
        operators = operators_of(session.run("EXPLAIN " + query.text).consume())
    assert "PartialTop" in operators
    # The other one ranks what was found, and looks nothing up.
    assert operators.count("Top") == 1


# --- search -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "C++", "c#", "a:b", "tok:tea", "tea~", "tea~2", "te?", "te*", "/tea/", "[a TO z]", "{a TO",
        "tea AND milk", "NOT tea", "-tea", "+milk", "(tea", 'tea" OR "milk', "tea^9", "\\tea", "税",
        "手当!", "_exists_:tok", "*:*", "tea && milk", "1.5", "v1.2.3",
    ],
)  # fmt: skip
def test_odd_questions_find_what_the_file_finds(
    store: Neo4jStore, tmp_path: Path, query: str
) -> None:
    part = Part("h", ("tea", "milk", "C++ and c#", "a b", "1.5 v1.2.3", "所得税と手当", "税金"))
    with ChunkStore(tmp_path / "store.db") as file:
        file.init_schema()
        for one in (file, store):
            put(one, make_document("a.md", part, windows=False))
        try:
            expected = set(found(file, query))
        except StoreError as error:
            with pytest.raises(type(error)):
                found(store, query)
        else:
            assert set(found(store, query)) == expected


def test_a_question_of_more_words_than_lucene_takes_is_asked_in_parts(store: Neo4jStore) -> None:
    words = [chr(0x4E00 + 3 * n) + chr(0x4E01 + 3 * n) for n in range(1_300)]
    part = Part("h", (words[5], words[1_250], words[5] + "、" + words[1_250]))
    put(store, make_document("a.md", part))
    question = parse_query("、".join(words))
    assert len(question.terms) > 1_024
    with store.reading() as transaction:
        hits = transaction.search(question, Scope(Reader()), 2)
        candidates = transaction.candidates(hits)
    assert [c.chunk.chunk_id for c in candidates] == ["a.md#c2", "a.md#c0"]


@pytest.mark.parametrize("size", [1, 2, 512])
def test_what_is_asked_in_parts_is_ranked_as_a_whole_and_given_in_slices(
    store: Neo4jStore, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    words = [chr(0x4E00 + 3 * n) + chr(0x4E01 + 3 * n) for n in range(1_300)]
    # The best of the whole is the second of each part.
    parts = [f"{words[5]}、{words[5]}", f"{words[1_250]}、{words[1_250]}"]
    part = Part("h", (*parts, f"{words[5]}、{words[1_250]}", "茶", words[700]))
    put(store, make_document("a.md", part))
    monkeypatch.setattr(search, "_SLICE", size)
    ranked = found(store, "、".join(words))
    assert ranked[0] == "a.md#c2"
    assert sorted(ranked) == ["a.md#c0", "a.md#c1", "a.md#c2", "a.md#c4"]


def test_equal_scores_come_once_each_in_slices(
    store: Neo4jStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, *(make_document(f"{no}.md", Part("h", ("salary",))) for no in range(9)))
    monkeypatch.setattr(search, "_SLICE", 2)
    assert found(store, "salary") == [f"{no}.md#c0" for no in range(9)]


def test_what_is_deleted_between_two_slices_moves_nothing_else_out(
    store: Neo4jStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, *(make_document(f"{no}.md", Part("h", ("salary",))) for no in range(6)))
    read_ahead, deleted = search._ahead, list[str]()

    def deleting(row: Record, given: Any) -> Any:
        found = read_ahead(row, given)
        if not deleted:
            deleted.append(given[0][1].doc_id)
            with ThreadPoolExecutor(1) as other:
                other.submit(delete, store, deleted[0]).result()
        return found

    monkeypatch.setattr(search, "_SLICE", 2)
    monkeypatch.setattr(search, "_ahead", deleting)
    assert sorted(found(store, "salary")) == [
        f"{no}.md#c0" for no in range(6) if f"{no}.md" not in deleted
    ]
    assert deleted


# --- other writers, other people ----------------------------------------------------------------


def test_a_write_inside_a_transaction_of_the_same_thread_is_refused(store: Neo4jStore) -> None:
    for outer in (store.reading, store.writing):
        with outer(), pytest.raises(StoreError, match="inside a transaction"), store.writing():
            pass
    with store.writing() as writer:
        writer.put(make_document("a.md", PAY))
        assert found(store, "salary") == ["a.md#c0"]


def test_eight_writers_of_the_same_documents_lose_nothing(backend: Neo4jBackend) -> None:
    stores = [backend.open_store() for _ in range(8)]

    def write(no: int) -> None:
        for doc_id in ("a.md", "b.md", "c.md")[:: 1 if no % 2 else -1]:
            with stores[no].writing() as transaction:
                transaction.put(make_document(doc_id, PAY))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(8)))
    assert [version_of(stores[0], f"{name}.md") for name in "abc"] == [8, 8, 8]
    assert backend.totals()["Child"] == 6


def test_other_peoples_nodes_are_left_alone_and_count_for_nothing(
    backend: Neo4jBackend, store: Neo4jStore
) -> None:
    backend.raw(
        "CREATE (:Document {id: 'document:a.md', doc_id: 'a.md', sensitivity: 'PUBLIC'})"
        "-[:PARENT_OF]->(:Section)-[:PARENT_OF]->(:Child {tok: 'salary', doc_id: 'a.md'})"
    )
    others = "MATCH (n) WHERE NOT n:Ragspine AND n:Document|Section|Child"
    try:
        put(store, make_document("a.md", PAY))
        with store.reading() as transaction:
            assert transaction.visible_counts(Reader()) == (1, 2)
            assert transaction.census().documents == 1
        assert found(store, "salary") == ["a.md#c0"]
        with store.writing() as transaction:
            assert transaction.delete("a.md")
        assert store.erase()
        (row,) = backend.raw(f"{others} RETURN count(*)")
        assert row.value() == 3
    finally:
        backend.raw(f"{others} DETACH DELETE n")


def test_a_moved_document_of_a_name_outside_of_the_basic_plane_is_named_anew(
    backend: Neo4jBackend, store: Neo4jStore
) -> None:
    old, new = "🍵/𠮷野家.md", "新/🍵.md"
    put(store, make_document(old, PAY, source_path=f"/srv/{old}"))
    with store.writing() as transaction:
        (kept,) = transaction.sources_below("/srv", "/srv")
        assert transaction.move(kept, new, f"/srv/{new}")
    moved = ids_of(backend, new)
    put(store, make_document(old, PAY))
    assert moved == [node_id.replace(old, new) for node_id in ids_of(backend, old)]
    assert found(store, "salary", filters={"doc_id": [new]}) == [f"{new}#c0"]


# --- schema -----------------------------------------------------------------------------------


def test_a_store_of_a_newer_version_is_refused(backend: Neo4jBackend, store: Neo4jStore) -> None:
    assert store.exists()
    backend.raw("MATCH (m:StoreMeta {id: 'meta:schema'}) SET m.value = '99'")
    with pytest.raises(StoreFormatError, match="schema 99"):
        store.init_schema()


def test_a_store_of_an_older_schema_is_brought_to_this_one(
    backend: Neo4jBackend, store: Neo4jStore
) -> None:
    put(store, make_document("a.md", PAY))
    backend.raw("MATCH (m:StoreMeta {id: 'meta:schema'}) SET m.value = '1'")
    backend.raw("DROP INDEX ragspine_labels")
    for name in VECTOR_INDEXES:
        backend.raw("DROP INDEX $name", name=name)
    backend.raw(
        "CREATE INDEX ragspine_places FOR (n:Ragspine) ON (n.doc_id, n.clearance, n.span_start)"
    )
    assert store.exists()
    assert found(store, "salary") == ["a.md#c0"]
    backend.open_store()
    indexes = {row["name"] for row in backend.raw("SHOW INDEXES YIELD name")}
    assert indexes >= {"ragspine_labels", *VECTOR_INDEXES}
    assert "ragspine_places" not in indexes
    (row,) = backend.raw("MATCH (m:StoreMeta {id: 'meta:schema'}) RETURN m.value")
    assert row.value() == "3"
    put(store, embedded(make_document("b.md", PAY)))
    assert len(near(store, "salary")) == 2


def test_labels_in_a_window_are_found_however_they_are_spelled(
    backend: Neo4jBackend, store: Neo4jStore
) -> None:
    put(store, make_document("a.md", Part("Pay", ("salary", "tea", "milk", "salt"))))
    for seq, label in enumerate(("!", "confidential", "~"), start=1):
        backend.set_chunk_label(f"a.md#c{seq}", label)
    with store.reading() as transaction:
        hits = transaction.search(parse_query("salary"), Scope(Reader()), 1)
        (ahead,) = transaction.windows(transaction.candidates(hits)).values()
    with store.reading() as transaction:
        (later,) = transaction.windows(transaction.candidates(hits)).values()
    assert set(ahead.labels) == set(later.labels) == {"INTERNAL", "!", "confidential", "~"}


def test_a_server_without_a_store_says_so(neo4j_lts: Server) -> None:
    neo4j_lts.clear()
    with Neo4jStore(
        neo4j_lts.uri, username=neo4j_lts.username, password=neo4j_lts.password
    ) as store:
        assert not store.exists()
        with pytest.raises(StoreFormatError, match="no store yet"):
            found(store, "salary")
        with pytest.raises(StoreFormatError, match="no store yet"), store.writing():
            pass


def test_tokens_of_an_older_tokenizer_are_made_anew(
    backend: Neo4jBackend, store: Neo4jStore
) -> None:
    put(store, make_document("a.md", PAY), make_document("b.md", PAY, label=RESTRICTED))
    backend.raw("MATCH (c:RagspineSearchable) SET c.tok = 'old'")
    backend.raw("MATCH (m:StoreMeta {id: 'meta:tokenizer'}) SET m.value = '0'")
    assert found(store, "salary") == []
    backend.open_store()
    assert found(store, "salary") == ["a.md#c0"]
    assert found(store, "pay") == ["a.md#c0", "a.md#c1"]
    assert backend.occurrences("old") == 0


def test_without_a_key_no_stub_is_written_and_all_else_works(neo4j_lts: Server) -> None:
    with Neo4jStore(
        neo4j_lts.uri, username=neo4j_lts.username, password=neo4j_lts.password
    ) as store:
        try:
            store.init_schema()
            put(store, make_document("a.md", PAY))
            with pytest.raises(StoreFormatError, match="RAGSPINE_STUB_KEY"):
                put(store, make_document("b.md", PAY, label=RESTRICTED))
            with pytest.raises(StoreFormatError, match="RAGSPINE_STUB_KEY"):
                raise_label(store, "a.md")
            assert found(store, "salary") == ["a.md#c0"]
        finally:
            neo4j_lts.clear()
