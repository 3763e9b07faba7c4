"""Contract of labels inside a document: a part can be stricter than its document, never less."""

from __future__ import annotations

import dataclasses

import pytest

from ragspine_store.errors import NotFoundError
from ragspine_store.protocols import Scope, Store
from ragspine_store.query import parse_query
from ragspine_store.records import PartState, PreparedDocument
from ragspine_store.sensitivity import Reader, Sensitivity, stored_label
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.base import BackendSuite, children_of, found, put
from ragspine_store.testing.documents import Part, make_document

OPEN = Part("Open", ("tea one", "tea two"))
PLAN = Part("Plan", ("tea secretword",))
DETAIL = Part("Detail", ("tea detailword",), level=2)
LAST = Part("Last", ("tea last",))
LIST = Part("Cases", ("leadword in these cases:", "illness", "moving"))
RESTRICTED = Sensitivity.RESTRICTED


def with_lead_in(document: PreparedDocument) -> PreparedDocument:
    """A document whose first child is the line that its other children belong to."""
    lead, *items = document.chunks
    items = (dataclasses.replace(item, lead_in=lead.span) for item in items)
    return dataclasses.replace(document, chunks=(lead, *items))


def raise_part(store: Store, node_id: str, level: Sensitivity) -> None:
    """Change a part's label, and erase what that leaves."""
    with store.writing() as transaction:
        transaction.relabel_part(node_id, level)
    assert store.erase()


def state_of(store: Store, node_id: str) -> PartState:
    """What the store knows of a part."""
    with store.writing() as transaction:
        state = transaction.find_part(node_id)
    assert state is not None
    return state


