"""A store copied into another of either kind: the same content, one hash, the same answers."""

from __future__ import annotations

import random
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_store.copying import CopyProgress, CopyReport, copy_store
from ragspine_store.errors import CopyError, StoreFormatError
from ragspine_store.protocols import Store, StoreWriter
from ragspine_store.relations import Verdict
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.storage_rules import texts
from ragspine_store.testing import Backend
from ragspine_store.testing.base import children_of, found, put
from ragspine_store.testing.copies import fill_store, made, read_kept, reads
from ragspine_store.testing.documents import Part
from ragspine_store.testing.relations import (
    LEAVE,
    PAY,
    judge,
    model_edge,
    pays,
    put_model,
    read_edges,
)
from ragspine_store.words import WordsName
from tests.backends import Neo4jBackend, SQLiteBackend, fresh_backend
from tests.conftest import AtRest
from tests.neo4j_server import Server
from tests.unit.test_sqlite_schema import write_old_rows

SOURCE = "the source"
RESTRICTED = Sensitivity.RESTRICTED


class KeyedBackend(SQLiteBackend):
    """A file whose stubs are named by the key that servers are given in tests."""

    key = b"a key for tests"

    def open_store(self) -> ChunkStore:
        store = ChunkStore(self.path, restricted_at_rest=self.restricted_at_rest, stub_key=self.key)
        store.init_schema()
        self._opened.append(store)
        return store


@contextmanager
def opened_file(path: Path, at_rest: AtRest) -> Generator[KeyedBackend]:
    backend = KeyedBackend(path, at_rest)
    yield backend
    backend.close()


@pytest.fixture
def file(tmp_path: Path, at_rest: AtRest) -> Iterator[KeyedBackend]:
    with opened_file(tmp_path / "one.db", at_rest) as backend:
        yield backend


@pytest.fixture
def other_file(tmp_path: Path, at_rest: AtRest) -> Iterator[KeyedBackend]:
    with opened_file(tmp_path / "other.db", at_rest) as backend:
        yield backend


@pytest.fixture
def server(neo4j_server: Server, at_rest: AtRest) -> Iterator[Neo4jBackend]:
    backend = Neo4jBackend(neo4j_server, at_rest)
    yield backend
    backend.close()


@pytest.fixture(params=["file", "server"])
def target(
    request: pytest.FixtureRequest, other_file: KeyedBackend, at_rest: AtRest
) -> Iterator[Backend]:
    """Where a file is copied to."""
    if request.param == "file":
        yield other_file
        return
    server: Server = request.getfixturevalue("neo4j_lts")
    yield from fresh_backend(server, at_rest)


def copied(source: Store, target: Store) -> CopyReport:
    report = copy_store(source, target, source_name=SOURCE)
    assert report.source == report.target
    assert report.is_equal
    return report


def test_a_file_copied_to_a_server_and_back_is_the_same_in_every_answer(
    file: KeyedBackend, server: Neo4jBackend, other_file: KeyedBackend
) -> None:
    one, between, other = file.open_store(), server.open_store(), other_file.open_store()
    fill_store(file, one)
    there, back = copied(one, between), copied(between, other)
    assert there.target == back.target
    assert read_kept(between) == read_kept(one) == read_kept(other)
    assert list(reads(between)) == list(reads(one)) == list(reads(other))
    assert other_file.totals() == file.totals()


def test_a_file_copied_to_a_file_has_the_same_rows(
    file: KeyedBackend, other_file: KeyedBackend
) -> None:
    one, other = file.open_store(), other_file.open_store()
    fill_store(file, one)
    report = copied(one, other)
    assert report.copied == len(read_kept(one).documents)
    assert report.passed_over == 0
    assert list(reads(other)) == list(reads(one))
    assert other_file.totals() == file.totals()
    assert rows_of(other_file) == rows_of(file)


def is_key(term: str) -> bool:
    """Whether a term of the index is a row's own number."""
    return re.fullmatch(r"#\d+", term) is not None


