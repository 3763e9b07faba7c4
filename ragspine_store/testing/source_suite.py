"""Contract of what a store keeps of a document's file: skipped unchanged, moved, found gone."""

from __future__ import annotations

import dataclasses

from ragspine_store.protocols import KeptSource, Store
from ragspine_store.records import Origin, PreparedDocument
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.base import BackendSuite, children_of, found, put
from ragspine_store.testing.documents import Part, make_document

PAY = Part("Pay", ("The salary is paid monthly.",))
ORIGIN = Origin("content", "inputs", is_stated=False)
INTERNAL, CONFIDENTIAL, RESTRICTED = (
    Sensitivity.INTERNAL,
    Sensitivity.CONFIDENTIAL,
    Sensitivity.RESTRICTED,
)


def made(
    doc_id: str, label: Sensitivity = INTERNAL, *, root: str = "/srv/rules"
) -> PreparedDocument:
    """A document with an origin, from a file below a root."""
    document = make_document(
        doc_id, PAY, label=label, fingerprint="f", source_path=f"{root}/{doc_id}"
    )
    return dataclasses.replace(document, origin=ORIGIN)


def is_made_of(store: Store, doc_id: str, inputs: str) -> bool:
    """Whether the store takes the document for unchanged."""
    with store.writing() as transaction:
        return transaction.is_made_of(doc_id, inputs)


def sources(store: Store, folder: str, root: str = "/srv/rules") -> list[KeptSource]:
    """What is kept of files below a folder."""
    with store.writing() as transaction:
        return transaction.sources_below(folder, root)


def label_of(store: Store, doc_id: str) -> Sensitivity | None:
    """The label in force, None without such a document."""
    with store.writing() as transaction:
        state = transaction.find(doc_id)
    return state and state.sensitivity