class PartSuite(BackendSuite):
    """Labels of sections and children."""

    @pytest.mark.parametrize(
        "node_id", ["a.md#s9", "a.md#c9", "a.md", "a.md#para1", "b.md#s1", "", "\ud800#s1"]
    )
    def test_a_part_that_is_not_there(self, store: Store, node_id: str) -> None:
        put(store, make_document("a.md", OPEN))
        with store.writing() as transaction:
            assert transaction.find_part(node_id) is None
            with pytest.raises(NotFoundError, match="no section or child"):
                transaction.relabel_part(node_id, RESTRICTED)

    def test_a_restricted_section_goes_with_all_below_it_and_the_others_stay(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", OPEN, PLAN, DETAIL, LAST))
        raise_part(store, "a.md#s2", RESTRICTED)
        assert set(found(store, "tea")) == {"a.md#c0", "a.md#c1", "a.md#c4"}
        for word in ("secretword", "detailword", "plan", "detail"):
            assert backend.occurrences(word) == 0
        with store.reading() as transaction:
            assert transaction.visible_counts(Reader()) == (1, 3)
            windows = transaction.windows(children_of(store, "a.md"))
        assert windows["a.md#c4"].text == "# Last\n\ntea last"
        assert set(windows["a.md#c4"].labels) == {"INTERNAL"}

    def test_the_text_of_a_restricted_part_is_kept_as_the_mode_says(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", OPEN, PLAN, LAST))
        raise_part(store, "a.md#s2", RESTRICTED)
        with store.reading() as transaction:
            view = transaction.find_document("a.md")
        assert view is not None
        assert view.text is not None
        kept = view.text + "".join(chunk.chunk.text for chunk in view.chunks)
        assert ("secretword" in kept) == (backend.restricted_at_rest == "text")
        assert state_of(store, "a.md#s2").is_erased == (backend.restricted_at_rest == "stub")
        assert not state_of(store, "a.md#s1").is_erased
        for chunk in view.chunks:
            if chunk.chunk.text:
                assert chunk.span is not None
                assert view.text[slice(*chunk.span)] == chunk.chunk.text

    def test_a_window_tells_the_label_of_a_child_in_it(self, store: Store) -> None:
        put(store, make_document("a.md", OPEN, LAST))
        raise_part(store, "a.md#c1", Sensitivity.CONFIDENTIAL)
        with store.reading() as transaction:
            windows = transaction.windows(children_of(store, "a.md"))
        assert max(map(stored_label, windows["a.md#c0"].labels)) is Sensitivity.CONFIDENTIAL
        assert set(windows["a.md#c2"].labels) == {"INTERNAL"}
        low = Reader(Sensitivity.INTERNAL)
        assert set(found(store, "tea", reader=low)) == {"a.md#c0", "a.md#c2"}
        assert len(found(store, "tea")) == 3

    def test_restricted_parts_change_no_score(self, store: Store) -> None:
        def scores(doc_id: str) -> list[float]:
            with store.reading() as transaction:
                scope = Scope(Reader(), {"doc_id": [doc_id]})
                return [hit.score for hit in transaction.search(parse_query("tea"), scope, 10)]

        put(store, make_document("a.md", OPEN, LAST))
        without = scores("a.md")
        with store.writing() as transaction:
            transaction.delete("a.md")
        put(store, make_document("b.md", OPEN, PLAN, DETAIL, LAST))
        assert scores("b.md") != without
        raise_part(store, "b.md#s2", RESTRICTED)
        assert scores("b.md") == without

    def test_a_part_keeps_its_label_when_its_documents_comes_and_goes(self, store: Store) -> None:
        put(store, make_document("a.md", OPEN, PLAN, LAST))
        raise_part(store, "a.md#s2", Sensitivity.CONFIDENTIAL)
        low = Reader(Sensitivity.INTERNAL)
        for level in (Sensitivity.CONFIDENTIAL, Sensitivity.PUBLIC, Sensitivity.INTERNAL):
            with store.writing() as transaction:
                transaction.relabel("a.md", level)
            assert "a.md#c2" not in found(store, "tea", reader=low)
            assert "a.md#c2" in found(store, "tea")
        assert state_of(store, "a.md#s2").label is Sensitivity.CONFIDENTIAL
        with store.writing() as transaction:
            state = transaction.find("a.md")
        assert state is not None
        assert state.strictest_part is Sensitivity.CONFIDENTIAL

    def test_labels_of_a_part_and_of_what_it_stands_in_are_each_kept(self, store: Store) -> None:
        low = Reader(Sensitivity.INTERNAL)
        for first, second in (("s2", "c2"), ("c2", "s2")):
            put(store, make_document("a.md", OPEN, PLAN, LAST))
            for fragment in (first, second):
                raise_part(store, f"a.md#{fragment}", Sensitivity.CONFIDENTIAL)
            assert set(found(store, "tea", reader=low)) == {"a.md#c0", "a.md#c1", "a.md#c3"}
            raise_part(store, f"a.md#{first}", Sensitivity.INTERNAL)
            assert set(found(store, "tea", reader=low)) == {"a.md#c0", "a.md#c1", "a.md#c3"}
            raise_part(store, f"a.md#{second}", Sensitivity.INTERNAL)
            assert len(found(store, "tea", reader=low)) == 4

    def test_a_document_put_again_has_the_labels_it_is_put_with(self, store: Store) -> None:
        put(store, make_document("a.md", OPEN, PLAN, LAST))
        raise_part(store, "a.md#s2", RESTRICTED)
        put(store, make_document("a.md", OPEN, PLAN, LAST))
        assert len(found(store, "tea")) == 4

    def test_labels_that_another_program_wrote_are_kept_when_others_change(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", OPEN, PLAN, DETAIL, LAST))
        backend.set_section_label("a.md", 3, "TOP SECRET")
        backend.set_chunk_label("a.md#c0", " restricted\u200b")
        raise_part(store, "a.md#c4", Sensitivity.CONFIDENTIAL)
        assert set(found(store, "tea")) == {"a.md#c1", "a.md#c2", "a.md#c4"}
        with store.writing() as transaction:
            transaction.relabel("a.md", Sensitivity.CONFIDENTIAL)
            transaction.relabel("a.md", Sensitivity.INTERNAL)
        assert set(found(store, "tea")) == {"a.md#c1", "a.md#c2", "a.md#c4"}

    def test_an_item_is_found_by_the_line_that_its_list_begins_with(self, store: Store) -> None:
        put(store, with_lead_in(make_document("a.md", LIST)))
        assert set(found(store, "leadword")) == {"a.md#c0", "a.md#c1", "a.md#c2"}
        assert found(store, "leadword moving")[0] == "a.md#c2"
        with store.writing() as transaction:
            transaction.delete("a.md")
        assert store.erase()
        assert found(store, "leadword") == []

    @pytest.mark.parametrize("level", [Sensitivity.CONFIDENTIAL, RESTRICTED])
    def test_a_line_that_is_stricter_than_an_item_does_not_make_it_found(
        self, backend: Backend, store: Store, level: Sensitivity
    ) -> None:
        low = Reader(Sensitivity.INTERNAL)
        put(store, with_lead_in(make_document("a.md", LIST)))
        raise_part(store, "a.md#c0", level)
        assert found(store, "leadword", reader=low) == []
        assert found(store, "leadword") == ([] if level is RESTRICTED else ["a.md#c0"])
        assert set(found(store, "illness moving", reader=low)) == {"a.md#c1", "a.md#c2"}
        # An item that only those may read who may read the line is found by it.
        raise_part(store, "a.md#c1", Sensitivity.CONFIDENTIAL)
        assert ("a.md#c1" in found(store, "leadword")) == (level is not RESTRICTED)
        assert found(store, "leadword", reader=low) == []
        with store.writing() as transaction:
            transaction.relabel("a.md", Sensitivity.CONFIDENTIAL)
        assert ("a.md#c2" in found(store, "leadword")) == (level is not RESTRICTED)
        if level is RESTRICTED:
            assert backend.occurrences("leadword") == 0

    def test_a_line_whose_label_is_lowered_makes_its_items_found_again(self, store: Store) -> None:
        put(store, with_lead_in(make_document("a.md", LIST)))
        raise_part(store, "a.md#s1", Sensitivity.CONFIDENTIAL)
        raise_part(store, "a.md#c0", Sensitivity.CONFIDENTIAL)
        raise_part(store, "a.md#s1", Sensitivity.INTERNAL)
        assert found(store, "leadword") == ["a.md#c0"]
        raise_part(store, "a.md#c0", Sensitivity.INTERNAL)
        assert len(found(store, "leadword", reader=Reader(Sensitivity.INTERNAL))) == 3