def rows_of(backend: SQLiteBackend) -> list[list[object]]:
    """Rows and index entries that have no number of the file's own."""
    with backend.raw() as db:
        db.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, chunk_fts, row)")
        return [
            sorted(row for row in db.execute(f"SELECT * FROM {table}") if not is_key(row[0]))
            for table in ("narrative_chunk", "stub", "lowered_label", "vocabulary")
        ]


def test_the_same_done_to_a_file_and_to_a_server_has_one_hash(
    file: KeyedBackend, server: Neo4jBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Stopped:
            return cls(2026, 4, 1, tzinfo=tz or UTC)

    monkeypatch.setattr(texts, "datetime", Stopped)
    one, other = file.open_store(), server.open_store()
    fill_store(file, one)
    fill_store(server, other)
    assert read_kept(other) == read_kept(one)
    # So there is nothing to do, and nothing is.
    report = copied(one, other)
    assert (report.copied, report.passed_over) == (0, report.source.counts["documents"])


def test_a_copy_goes_on_as_its_source_would(file: KeyedBackend, target: Backend) -> None:
    one, other = file.open_store(), target.open_store()
    fill_store(file, one)
    copied(one, other)
    full = made("full.md", PAY, LEAVE)
    for store, backend in ((one, file), (other, target)):
        edge = model_edge(store)
        assert put_model(backend, store, "full.md", 1, pays(doc_id="full.md"))
        assert model_edge(store) == edge
        put(store, made("new.md", PAY, LEAVE))
        put_model(backend, store, "new.md", 1, pays(doc_id="new.md"))
        assert model_edge(store).has_new_evidence
        judge(store, edge.key.edge_id, Verdict.REJECTED)
        assert not model_edge(store).has_new_evidence
        with store.writing() as transaction:
            assert transaction.is_made_of("full.md", full.origin.inputs)
            assert transaction.is_made_of("secret.md", "inputs of secret.md")
            (moved,) = transaction.sources_of(["bytes of plain.md"])
            assert transaction.move(moved, "moved.md", "/srv/moved.md")
            transaction.relabel("b.md", RESTRICTED)
            transaction.relabel_part("full.md#c0", RESTRICTED)
        assert store.erase()
        put(store, made("full.md", LEAVE, PAY))
        with store.writing() as transaction:
            assert transaction.delete("lowered.md")
        assert store.erase()
    kept, expected = read_kept(other), read_kept(one)
    timeless = {"ingested_at", "labelled_at", "at", "lowered_at"}
    assert without(kept, timeless) == without(expected, timeless)
    assert [str(edge.key) for edge in read_edges(other)] == [
        str(edge.key) for edge in read_edges(one)
    ]
    for word in ("cash", "gamma"):
        assert sorted(found(other, word, k=50)) == sorted(found(one, word, k=50))


def without(value: object, names: set[str]) -> object:
    """A value as nested tuples, fields of some names left out."""
    fields = getattr(type(value), "__dataclass_fields__", None) or getattr(value, "_fields", None)
    if fields is not None:
        return tuple(without(getattr(value, name), names) for name in fields if name not in names)
    if isinstance(value, tuple):
        return tuple(without(one, names) for one in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return value


class CutShortError(Exception):
    """Stands for a kill."""


class CutShort:
    """A store that fails at one of its write transactions, which leaves nothing behind."""

    def __init__(self, store: Store, at: int) -> None:
        self._store = store
        self._left = at
        self.reading = store.reading
        self.erase = store.erase
        self.init_schema = store.init_schema
        self.close = store.close
        self.index_anew = store.index_anew

    @property
    def words(self) -> WordsName:
        return self._store.words

    @contextmanager
    def writing(self) -> Generator[StoreWriter]:
        with self._store.writing() as transaction:
            yield transaction
            if not self._left:
                raise CutShortError
            self._left -= 1


def cut_short(source: Store, target: Store, at: int) -> bool:
    """Copy until a write transaction fails; whether one did."""
    try:
        copy_store(source, CutShort(target, at), source_name=SOURCE)
    except CutShortError:
        return True
    return False


@pytest.mark.guarantee("G10")
def test_a_copy_that_was_cut_short_anywhere_is_completed(
    tmp_path: Path, file: KeyedBackend, at_rest: AtRest
) -> None:
    one = file.open_store()
    fill_store(file, one)
    kept = read_kept(one)
    cuts = 0
    while True:
        with opened_file(tmp_path / f"{cuts}.db", at_rest) as backend:
            store = backend.open_store()
            if not cut_short(one, store, cuts):
                break
            report = copied(one, store)
            assert report.copied + report.passed_over == len(kept.documents)
            assert read_kept(store) == kept
        cuts += 1
    assert cuts > len(kept.documents)


@pytest.mark.guarantee("G10")
def test_a_copy_to_a_server_that_was_cut_short_again_and_again_is_completed(
    file: KeyedBackend, target: Backend
) -> None:
    one, other = file.open_store(), target.open_store()
    fill_store(file, one)
    while cut_short(one, other, 3):
        pass
    assert copied(one, other).copied == 0
    assert list(reads(other)) == list(reads(one))


def test_what_the_source_has_become_since_a_copy_was_cut_short_is_copied(
    file: KeyedBackend, target: Backend
) -> None:
    one, other = file.open_store(), target.open_store()
    fill_store(file, one)
    assert cut_short(one, other, 14)
    with one.writing() as transaction:
        transaction.relabel("full.md", RESTRICTED)
        transaction.relabel("b.md", Sensitivity.CONFIDENTIAL)
        transaction.put(made("a.md", PAY, Part("New", ("Beta is new.",))))
        transaction.put(made("missing.md", LEAVE))
        transaction.put(made("secret.md", LEAVE))
    assert one.erase()
    copied(one, other)
    assert read_kept(other) == read_kept(one)
    assert list(reads(other)) == list(reads(one))


def test_a_target_that_keeps_anything_else_is_refused_and_not_changed(
    file: KeyedBackend, target: Backend
) -> None:
    one, other = file.open_store(), target.open_store()
    put(one, made("a.md", PAY))
    put(other, made("a.md", LEAVE))
    before = read_kept(other)
    with pytest.raises(CopyError, match="nothing was written"):
        copy_store(one, other, source_name=SOURCE)
    assert read_kept(other) == before
    # Once it keeps the same there is nothing to refuse; something more is no copy either.
    with other.writing() as transaction:
        transaction.delete("a.md")
    copied(one, other)
    assert copied(one, other).passed_over == 1
    put(other, made("b.md", PAY))
    with pytest.raises(CopyError, match="nothing was written"):
        copy_store(one, other, source_name=SOURCE)


def test_what_is_no_copy_stands_in_the_way_of_completing_one(
    file: KeyedBackend, target: Backend
) -> None:
    one, other = file.open_store(), target.open_store()
    put(one, made("a.md", PAY), made("b.md", LEAVE), made("c.md", LEAVE, label=RESTRICTED))
    assert cut_short(one, other, 3)
    put(other, made("mine.md", PAY), made("more.md", PAY))
    with pytest.raises(CopyError, match=r"keeps 'mine\.md', .*\(documents like it: 2\)"):
        copy_store(one, other, source_name=SOURCE)
    assert len(read_kept(other).documents) == 4
    with other.writing() as transaction:
        transaction.delete("mine.md")
        transaction.delete("more.md")
    put(other, made("mine.md", PAY, label=RESTRICTED))
    with pytest.raises(CopyError, match="expected nothing but a copy"):
        copy_store(one, other, source_name=SOURCE)
    with other.writing() as transaction:
        transaction.delete("mine.md")
    copied(one, other)


def test_a_copy_of_another_store_that_was_cut_short_is_refused(
    file: KeyedBackend, target: Backend
) -> None:
    one, other = file.open_store(), target.open_store()
    put(one, made("a.md", PAY))
    assert cut_short(one, other, 2)
    with other.reading() as transaction:
        assert transaction.census().copy_unfinished
    with pytest.raises(CopyError, match="a copy of another store that was cut short"):
        copy_store(one, other, source_name="another source")
    copied(one, other)
    with other.reading() as transaction:
        assert not transaction.census().copy_unfinished
    # A complete one is no copy of anything any more.
    copy_store(one, other, source_name="another source")


def test_another_key_is_refused_before_anything_is_written(
    tmp_path: Path, file: KeyedBackend, target: Backend
) -> None:
    class OtherKey(KeyedBackend):
        key = b"another key"

    backend = OtherKey(tmp_path / "keyed.db", file.restricted_at_rest)
    one, other = backend.open_store(), target.open_store()
    fill_store(backend, one)
    with pytest.raises(StoreFormatError, match="not the one"):
        copy_store(one, other, source_name=SOURCE)
    assert read_kept(other).documents == ()
    with other.reading() as transaction:
        assert transaction.kept.unfinished_copy() == ""
        assert transaction.kept.key_check() == ""
    backend.close()


def test_a_source_that_changes_while_it_is_copied_is_told(
    file: KeyedBackend, other_file: KeyedBackend
) -> None:
    one, writer, other = file.open_store(), file.open_store(), other_file.open_store()
    put(one, made("a.md", PAY), made("b.md", LEAVE))
    changes = iter([made("c.md", PAY)])

    def change(_: CopyProgress) -> None:
        for document in changes:
            put(writer, document)

    with pytest.raises(CopyError, match="changed while it was copied"):
        copy_store(one, other, source_name=SOURCE, progress=change)
    assert copied(one, other).source.counts["documents"] == 3


def test_progress_counts_three_rounds(file: KeyedBackend, other_file: KeyedBackend) -> None:
    one, other = file.open_store(), other_file.open_store()
    put(one, made("a.md", PAY), made("b.md", LEAVE))
    told: list[CopyProgress] = []
    copy_store(one, other, source_name=SOURCE, progress=told.append)
    assert told == [(n, 6, name) for n, name in enumerate(["a.md", "b.md"] * 3, start=1)]


@pytest.mark.guarantee("G4")
@pytest.mark.parametrize("kind", ["file", "server"])
def test_restricted_text_leaves_stubs_alone_in_a_store_that_keeps_stubs(
    tmp_path: Path, request: pytest.FixtureRequest, kind: str
) -> None:
    secret = Part("Plan Kingfisher", ("The word is kingfisher.", "Kingfisher again."))
    one_file = KeyedBackend(tmp_path / "text.db", "text")
    one = one_file.open_store()
    fill_store(one_file, one)
    put(one, made("hidden.md", secret, label=RESTRICTED), made("open.md", PAY, secret))
    with one.writing() as transaction:
        transaction.relabel_part("open.md#s2", RESTRICTED)
    target: Backend
    if kind == "file":
        target = KeyedBackend(tmp_path / "stub.db", "stub")
    else:
        neo4j: Server = request.getfixturevalue("neo4j_lts")
        request.addfinalizer(neo4j.clear)
        target = Neo4jBackend(neo4j, "stub")
    other = target.open_store()
    report = copied(one, other)
    assert report.reduced == 5
    kept = read_kept(other)
    assert len(kept.stubs) == 3
    assert "kingfisher" not in repr_of(kept).casefold()
    assert target.occurrences("kingfisher") == 0
    if isinstance(target, SQLiteBackend):
        target.close()
        for path in tmp_path.glob("stub.db*"):
            assert b"kingfisher" not in path.read_bytes().lower()
        other = target.open_store()
    assert copied(one, other).copied == 0
    # It is what a purge leaves.
    one_file.restricted_at_rest = "stub"
    reduced = one_file.open_store()
    with reduced.writing() as transaction:
        transaction.stub_restricted()
    assert without(read_kept(reduced), {"labelled_at", "inputs_hash"}) == without(
        kept, {"labelled_at", "inputs_hash"}
    )
    one_file.close()
    target.close()


def repr_of(value: object) -> str:
    """A value with all its fields, those too that its `repr` hides."""
    return str(without(value, set()))


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), data=st.data())
def test_any_small_store_is_copied_whole(
    tmp_path_factory: pytest.TempPathFactory, seed: int, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("copy")
    chance = random.Random(seed)
    words = [
        "acme pays",
        "beta",
        "gamma leaves.",
        "年次有給休暇",
        "𠮷野家",
        "第4条",
        "\u200b",
        "cash",
    ]

    def paragraphs() -> tuple[str, ...]:
        return tuple(
            f"p{n} " + " ".join(chance.choices(words, k=chance.randint(1, 4)))
            for n in range(chance.randint(1, 4))
        )

    with (
        opened_file(folder / "one.db", "stub") as one,
        opened_file(folder / "two.db", "stub") as two,
    ):
        source, target = one.open_store(), two.open_store()
        for n in range(data.draw(st.integers(0, 5), label="documents")):
            label = chance.choice(list(Sensitivity))
            parts = [
                Part(f"H{i}", paragraphs(), chance.randint(1, 2))
                for i in range(chance.randint(0, 3))
            ]
            put(source, made(f"{chance.choice('aé年𠮷')}{n}.md", *parts, label=label))
        for document in read_kept(source).documents:
            for child in children_of(source, document.doc_id):
                if chance.random() < 0.2:
                    with source.writing() as transaction:
                        level = chance.choice([Sensitivity.CONFIDENTIAL, RESTRICTED])
                        transaction.relabel_part(child.chunk.chunk_id, level)
                    assert source.erase()
            seq = chance.randrange(3)
            put_model(one, source, document.doc_id, seq, pays(seq, document.doc_id))
        copied(source, target)
        assert read_kept(target) == read_kept(source)
        assert list(reads(target)) == list(reads(source))


@pytest.fixture
def old_file(tmp_path: Path, at_rest: AtRest) -> Iterator[KeyedBackend]:
    """A file of the predecessor's, whose rows have no spans, sections or text."""
    with opened_file(tmp_path / "old.db", at_rest) as backend:
        with backend.raw() as db:
            write_old_rows(db)
        yield backend


def old_reads(store: Store) -> list[object]:
    """What is told, but the document whose hidden row had a title of its own, which is dropped."""
    return [one for one in reads(store) if getattr(one, "doc_id", "") != "mixed.md"]


@pytest.mark.parametrize("at_rest", ["text"])
def test_documents_from_before_the_record_are_copied_and_go_on(
    old_file: KeyedBackend, target: Backend
) -> None:
    one, other = old_file.open_store(), target.open_store()
    copied(one, other)
    assert read_kept(other) == read_kept(one)
    assert old_reads(other) == old_reads(one)
    for store in (one, other):
        with store.writing() as transaction:
            transaction.relabel_part("pay.md#c0", Sensitivity.CONFIDENTIAL)
            transaction.relabel("trip.md", Sensitivity.CONFIDENTIAL)
        assert store.erase()
    assert old_reads(other) == old_reads(one)
    for backend in (old_file, target):
        backend.restricted_at_rest = "stub"
        with backend.open_store().writing() as transaction:
            assert transaction.stub_restricted() == 4
    assert without(read_kept(other), {"labelled_at"}) == without(read_kept(one), {"labelled_at"})
    put(other, made("pay.md", PAY))
    assert found(other, "gamma") == ["pay.md#c1"]


@pytest.mark.parametrize("at_rest", ["stub"])
def test_restricted_rows_from_before_the_record_are_reduced(
    old_file: KeyedBackend, target: Backend
) -> None:
    one, other = old_file.open_store(), target.open_store()
    assert copied(one, other).reduced == 4
    kept = read_kept(other)
    assert len(kept.stubs) == 3
    assert not any(word in repr_of(kept) for word in ("狐", "密議", "白い烏", "青い鯨", "緑の梟"))
    assert found(other, "毎月の表")[0] == "mixed.md#c1"
