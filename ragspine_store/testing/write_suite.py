"""Contract of the write side: what is put stands, what is deleted is gone, nothing in between."""

from __future__ import annotations

import pytest

from ragspine_store.errors import NotFoundError, StoreError
from ragspine_store.protocols import Store
from ragspine_store.records import DocumentState
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.base import BackendSuite, children_of, found, put
from ragspine_store.testing.documents import Part, make_document

PAY = Part("Pay", ("The salary is paid monthly.", "The allowance is 20,000円."))
LEAVE = Part("Leave", ("Twenty days of vacation.",))
RESTRICTED = Sensitivity.RESTRICTED


def state_of(store: Store, doc_id: str) -> DocumentState | None:
    """What the store knows of a document."""
    with store.writing() as transaction:
        return transaction.find(doc_id)


def counter_of(store: Store) -> int:
    """The store's change counter."""
    with store.reading() as transaction:
        return transaction.change_counter()


class WriteSuite(BackendSuite):
    """Documents come, change and go whole."""

    def test_an_empty_store_knows_nothing(self, store: Store) -> None:
        assert state_of(store, "a.md") is None
        assert found(store, "salary") == []
        with store.reading() as transaction:
            assert transaction.find_document("a.md") is None
            assert transaction.visible_counts(Reader()) == (0, 0)
            assert transaction.candidates([]) == []
            assert transaction.windows([]) == {}
            assert transaction.children([]) == {}

    def test_what_is_put_is_found_by_another_handle(self, backend: Backend, store: Store) -> None:
        document = make_document(
            "a.md",
            PAY,
            LEAVE,
            described={"title": "Rules", "topic": "hr"},
            fingerprint="f",
            source_path="/x/a.md",
        )
        put(store, document)
        other = backend.open_store()
        assert state_of(other, "a.md") == DocumentState(
            Sensitivity.INTERNAL,
            "f",
            "/x/a.md",
            1,
            is_stub=False,
            chunker="made for tests",
            collection="default",
        )
        with other.reading() as transaction:
            view = transaction.find_document("a.md")
        assert view is not None
        assert (view.title, view.text, view.version) == ("Rules", document.loaded.text, 1)
        assert [s.heading for s in view.sections] == ["Rules", "Pay", "Leave"]
        for made, kept in zip(document.chunks, view.chunks, strict=True):
            assert (kept.chunk.chunk_id, kept.chunk.seq, kept.chunk.text) == (
                made.chunk_id,
                made.seq,
                made.text,
            )
            assert (kept.span, kept.window, kept.raw_span) == (made.span, made.window, made.span)
            assert kept.chunk.topic == "hr"

    def test_a_put_replaces_all_that_stood_under_the_id(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY, LEAVE))
        put(store, make_document("a.md", LEAVE))
        assert [c.chunk.text for c in children_of(store, "a.md")] == ["Twenty days of vacation."]
        assert found(store, "salary") == []
        assert backend.occurrences("salary") == 0
        state = state_of(store, "a.md")
        assert state is not None
        assert state.version == 2

    def test_putting_the_same_again_leaves_as_much_as_before(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY))
        totals, ids = backend.totals(), [c.chunk.chunk_id for c in children_of(store, "a.md")]
        put(store, make_document("a.md", PAY))
        assert backend.totals() == totals
        assert [c.chunk.chunk_id for c in children_of(store, "a.md")] == ids

    def test_init_schema_again_changes_nothing(self, backend: Backend, store: Store) -> None:
        put(store, make_document("a.md", PAY))
        totals = backend.totals()
        store.init_schema()
        assert backend.totals() == totals

    def test_a_deleted_document_leaves_nothing_and_comes_back(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("b.md", LEAVE))
        totals = backend.totals()
        put(store, make_document("a.md", PAY))
        with store.writing() as transaction:
            assert transaction.delete("a.md")
        assert store.erase()
        assert backend.totals() == totals
        assert backend.occurrences("salary") == 0
        assert state_of(store, "a.md") is None
        put(store, make_document("a.md", PAY))
        assert found(store, "salary") == ["a.md#c0"]

    def test_deleting_what_is_not_there_is_said(self, store: Store) -> None:
        with store.writing() as transaction:
            assert not transaction.delete("a.md")

    def test_relabelling_what_is_not_there_is_an_error(self, store: Store) -> None:
        with store.writing() as transaction, pytest.raises(NotFoundError, match=r"'a\.md'"):
            transaction.relabel("a.md", Sensitivity.PUBLIC)

    @pytest.mark.parametrize("doc_id", ["", "\ud800", "\0", "a" * 5_000, "%", "_", "'", "a.md#c0"])
    def test_an_odd_id_is_not_there(self, store: Store, doc_id: str) -> None:
        put(store, make_document("a.md", PAY))
        assert state_of(store, doc_id) is None
        with store.reading() as transaction:
            assert transaction.find_document(doc_id) is None
            assert transaction.children([doc_id]) == {}

    def test_a_transaction_that_fails_changes_nothing(self, backend: Backend, store: Store) -> None:
        put(store, make_document("a.md", PAY))
        totals = backend.totals()

        def fail_half_way() -> None:
            with store.writing() as transaction:
                transaction.delete("a.md")
                transaction.put(make_document("b.md", LEAVE))
                raise KeyError

        with pytest.raises(KeyError):
            fail_half_way()
        assert backend.totals() == totals
        assert found(store, "salary vacation") == ["a.md#c0"]

    def test_a_relabelled_document_is_hidden_from_whom_it_must_be(self, store: Store) -> None:
        put(store, make_document("a.md", PAY))
        with store.writing() as transaction:
            assert (
                transaction.relabel("a.md", Sensitivity.CONFIDENTIAL).sensitivity
                is Sensitivity.CONFIDENTIAL
            )
        internal = Reader(Sensitivity.INTERNAL)
        assert found(store, "salary", reader=internal) == []
        assert found(store, "salary") == ["a.md#c0"]
        with store.writing() as transaction:
            transaction.relabel("a.md", Sensitivity.PUBLIC)
        assert found(store, "salary", reader=internal) == ["a.md#c0"]

    def test_a_restricted_document_is_kept_as_the_mode_says(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY, label=RESTRICTED))
        is_stub = backend.restricted_at_rest == "stub"
        state = state_of(store, "a.md")
        assert state is not None
        assert (state.sensitivity, state.is_stub) == (RESTRICTED, is_stub)
        assert found(store, "salary") == []
        assert backend.occurrences("salary") == 0
        with store.reading() as transaction:
            assert (transaction.find_document("a.md") is None) == is_stub
            assert transaction.visible_counts(Reader()) == (0, 0)
            assert transaction.withheld_documents() == ([] if is_stub else [("a.md", RESTRICTED)])
            census = transaction.census()
        assert (census.documents, census.chunks) == (0, 0)
        assert (census.restricted_documents, census.stubs) == ((0, 1) if is_stub else (1, 0))

    def test_a_document_raised_to_restricted_leaves_the_index_at_once(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY), make_document("b.md", LEAVE))
        with store.writing() as transaction:
            state = transaction.relabel("a.md", RESTRICTED)
        assert state.sensitivity is RESTRICTED
        assert found(store, "salary vacation") == ["b.md#c0"]
        assert store.erase()
        assert backend.occurrences("salary") == 0
        assert backend.occurrences("vacation") == 1

    def test_a_lowered_document_is_back_or_waits_for_its_text(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY))
        with store.writing() as transaction:
            transaction.relabel("a.md", RESTRICTED)
            state = transaction.relabel("a.md", Sensitivity.INTERNAL)
        is_stub = backend.restricted_at_rest == "stub"
        assert (state.sensitivity, state.is_stub) == (Sensitivity.INTERNAL, is_stub)
        assert found(store, "salary") == ([] if is_stub else ["a.md#c0"])
        put(store, make_document("a.md", PAY))
        assert found(store, "salary") == ["a.md#c0"]
        with store.reading() as transaction:
            assert transaction.census().stubs == 0

    def test_deleting_a_restricted_document_leaves_nothing(
        self, backend: Backend, store: Store
    ) -> None:
        totals = backend.totals()
        put(store, make_document("a.md", PAY, label=RESTRICTED))
        assert backend.totals() != totals
        with store.writing() as transaction:
            assert transaction.delete("a.md")
        assert store.erase()
        assert backend.totals() == totals
        assert state_of(store, "a.md") is None

    def test_stub_restricted_reduces_what_is_kept_with_its_text(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY, label=RESTRICTED), make_document("b.md", LEAVE))
        reduced = 1 if backend.restricted_at_rest == "text" else 0
        for expected in (reduced, 0):
            with store.writing() as transaction:
                assert transaction.stub_restricted() == expected
        assert store.erase()
        state = state_of(store, "a.md")
        assert state is not None
        assert (state.sensitivity, state.is_stub) == (RESTRICTED, True)
        assert found(store, "vacation") == ["b.md#c0"]

    def test_erasing_without_need_is_done_already(self, store: Store) -> None:
        put(store, make_document("a.md", PAY))
        assert store.erase()
        assert store.erase()

    def test_pending_erasure_is_counted_until_it_is_done(self, store: Store) -> None:
        put(store, make_document("a.md", PAY))
        with store.writing() as transaction:
            transaction.delete("a.md")
        with store.reading() as transaction:
            assert transaction.census().erasure_pending
        assert store.erase()
        with store.reading() as transaction:
            assert not transaction.census().erasure_pending

    def test_unknown_labels_are_counted_and_count_as_restricted(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY), make_document("b.md", LEAVE))
        backend.set_chunk_label("a.md#c1", "TOP SECRET")
        with store.reading() as transaction:
            census = transaction.census()
            assert (census.chunks, census.unknown_labels) == (2, 1)
            assert transaction.visible_counts(Reader()) == (2, 2)

    def test_counts_are_those_of_the_reader(self, store: Store) -> None:
        put(
            store,
            make_document("a.md", PAY, label=Sensitivity.PUBLIC, described={"collection": "x"}),
            make_document(
                "b.md", LEAVE, label=Sensitivity.CONFIDENTIAL, described={"collection": "x"}
            ),
            make_document("c.md", PAY, LEAVE),
            make_document("d.md", label=Sensitivity.PUBLIC),
        )
        with store.reading() as transaction:
            assert transaction.visible_counts(Reader()) == (4, 6)
            assert transaction.visible_counts(Reader(Sensitivity.INTERNAL)) == (3, 5)
            assert transaction.visible_counts(Reader(Sensitivity.PUBLIC)) == (2, 2)
            assert transaction.visible_counts(Reader(collections=frozenset({"x"}))) == (2, 3)
            assert transaction.visible_counts(Reader(collections=frozenset())) == (0, 0)

    def test_a_reader_sees_one_state_while_another_handle_writes(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", PAY))
        other = backend.open_store()
        with store.reading() as transaction:
            assert transaction.visible_counts(Reader()) == (1, 2)
            with other.writing() as writer:
                writer.put(make_document("b.md", LEAVE))
            assert transaction.visible_counts(Reader()) == (1, 2)
        with store.reading() as transaction:
            assert transaction.visible_counts(Reader()) == (2, 3)

    def test_a_reading_inside_a_reading_sees_the_same_state(self, store: Store) -> None:
        put(store, make_document("a.md", PAY))
        with store.reading():
            assert found(store, "salary") == ["a.md#c0"]
        assert found(store, "salary") == ["a.md#c0"]

    def test_a_closed_store_says_so(self, store: Store) -> None:
        store.close()
        with pytest.raises(StoreError, match="closed"), store.reading():
            pass
        with pytest.raises(StoreError, match="closed"), store.writing():
            pass

    def test_the_change_counter_moves_with_every_change_and_with_nothing_else(
        self, backend: Backend, store: Store
    ) -> None:
        other = backend.open_store()
        counted = [counter_of(other)]
        put(store, make_document("a.md", PAY))
        counted.append(counter_of(other))
        with store.writing() as transaction:
            transaction.relabel("a.md", Sensitivity.CONFIDENTIAL)
        counted.append(counter_of(other))
        with store.writing() as transaction:
            assert transaction.find("a.md") is not None
            assert not transaction.delete("missing.md")
        with pytest.raises(NotFoundError), store.writing() as transaction:  # noqa: PT012 two changes
            transaction.delete("a.md")
            transaction.relabel("missing.md", RESTRICTED)
        assert counter_of(other) == counted[-1]
        with store.writing() as transaction:
            transaction.delete("a.md")
        counted.append(counter_of(other))
        assert len(set(counted)) == 4
        assert counter_of(store) == counted[-1]
