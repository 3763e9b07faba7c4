"""Contract of what a copy reads and writes: all that is kept, and nothing that a backend shapes."""

from __future__ import annotations

from ragspine_store.copying import copy_store
from ragspine_store.protocols import Store
from ragspine_store.relations import Verdict
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.base import BackendSuite, put
from ragspine_store.testing.copies import fill_store, made, read_kept, reads
from ragspine_store.testing.documents import Part
from ragspine_store.testing.relations import fill, model_edge
from ragspine_store.testing.vectors import embedded


def empty(store: Store) -> None:
    """Take all but the logs."""
    kept = read_kept(store)
    with store.writing() as transaction:
        for document in kept.documents:
            transaction.delete(document.doc_id)
        transaction.kept.clear_profile()
        for stub in kept.stubs:
            transaction.kept.remove_stub(stub.id_hash)
    assert store.erase()


class CopySuite(BackendSuite):
    """What is kept, as values."""

    def test_what_is_taken_out_and_written_again_is_the_same(
        self, backend: Backend, store: Store
    ) -> None:
        fill_store(backend, store)
        kept, told, totals = read_kept(store), list(reads(store)), backend.totals()
        empty(store)
        assert read_kept(store).documents == ()
        with store.writing() as transaction:
            for document in kept.documents:
                transaction.kept.write_document(document)
            transaction.kept.write_stubs(kept.stubs)
            for relations in kept.relations:
                transaction.kept.write_relations(relations)
            transaction.kept.write_profile(kept.profile)
        assert read_kept(store) == kept
        assert list(reads(store)) == told
        assert backend.totals() == totals

    def test_the_values_hold_something_of_everything(self, backend: Backend, store: Store) -> None:
        fill_store(backend, store)
        kept = read_kept(store)
        for group in (kept.documents, kept.relations):
            for name in type(group[0]).__dataclass_fields__:
                assert any(getattr(one, name) for one in group), name
        relations = [one for group in kept.relations for one in group.relations]
        assert {one.is_judged for one in relations} == {True, False}
        assert any(one.is_stale and one.floor for one in relations)
        assert any(child.own_label for one in kept.documents for child in one.children)
        assert any(section.own_label for one in kept.documents for section in one.sections)
        assert kept.profile.rules
        assert kept.profile.labels
        assert {len(log) > 0 for log in kept.logs} == {True}
        if backend.restricted_at_rest == "stub":
            assert len(kept.stubs) == 2
            assert any(child.is_erased for one in kept.documents for child in one.children)

    def test_relations_are_written_anew_in_place_of_what_was_kept(
        self, backend: Backend, store: Store
    ) -> None:
        fill_store(backend, store)
        kept, totals = read_kept(store), backend.totals()
        with store.writing() as transaction:
            for relations in kept.relations:
                transaction.kept.clear_relations(relations.doc_id)
                transaction.kept.write_relations(relations)
            transaction.kept.clear_profile()
            transaction.kept.write_profile(kept.profile)
        assert read_kept(store) == kept
        assert backend.totals() == totals

    def test_a_verdict_goes_on_in_what_was_written(self, backend: Backend, store: Store) -> None:
        put(store, made("a.md", Part("Pay", ("Acme pays Beta.", "Acme pays Gamma."))))
        fill(backend, store, "a.md")
        kept = read_kept(store)
        with store.writing() as transaction:
            transaction.kept.clear_relations("a.md")
            transaction.kept.write_relations(kept.relations[0])
        edge = model_edge(store)
        with store.writing() as transaction:
            transaction.record_verdict(edge.key.edge_id, Verdict.REJECTED, reviewer="K", note="")
        judged = model_edge(store)
        assert judged.verdict is Verdict.REJECTED
        assert not judged.has_new_evidence

    def test_reading_costs_the_same_for_a_long_document(
        self, backend: Backend, store: Store
    ) -> None:
        texts = tuple(f"Paragraph number {n}." for n in range(60))
        put(store, embedded(made("short.md", Part("Pay", texts[:2]))))
        put(store, embedded(made("long.md", Part("Pay", texts))))
        fill(backend, store, "short.md")
        fill(backend, store, "long.md")

        def read(doc_id: str) -> int:
            with store.reading() as transaction:
                kept = transaction.kept
                return backend.statements(
                    store, lambda: (kept.document(doc_id), kept.relations(doc_id))
                )

        assert read("short.md") == read("long.md") <= 15

    def test_a_store_copied_onto_itself_is_what_it_is(self, backend: Backend, store: Store) -> None:
        fill_store(backend, store)
        other = backend.open_store()
        totals = backend.totals()
        report = copy_store(store, other, source_name="itself")
        assert report.is_equal
        assert (report.copied, report.passed_over) == (0, len(read_kept(store).documents))
        assert backend.totals() == totals
