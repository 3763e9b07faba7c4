"""Vectors in a file: what is held in memory keeps up with it, whoever writes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_store.errors import VectorError
from ragspine_store.protocols import Store
from ragspine_store.records import PreparedDocument
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.sqlite_store.vectors.memory import Memory
from ragspine_store.storage_rules import vector_parts
from ragspine_store.testing import Part, make_document
from ragspine_store.testing.base import put
from ragspine_store.testing.vectors import MODEL, OTHER, embedded, near, part_vector
from ragspine_store.vectors import VectorKind
from tests.backends import SQLiteBackend, statements_of, tables_scanned

OPEN = Part("Open", ("tea one", "tea two"))
LAST = Part("Last", ("tea last",))
READERS = (Reader(), Reader(Sensitivity.INTERNAL), Reader(collections=frozenset({"x"})))


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[SQLiteBackend]:
    backend = SQLiteBackend(tmp_path / "store.db", "text")
    yield backend
    backend.close()


@pytest.fixture
def store(backend: SQLiteBackend) -> ChunkStore:
    return backend.open_store()


def answers(store: Store) -> list[object]:
    return [
        list(near(store, "tea", kind=kind, k=k, model=model, reader=reader).items())
        for model in (MODEL, OTHER)
        for kind in VectorKind
        for reader in READERS
        for k in (1, 4, 99)
    ]


class Histories:
    """Random changes, through one of two stores over the same file."""

    def __init__(self, chance: random.Random, stores: list[ChunkStore]) -> None:
        self._chance = chance
        self._stores = stores

    def change(self) -> None:
        chance = self._chance
        name = f"{chance.choice('abcd')}.md"
        with chance.choice(self._stores).writing() as transaction:
            state = transaction.find(name)
            match chance.randrange(6):
                case 0 | 1:
                    transaction.put(self._document(name))
                case 2 if state:
                    transaction.relabel(name, chance.choice(list(Sensitivity)))
                case 3 if state:
                    part = chance.choice(("s1", "c0", "c1"))
                    if transaction.find_part(f"{name}#{part}"):
                        level = chance.choice(list(Sensitivity))
                        transaction.relabel_part(f"{name}#{part}", level)
                case 4 if state:
                    transaction.delete(name)
                case 5 if state:
                    model = chance.choice((MODEL, OTHER))
                    vector = part_vector(VectorKind.CHILD, 0, f"{chance.random()}", model)
                    transaction.put_vectors(name, state.version, [vector])
                case _:
                    transaction.drop_vectors([chance.choice((MODEL, OTHER))])

    def _document(self, name: str) -> PreparedDocument:
        lines = tuple(f"line {self._chance.randrange(6)}" for _ in range(3))
        models = self._chance.sample((MODEL, OTHER), k=self._chance.randint(1, 2))
        described = {"collection": self._chance.choice("xy")}
        return embedded(make_document(name, Part("h", lines), described=described), *models)


@settings(max_examples=25)
@given(st.integers(0, 2**32))
def test_what_is_held_in_memory_keeps_up_with_the_file(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    backend = SQLiteBackend(tmp_path_factory.mktemp("vectors") / "store.db", "text")
    stores = [backend.open_store(), backend.open_store()]
    histories = Histories(random.Random(seed), stores)
    for _ in range(12):
        histories.change()
        fresh = backend.open_store()
        expected = answers(fresh)
        for store in stores:
            assert answers(store) == expected
    backend.close()


def test_a_write_rereads_the_documents_that_it_changed_and_no_others(
    backend: SQLiteBackend, store: ChunkStore
) -> None:
    put(store, *(embedded(make_document(f"{n:02}.md", OPEN)) for n in range(40)))
    near(store, "tea")
    put(store, embedded(make_document("07.md", OPEN, LAST)))
    sent = statements_of(store, lambda: near(store, "tea"))
    loads = [statement for statement in sent if "SELECT doc_no, seq, vector" in statement]
    (load,) = loads
    with store._connection.reading() as db:
        assert len(db.execute(load).fetchall()) == 3
    assert not any("vector" in s for s in statements_of(store, lambda: near(store, "tea")))


def test_no_write_reads_vectors_of_other_documents(
    backend: SQLiteBackend, store: ChunkStore
) -> None:
    put(store, embedded(make_document("a.md", OPEN, source_path="/a")))

    def write() -> None:
        with store.writing() as transaction:
            transaction.put(embedded(make_document("b.md", OPEN)))
            transaction.relabel_part("b.md#c0", Sensitivity.CONFIDENTIAL)
            transaction.find_vectors(MODEL, [b"hash"])
            transaction.put_vectors("b.md", 1, [part_vector(VectorKind.CHILD, 0, "x")])
            transaction.delete("b.md")

    scanned = tables_scanned(store, statements_of(store, write))
    assert not scanned & {"part_vector", "vector_document", "v"}


def test_a_read_inside_a_write_that_fails_leaves_nothing_in_memory(store: ChunkStore) -> None:
    put(store, embedded(make_document("a.md", OPEN)))
    before = answers(store)
    inside: list[object] = []

    def fail() -> None:
        with store.writing() as transaction:
            transaction.put(embedded(make_document("b.md", LAST)))
            inside.extend(answers(store))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert inside != before
    assert answers(store) == before


def test_a_document_that_takes_the_number_of_a_deleted_one_is_another(store: ChunkStore) -> None:
    put(store, embedded(make_document("a.md", OPEN)))
    assert set(near(store, "tea")) == {"a.md#c0", "a.md#c1"}
    with store.writing() as transaction:
        transaction.delete("a.md")
        transaction.put(embedded(make_document("b.md", LAST)))
    assert set(near(store, "tea")) == {"b.md#c0"}


def test_a_matrix_that_others_still_read_does_not_change(store: ChunkStore) -> None:
    put(store, embedded(make_document("a.md", OPEN)), embedded(make_document("b.md", LAST)))
    memory = Memory()
    with store._connection.reading() as db:
        held = memory.searched(db, MODEL, VectorKind.CHILD)
    assert held is not None
    rows, keys = held.matrix.rows.copy(), held.children.keys.copy()
    for n in range(5):
        put(store, embedded(make_document(f"{n}.md", LAST)))
        with store._connection.reading() as db:
            now = memory.searched(db, MODEL, VectorKind.CHILD)
        assert now is not None
        assert len(now.children.keys) == 4 + n
    assert (held.matrix.rows[: len(held.matrix.parts)] == rows[: len(held.matrix.parts)]).all()
    assert (held.children.keys == keys).all()


def test_all_but_the_search_does_without_numpy(
    store: ChunkStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_parts, "find_spec", dict[str, object]().get)
    put(store, embedded(make_document("a.md", OPEN)))
    with store.writing() as transaction:
        assert transaction.missing_vectors(MODEL) == []
    with pytest.raises(VectorError, match="extra embed"):
        near(store, "tea")
