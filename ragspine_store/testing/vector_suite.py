"""Contract of vectors: what is near, for whom, and what has none."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence

import pytest

from ragspine_store.errors import VectorError
from ragspine_store.protocols import Scope, Store
from ragspine_store.records import PreparedDocument
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.base import BackendSuite, children_of, put
from ragspine_store.testing.documents import Part, make_document
from ragspine_store.testing.vectors import (
    CHILD,
    MODEL,
    OTHER,
    PARENT,
    cosine,
    counts,
    embed,
    embedded,
    hash_of,
    kept_vectors,
    near,
    part_vector,
    ranked,
    values_of,
    vectors_of,
)
from ragspine_store.vectors import MissingVectors, PartVector, VectorCount, VectorKind

OPEN = Part("Open", ("tea one", "tea two"))
PLAN = Part("Plan", ("secret plan",))
LAST = Part("Last", ("tea last",))
CONFIDENTIAL, RESTRICTED = Sensitivity.CONFIDENTIAL, Sensitivity.RESTRICTED
LOW = Reader(Sensitivity.INTERNAL)
MANY = 150


def missing(store: Store, model: str = MODEL) -> list[MissingVectors]:
    """Documents that lack vectors."""
    with store.writing() as transaction:
        return transaction.missing_vectors(model)


def put_vectors(store: Store, doc_id: str, version: int, vectors: Sequence[PartVector]) -> bool:
    """Write vectors of a document."""
    with store.writing() as transaction:
        return transaction.put_vectors(doc_id, version, vectors)


def values(store: Store, *texts: str, model: str = MODEL) -> dict[bytes, bytes]:
    """The values of vectors of texts."""
    with store.writing() as transaction:
        return transaction.find_vectors(model, map(hash_of, texts))


def relabel(store: Store, node_id: str, level: Sensitivity) -> None:
    """Change a label, and erase what that leaves."""
    with store.writing() as transaction:
        if "#" in node_id:
            transaction.relabel_part(node_id, level)
        else:
            transaction.relabel(node_id, level)
    assert store.erase()


def tied(doc_id: str, label: Sensitivity = Sensitivity.INTERNAL) -> PreparedDocument:
    """A document of two children with the same text."""
    return embedded(make_document(doc_id, Part("h", ("same words", "same words")), label=label))


class VectorSuite(BackendSuite):
    """What is near, what is kept, and what goes."""

    def test_the_nearest_children_come_first_with_their_cosines(self, store: Store) -> None:
        put(store, *(embedded(make_document(f"{n}.md", OPEN, PLAN, LAST)) for n in range(3)))
        children = [child for n in range(3) for child in children_of(store, f"{n}.md")]
        for text in ("tea one", "secret plan", "anything else"):
            expected = ranked(children, text, k=5)
            found = near(store, text, k=5)
            assert list(found) == list(expected)
            assert found == pytest.approx(expected, abs=1e-6)
        assert near(store, "tea one", k=1) == {"0.md#c0": pytest.approx(1, abs=1e-6)}

    def test_a_vector_of_any_length_means_its_direction(self, store: Store) -> None:
        put(store, embedded(make_document("a.md", OPEN, LAST)))
        vector = embed("question")
        with store.reading() as transaction:
            hits = transaction.nearest(MODEL, vector, CHILD, Scope(Reader()), 3)
            longer = [7 * number for number in vector]
            scaled = transaction.nearest(MODEL, longer, CHILD, Scope(Reader()), 3)
        assert [hit.key for hit in scaled] == [hit.key for hit in hits]
        assert [hit.score for hit in scaled] == pytest.approx([hit.score for hit in hits])

    @pytest.mark.parametrize("kind", VectorKind)
    @pytest.mark.parametrize("k", [0, 1, 5, 101, MANY, 1_000])
    def test_equal_cosines_order_by_document_then_position_before_the_cut(
        self, store: Store, k: int, kind: VectorKind
    ) -> None:
        documents = [tied(f"{no:03}.md") for no in range(MANY // 2)]
        random.Random(7).shuffle(documents)
        put(store, *documents)
        everything = [f"{no:03}.md#c{seq}" for no in range(MANY // 2) for seq in (0, 1)]
        number = k if kind is CHILD else 2 * k
        assert list(near(store, "words", k=k, kind=kind)) == everything[:number]

    def test_without_vectors_of_a_model_nothing_is_near(self, store: Store) -> None:
        assert near(store, "tea") == {}
        put(store, make_document("a.md", OPEN))
        assert near(store, "tea") == {}
        put(store, embedded(make_document("a.md", OPEN)))
        assert near(store, "tea", model=OTHER) == {}
        assert len(near(store, "tea")) == 2

    def test_each_model_has_vectors_of_its_own(self, store: Store) -> None:
        put(store, embedded(make_document("a.md", OPEN), MODEL, OTHER))
        for model in (MODEL, OTHER):
            found = near(store, "tea", model=model)
            assert found["a.md#c0"] == pytest.approx(cosine("tea", "tea one", model), abs=1e-6)
        assert counts(store) == [VectorCount(MODEL, 4, 2), VectorCount(OTHER, 3, 2)]

    @pytest.mark.parametrize("kind", VectorKind)
    def test_a_vector_that_cannot_be_compared_is_an_error(
        self, store: Store, kind: VectorKind
    ) -> None:
        put(store, embedded(make_document("a.md", OPEN)))
        with store.reading() as transaction:
            with pytest.raises(VectorError, match=r"3 numbers .* expected 4, .* run reindex"):
                transaction.nearest(MODEL, [1, 0, 0], kind, Scope(Reader()), 1)
            for none in ([0, 0, 0, 0], [float("nan")] * 4, []):
                with pytest.raises(VectorError, match="without a direction"):
                    transaction.nearest(MODEL, none, kind, Scope(Reader()), 1)

    @pytest.mark.parametrize("numbers", [[1.0], [1.0, 0, 0, 0, 0], []])
    def test_vectors_of_one_model_are_of_one_length(
        self, store: Store, numbers: list[float]
    ) -> None:
        put(store, embedded(make_document("a.md", OPEN)))
        other = PartVector(MODEL, CHILD, 0, b"hash", values_of(numbers))
        mixed = dataclasses.replace(make_document("b.md", LAST), vectors=[other])
        with pytest.raises(VectorError, match="expected 4"):
            put(store, mixed)
        with pytest.raises(VectorError, match="expected 4"):
            put_vectors(store, "a.md", 1, [other])
        assert children_of(store, "b.md") == ()
        assert values(store, "tea one") == {hash_of("tea one"): values_of(embed("tea one"))}

    def test_a_lone_document_may_change_the_length(self, store: Store) -> None:
        put(store, embedded(make_document("a.md", OPEN)))
        assert len(near(store, "tea")) == 2
        short = PartVector(MODEL, CHILD, 1, b"hash", values_of([1.0, 0.0]))
        put(store, dataclasses.replace(make_document("a.md", OPEN), vectors=[short]))
        with store.reading() as transaction:
            (hit,) = transaction.nearest(MODEL, [3, 4], CHILD, Scope(Reader()), 9)
        assert hit.score == pytest.approx(0.6, abs=1e-6)
        assert counts(store) == [VectorCount(MODEL, 2, 1)]

    def test_all_children_of_the_nearest_parents_are_found(self, store: Store) -> None:
        put(store, *(embedded(make_document(f"{n}.md", OPEN, PLAN)) for n in range(2)))
        with store.reading() as transaction:
            windows = transaction.windows(children_of(store, "0.md"))
        found = near(store, windows["0.md#c1"].text, kind=PARENT, k=1)
        assert found == {f"0.md#c{n}": pytest.approx(1, abs=1e-6) for n in (0, 1)}
        assert list(near(store, "tea", kind=PARENT, k=2)) in (
            ["0.md#c0", "0.md#c1", "1.md#c0", "1.md#c1"],
            ["0.md#c2", "1.md#c2"],
        )
        assert len(near(store, "tea", kind=PARENT, k=9)) == 6

    def test_the_default_chunker_has_no_parents(self, store: Store) -> None:
        document = make_document("a.md", OPEN, windows=False)
        assert [v.kind for v in vectors_of(document)] == [CHILD, CHILD]
        put(store, embedded(document))
        assert near(store, "tea", kind=PARENT) == {}
        assert len(near(store, "tea")) == 2

    # --- for whom ---

    def test_a_reader_finds_what_his_scope_holds(self, store: Store) -> None:
        put(
            store,
            embedded(make_document("a.md", OPEN, described={"collection": "hr", "topic": "x"})),
            embedded(make_document("b.md", OPEN, described={"topic": "y"})),
            embedded(make_document("c.md", OPEN, label=CONFIDENTIAL)),
        )
        hr = Reader(collections=frozenset({"hr", "none"}))
        for kind in VectorKind:
            assert {i[:4] for i in near(store, "tea", kind=kind)} == {"a.md", "b.md", "c.md"}
            assert {i[:4] for i in near(store, "tea", kind=kind, reader=LOW)} == {"a.md", "b.md"}
            assert {i[:4] for i in near(store, "tea", kind=kind, reader=hr)} == {"a.md"}
            for topic, collection, expected in (
                (["y", "z"], ["default", "hr"], {"b.md"}),
                (["x"], ["hr"], {"a.md"}),
                (["x"], ["default"], set[str]()),
                (["x", "y"], [], set[str]()),
                (["z"], ["hr"], set[str]()),
            ):
                filters = {"topic": topic, "collection": collection}
                found = near(store, "tea", kind=kind, filters=filters)
                assert {chunk_id[:4] for chunk_id in found} == expected
            assert {i[:4] for i in near(store, "tea", filters={"doc_id": "c.md"})} == {"c.md"}

    @pytest.mark.parametrize("section", ["a.md#s2", "Detail", "ＤＥＴＡＩＬ"])
    def test_a_filter_names_a_section_by_id_or_heading(self, store: Store, section: str) -> None:
        detail, deeper = Part("Detail", ("tea three",)), Part("Deeper", ("tea four",), level=2)
        put(store, embedded(make_document("a.md", OPEN, detail, deeper, LAST)))
        for kind in VectorKind:
            found = near(store, "tea", kind=kind, filters={"section": [section]})
            assert set(found) == {"a.md#c2", "a.md#c3"}
        assert near(store, "tea", filters={"section": ["Nothing"]}) == {}

    @pytest.mark.guarantee("G2")
    @pytest.mark.parametrize("kind", VectorKind)
    def test_what_is_withheld_takes_no_slot(self, store: Store, kind: VectorKind) -> None:
        put(store, *(tied(f"{no:03}.md", CONFIDENTIAL) for no in range(MANY)))
        put(store, embedded(make_document("z.md", OPEN, LAST)))
        expected = {"z.md#c0", "z.md#c1", "z.md#c2"}
        assert set(near(store, "same words", kind=kind, k=3, reader=LOW)) == expected
        filters = {"doc_id": ["z.md"]}
        assert set(near(store, "same words", kind=kind, k=3, filters=filters)) == expected
        assert len(near(store, "same words", k=3)) == 3

    def test_a_parent_serves_who_sees_all_of_it(self, store: Store) -> None:
        put(store, embedded(make_document("a.md", OPEN, LAST)))
        relabel(store, "a.md#c1", CONFIDENTIAL)
        assert set(near(store, "tea", reader=LOW)) == {"a.md#c0", "a.md#c2"}
        assert set(near(store, "tea", kind=PARENT, reader=LOW)) == {"a.md#c2"}
        assert len(near(store, "tea", kind=PARENT)) == 3
        assert missing(store) == []

    def test_a_parent_of_which_nothing_may_be_found_takes_no_slot(self, store: Store) -> None:
        put(store, embedded(make_document("a.md", OPEN, PLAN, LAST)))
        for heading, expected in (("Open", {"a.md#c0", "a.md#c1"}), ("Last", {"a.md#c3"})):
            for text in ("one", "two", "three", "four"):
                found = near(store, text, kind=PARENT, k=1, filters={"section": [heading]})
                assert set(found) == expected

    def test_a_label_that_another_program_wrote_holds_at_once(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, embedded(make_document("a.md", OPEN, PLAN, LAST)))
        assert len(near(store, "tea")) == 4
        backend.set_chunk_label("a.md#c0", "TOP SECRET")
        assert set(near(store, "tea")) == {"a.md#c1", "a.md#c2", "a.md#c3"}
        assert set(near(store, "tea", kind=PARENT)) == {"a.md#c2", "a.md#c3"}
        backend.set_section_label("a.md", 2, "CONFIDENTIAL")
        assert set(near(store, "tea", reader=LOW)) == {"a.md#c1", "a.md#c3"}
        assert set(near(store, "tea", kind=PARENT, reader=LOW)) == {"a.md#c3"}
        assert counts(store) == [VectorCount(MODEL, 4, 3)]
        assert missing(store, OTHER) == [MissingVectors("a.md", 1)]
        assert kept_vectors(store, "a.md") == {
            *((MODEL, CHILD, n) for n in (1, 2, 3)),
            *((MODEL, PARENT, n) for n in (2, 3)),
        }

    # --- what is kept, and what goes ---

    def test_what_another_store_writes_is_found(self, backend: Backend, store: Store) -> None:
        other = backend.open_store()
        for n in range(4):
            put(other, embedded(make_document(f"{n}.md", LAST)))
            assert set(near(store, "tea")) == {f"{m}.md#c0" for m in range(n + 1)}
        with other.writing() as transaction:
            transaction.delete("1.md")
        assert set(near(store, "tea")) == {"0.md#c0", "2.md#c0", "3.md#c0"}
        relabel(other, "2.md", CONFIDENTIAL)
        assert set(near(store, "tea", reader=LOW)) == {"0.md#c0", "3.md#c0"}
        put(other, embedded(make_document("3.md", OPEN)))
        assert set(near(store, "tea two")) == {"0.md#c0", "2.md#c0", "3.md#c0", "3.md#c1"}

    def test_a_write_that_failed_is_not_found(self, store: Store) -> None:
        put(store, embedded(make_document("a.md", OPEN)))
        before = near(store, "tea")
        fitting = embedded(make_document("a.md", LAST))
        failing = dataclasses.replace(fitting, vectors=[PartVector(MODEL, CHILD, 0, b"", b"")])
        with pytest.raises(VectorError):
            put(store, fitting, failing)
        assert near(store, "tea") == before

    def test_cosines_do_not_hang_on_the_order_of_writing(self, store: Store) -> None:
        documents = [embedded(make_document(f"{n}.md", OPEN, LAST)) for n in range(6)]
        put(store, *documents)
        before = {kind: near(store, "tea", kind=kind) for kind in VectorKind}
        for document in reversed(documents):
            put(store, document)
            assert {kind: near(store, "tea", kind=kind) for kind in VectorKind} == before
        assert len(before[CHILD]) == 10

    def test_a_document_keeps_the_vectors_it_was_put_with(self, store: Store) -> None:
        document = make_document("a.md", OPEN, LAST)
        put(store, embedded(document, MODEL, OTHER))
        put(store, embedded(document, OTHER))
        assert near(store, "tea") == {}
        assert len(near(store, "tea", model=OTHER)) == 3
        put(store, document)
        assert near(store, "tea", model=OTHER) == {}
        assert counts(store) == []
        assert missing(store) == [MissingVectors("a.md", 3)]

    def test_vectors_of_parts_that_are_not_there_are_not_kept(self, store: Store) -> None:
        document = make_document("a.md", OPEN)
        strays = [part_vector(CHILD, 7, "x"), part_vector(PARENT, 1, "y")]
        put(store, dataclasses.replace(document, vectors=strays))
        assert kept_vectors(store, "a.md") == set()
        assert put_vectors(store, "a.md", 1, strays)
        assert counts(store) == []
        assert values(store, "x", "y") == {}

    def test_vectors_are_found_by_their_text_wherever_it_stands(self, store: Store) -> None:
        put(store, embedded(make_document("a.md", OPEN)), embedded(make_document("b.md", LAST)))
        texts = ("tea one", "tea last", "nowhere", "# Last\n\ntea last")
        expected = {hash_of(t): values_of(embed(t)) for t in texts if t != "nowhere"}
        assert values(store, *texts) == expected
        assert values(store, *texts, model=OTHER) == {}
        assert values(store) == {}
        with store.writing() as transaction:
            transaction.delete("b.md")
        assert values(store, *texts) == {hash_of("tea one"): values_of(embed("tea one"))}

    def test_a_document_that_is_gone_has_no_vectors(self, store: Store) -> None:
        put(store, embedded(make_document("a.md", OPEN)), embedded(make_document("b.md", LAST)))
        with store.writing() as transaction:
            assert transaction.delete("a.md")
        assert set(near(store, "tea")) == {"b.md#c0"}
        assert counts(store) == [VectorCount(MODEL, 4, 1)]
        put(store, make_document("a.md", OPEN))
        assert set(near(store, "tea")) == {"b.md#c0"}

    def test_a_moved_document_keeps_its_vectors(self, store: Store) -> None:
        prepared = make_document("a.md", OPEN, LAST, source_path="/srv/a.md")
        put(store, embedded(dataclasses.replace(prepared)), tied("b.md"))
        before = near(store, "tea one")
        with store.writing() as transaction:
            (kept,) = transaction.sources_below("/srv", "/")
            assert transaction.move(kept, "z.md", "/srv/z.md")
        after = near(store, "tea one")
        assert after == {key.replace("a.md", "z.md"): score for key, score in before.items()}
        assert len(near(store, "tea", kind=PARENT, filters={"doc_id": ["z.md"]})) == 3
        assert missing(store) == []

    def test_vectors_of_a_reindex_are_written_to_the_version_that_was_read(
        self, store: Store
    ) -> None:
        document = make_document("a.md", OPEN, LAST)
        put(store, document)
        vectors = vectors_of(document)
        assert missing(store) == [MissingVectors("a.md", 1)]
        for doc_id, version in (("a.md", 2), ("b.md", 1), ("", 1), ("\ud800", 1)):
            assert not put_vectors(store, doc_id, version, vectors)
        assert counts(store) == []
        assert put_vectors(store, "a.md", 1, vectors[:1])
        assert missing(store) == [MissingVectors("a.md", 1)]
        assert set(near(store, "tea")) == {"a.md#c0"}
        assert put_vectors(store, "a.md", 1, vectors)
        assert put_vectors(store, "a.md", 1, vectors_of(document, OTHER))
        assert put_vectors(store, "a.md", 1, [])
        assert missing(store) == missing(store, OTHER) == []
        assert len(near(store, "tea")) == len(near(store, "tea", model=OTHER)) == 3
        assert put_vectors(store, "a.md", 1, [part_vector(CHILD, 0, "other text")])
        assert near(store, "other text", k=1) == {"a.md#c0": pytest.approx(1, abs=1e-6)}
        assert values(store, "tea one") == {}
        put(store, document)
        assert not put_vectors(store, "a.md", 1, vectors)

    def test_models_that_are_not_wanted_any_more_are_dropped(self, store: Store) -> None:
        put(store, embedded(make_document("a.md", OPEN), MODEL, OTHER))
        put(store, embedded(make_document("b.md", LAST)))
        assert len(near(store, "tea")) == 3
        with store.writing() as transaction:
            assert transaction.drop_vectors({MODEL, OTHER, "none"}) == 0
            assert transaction.drop_vectors([OTHER]) == 5
        assert near(store, "tea") == {}
        assert len(near(store, "tea", model=OTHER)) == 2
        with store.writing() as transaction:
            assert transaction.drop_vectors([]) == 3
        assert counts(store) == []
        assert [one.doc_id for one in missing(store)] == ["a.md", "b.md"]

    def test_documents_without_children_lack_nothing(self, store: Store) -> None:
        put(store, make_document("a.md"), embedded(make_document("b.md")))
        assert missing(store) == []
        assert near(store, "tea") == {}

    @pytest.mark.guarantee("G4")
    def test_a_restricted_document_keeps_no_vector(self, backend: Backend, store: Store) -> None:
        put(store, embedded(make_document("a.md", OPEN, label=RESTRICTED)))
        put(store, embedded(make_document("b.md", OPEN)), embedded(make_document("c.md", LAST)))
        relabel(store, "b.md", RESTRICTED)
        put(store, embedded(make_document("c.md", LAST, label=RESTRICTED)))
        assert counts(store) == []
        assert values(store, "tea one", "tea two", "tea last") == {}
        assert missing(store) == []
        for doc_id, version in (("a.md", 1), ("b.md", 1), ("b.md", 2), ("c.md", 2)):
            assert not put_vectors(store, doc_id, version, [part_vector(CHILD, 0, "tea one")])
        if backend.restricted_at_rest == "text":
            relabel(store, "b.md", CONFIDENTIAL)
            assert missing(store) == [MissingVectors("b.md", 1)]
        assert near(store, "tea") == {}

    @pytest.mark.guarantee("G4")
    @pytest.mark.parametrize("node_id", ["a.md#s2", "a.md#c2"])
    def test_a_restricted_part_keeps_no_vector_nor_does_a_parent_that_holds_it(
        self, store: Store, node_id: str
    ) -> None:
        mixed = Part("Plan", ("secret plan", "tea three"))
        document = make_document("a.md", OPEN, mixed, LAST)
        put(store, embedded(document))
        relabel(store, node_id, RESTRICTED)
        gone = {(MODEL, CHILD, 2), (MODEL, PARENT, 2)}
        gone |= {(MODEL, CHILD, 3)} if node_id == "a.md#s2" else set()
        everything = {(v.model, v.kind, v.seq) for v in vectors_of(document)}
        assert kept_vectors(store, "a.md") == everything - gone
        assert values(store, "secret plan", "# Plan\n\nsecret plan\n\ntea three") == {}
        assert counts(store) == [VectorCount(MODEL, 4, 5 - len(gone) + 1)]
        assert missing(store) == []
        assert "a.md#c2" not in near(store, "secret plan")
        assert set(near(store, "tea", kind=PARENT)) == {"a.md#c0", "a.md#c1", "a.md#c4"}
        # Nor does a reindex that read it before bring them back.
        assert put_vectors(store, "a.md", 1, vectors_of(document))
        assert kept_vectors(store, "a.md") == everything - gone

    @pytest.mark.parametrize("at_rest", ["text"])
    def test_what_was_restricted_lacks_its_vectors_when_its_label_is_lowered(
        self, store: Store
    ) -> None:
        document = make_document("a.md", OPEN, PLAN, LAST)
        put(store, embedded(document))
        relabel(store, "a.md#s2", RESTRICTED)
        relabel(store, "a.md#s2", Sensitivity.INTERNAL)
        assert missing(store) == [MissingVectors("a.md", 1)]
        assert set(near(store, "tea")) == {"a.md#c0", "a.md#c1", "a.md#c3"}
        assert put_vectors(store, "a.md", 1, vectors_of(document))
        assert len(near(store, "tea")) == 4
        assert missing(store) == []

    def test_vectors_of_what_another_program_restricted_go_with_the_next_change_of_a_label(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, embedded(make_document("a.md", OPEN, LAST)))
        backend.set_chunk_label("a.md#c1", "RESTRICTED")
        relabel(store, "a.md", CONFIDENTIAL)
        assert values(store, "tea two", "# Open\n\ntea one\n\ntea two") == {}
        assert set(near(store, "tea")) == {"a.md#c0", "a.md#c2"}

    def test_a_search_takes_as_many_statements_however_much_there_is(
        self, backend: Backend, store: Store
    ) -> None:
        def statements(k: int, kind: VectorKind) -> int:
            return backend.statements(store, lambda: near(store, "tea", k=k, kind=kind))

        put(store, tied("000.md"))
        near(store, "tea")
        near(store, "tea", kind=PARENT)
        before = {kind: statements(1, kind) for kind in VectorKind}
        put(store, *(tied(f"{no:03}.md") for no in range(1, 40)))
        near(store, "tea")
        near(store, "tea", kind=PARENT)
        assert {kind: statements(40, kind) for kind in VectorKind} == before