class SourceSuite(BackendSuite):
    """Visible documents and RESTRICTED ones, whose stubs keep keyed hashes alone, answer alike."""

    def test_a_document_is_made_of_its_inputs_until_its_label_is_changed_by_hand(
        self, store: Store
    ) -> None:
        put(store, made("a.md"), made("b.md", RESTRICTED))
        for doc_id, level in (("a.md", CONFIDENTIAL), ("b.md", RESTRICTED)):
            assert is_made_of(store, doc_id, "inputs")
            assert not is_made_of(store, doc_id, "others")
            with store.writing() as transaction:
                transaction.relabel(doc_id, level)
            assert not is_made_of(store, doc_id, "inputs")
            with store.writing() as transaction:
                transaction.note_origin(doc_id, Origin("content", "others"))
            assert is_made_of(store, doc_id, "others")
        assert not is_made_of(store, "c.md", "inputs")

    def test_a_document_raised_to_restricted_is_found_by_its_bytes(self, store: Store) -> None:
        put(store, made("a.md"))
        with store.writing() as transaction:
            transaction.relabel("a.md", RESTRICTED)
        (kept,) = sources(store, "/srv/rules")
        with store.writing() as transaction:
            assert kept.content == transaction.alias("content")
            assert kept.source == transaction.alias("/srv/rules/a.md")

    def test_whether_a_label_was_stated_is_kept(self, store: Store) -> None:
        put(store, made("a.md"), made("b.md", RESTRICTED))
        for doc_id, level in (("a.md", CONFIDENTIAL), ("b.md", RESTRICTED)):
            with store.writing() as transaction:
                state = transaction.find(doc_id)
                assert state is not None
                assert not state.is_stated
                assert transaction.relabel(doc_id, level).is_stated

    def test_sources_are_those_below_the_folder_and_stubs_those_of_the_root(
        self, backend: Backend, store: Store
    ) -> None:
        put(
            store,
            made("hr/a.md"),
            made("hr/b/c.md", RESTRICTED),
            made("hrx/d.md"),
            made("e.md", RESTRICTED),
            make_document("text", PAY),
        )
        is_stub = backend.restricted_at_rest == "stub"
        hidden = ("", "") if is_stub else ("hr/b/c.md", "/srv/rules/hr/b/c.md")
        kept = sources(store, "/srv/rules/hr")
        assert [(k.doc_id, k.source_path) for k in kept] == [
            ("hr/a.md", "/srv/rules/hr/a.md"),
            hidden,
        ]
        assert [k.strictest for k in kept] == [INTERNAL, RESTRICTED]
        assert len(sources(store, "/srv/rules")) == 4
        assert len(sources(store, "/srv/rules/hr", "/")) == (1 if is_stub else 2)
        assert sources(store, "/srv/rules/h") == []

    def test_documents_are_found_by_their_bytes_wherever_their_files_lay(
        self, backend: Backend, store: Store
    ) -> None:
        put(
            store,
            made("a.md", CONFIDENTIAL),
            made("b.md", RESTRICTED, root="/elsewhere"),
            make_document("text", PAY),
        )
        hidden = "" if backend.restricted_at_rest == "stub" else "b.md"
        with store.writing() as transaction:
            known = transaction.sources_of(["content", "of another file"])
            assert transaction.sources_of(["of another file"]) == []
            assert transaction.sources_of([]) == []
        assert [kept.doc_id for kept in known] == ["a.md", hidden]
        assert [kept.strictest for kept in known] == [CONFIDENTIAL, RESTRICTED]

    def test_a_moved_document_keeps_its_label_and_is_named_anew(self, store: Store) -> None:
        put(store, made("a.md", CONFIDENTIAL), made("b.md", RESTRICTED))
        with store.writing() as transaction:
            for kept in transaction.sources_below("/srv/rules", "/srv/rules"):
                new = "in/a.md" if kept.label is CONFIDENTIAL else "in/b.md"
                assert transaction.move(kept, new, f"/srv/rules/{new}")
                assert not transaction.move(kept, f"{new}.md", "/srv/rules/x.md")
        assert [label_of(store, name) for name in ("a.md", "b.md")] == [None, None]
        assert [label_of(store, f"in/{name}.md") for name in "ab"] == [CONFIDENTIAL, RESTRICTED]
        assert found(store, "salary") == ["in/a.md#c0"]
        (child,) = children_of(store, "in/a.md")
        assert (child.chunk.doc_id, child.chunk.parent_id) == ("in/a.md", "in/a.md#s1")
        assert len(sources(store, "/srv/rules/in")) == 2
        put(store, made("in/a.md", CONFIDENTIAL), made("in/b.md", RESTRICTED))
        assert len(sources(store, "/srv/rules")) == 2

    def test_nothing_is_moved_onto_another_document(self, store: Store) -> None:
        put(store, made("a.md"), made("b.md", CONFIDENTIAL))
        with store.writing() as transaction:
            kept = transaction.sources_below("/srv/rules", "/srv/rules")[0]
            assert not transaction.move(kept, "b.md", "/srv/rules/b.md")
        assert found(store, "salary") == ["a.md#c0", "b.md#c0"]

    def test_what_is_removed_leaves_nothing(self, backend: Backend, store: Store) -> None:
        totals = backend.totals()
        put(store, made("a.md"), made("b.md", RESTRICTED))
        with store.writing() as transaction:
            for kept in transaction.sources_below("/srv/rules", "/srv/rules"):
                assert transaction.remove(kept)
                assert not transaction.remove(kept)
        assert store.erase()
        assert backend.totals() == totals
        assert backend.occurrences("salary") == 0

    def test_a_document_that_came_from_another_file_by_now_is_not_removed(
        self, store: Store
    ) -> None:
        put(store, made("a.md"))
        (kept,) = sources(store, "/srv/rules")
        put(store, made("a.md", root="/other"))
        with store.writing() as transaction:
            assert not transaction.remove(kept)
            assert not transaction.move(kept, "b.md", "/srv/rules/b.md")
        assert found(store, "salary") == ["a.md#c0"]
