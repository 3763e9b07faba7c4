"""Contract of candidates, windows and families: what an exit has to be told."""

from __future__ import annotations

import dataclasses

from ragspine_store.protocols import SectionLabel, Store
from ragspine_store.records import Hit
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.base import BackendSuite, children_of, put
from ragspine_store.testing.documents import Part, make_document

NESTED = (
    Part("A", ("one", "two")),
    Part("B", ("three",), level=2),
    Part("C", ("four",)),
)


class WindowSuite(BackendSuite):
    """A hit's row, its window and all labels over and in it."""

    def test_candidates_come_in_the_order_of_the_hits_without_the_vanished(
        self, store: Store
    ) -> None:
        put(store, make_document("a.md", *NESTED), make_document("b.md", *NESTED))
        keys = [c.key for c in (*children_of(store, "b.md"), *children_of(store, "a.md"))]
        hits = [Hit(key, float(no)) for no, key in enumerate([*reversed(keys), max(keys) + 1])]
        with store.reading() as transaction:
            candidates = transaction.candidates(hits)
        assert [(c.key, c.score) for c in candidates] == hits[:-1]

    def test_a_candidate_names_the_sections_above_it_outermost_first(self, store: Store) -> None:
        document = make_document("a.md", *NESTED)
        put(store, document)
        above = [[s.section_id for s in c.ancestors] for c in children_of(store, "a.md")]
        assert above == [["a.md#s1"], ["a.md#s1"], ["a.md#s1", "a.md#s2"], ["a.md#s3"]]
        spans = [section.span for section in document.loaded.outline.sections]
        assert children_of(store, "a.md")[2].ancestors == (
            SectionLabel("a.md#s1", "A", "", spans[1]),
            SectionLabel("a.md#s2", "B", "", spans[2]),
        )

    def test_a_window_is_the_parents_text_with_the_labels_in_it(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", *NESTED))
        backend.set_chunk_label("a.md#c1", "CONFIDENTIAL")
        with store.reading() as transaction:
            windows = transaction.windows(children_of(store, "a.md"))
        assert {key: window.text for key, window in windows.items()} == {
            "a.md#c0": "# A\n\none\n\ntwo",
            "a.md#c1": "# A\n\none\n\ntwo",
            "a.md#c2": "## B\n\nthree",
            "a.md#c3": "# C\n\nfour",
        }
        assert set(windows["a.md#c0"].labels) == {"INTERNAL", "CONFIDENTIAL"}
        assert set(windows["a.md#c2"].labels) == {"INTERNAL"}

    def test_a_window_tells_the_label_of_every_section_it_stands_in(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", *NESTED))
        backend.set_section_label("a.md", 1, "RESTRICTED")
        with store.reading() as transaction:
            windows = transaction.windows(children_of(store, "a.md"))
        assert [key for key, window in windows.items() if "RESTRICTED" in window.labels] == [
            "a.md#c0",
            "a.md#c1",
            "a.md#c2",
        ]

    def test_a_window_given_as_text_is_honoured(self, backend: Backend, store: Store) -> None:
        put(store, make_document("a.md", *NESTED))
        backend.set_window_text("a.md#c3", "given")
        with store.reading() as transaction:
            windows = transaction.windows(children_of(store, "a.md"))
        assert windows["a.md#c3"].text == "given"
        assert windows["a.md#c3"].labels == ("INTERNAL",)
        assert windows["a.md#c2"].text == "## B\n\nthree"

    def test_a_lost_text_leaves_children_without_windows_and_is_counted(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", *NESTED), make_document("b.md", *NESTED))
        backend.lose_text("a.md")
        with store.reading() as transaction:
            children = (*children_of(store, "a.md"), *children_of(store, "b.md"))
            windows = transaction.windows(children)
            assert transaction.census().missing_windows == 4
        assert [c.chunk.text for c in children[:4]] == ["one", "two", "three", "four"]
        assert {key.partition("#")[0] for key in windows} == {"b.md"}

    def test_children_of_the_default_chunker_have_no_window(self, store: Store) -> None:
        put(store, make_document("a.md", *NESTED, windows=False))
        with store.reading() as transaction:
            assert transaction.windows(children_of(store, "a.md")) == {}
            assert transaction.census().missing_windows == 0

    def test_children_are_given_by_parent_in_document_order(self, store: Store) -> None:
        put(store, make_document("a.md", *NESTED), make_document("b.md", *NESTED))
        with store.reading() as transaction:
            families = transaction.children(["b.md#s1", "a.md#s3", "a.md#s9", "c.md#s1", ""])
        assert {key: [c.chunk.chunk_id for c in family] for key, family in families.items()} == {
            "b.md#s1": ["b.md#c0", "b.md#c1"],
            "a.md#s3": ["a.md#c3"],
        }

    def test_rows_hide_their_text_from_repr(self, store: Store) -> None:
        put(store, make_document("a.md", Part("HEADING", ("TEXT",)), described={"title": "TITLE"}))
        with store.reading() as transaction:
            view = transaction.find_document("a.md")
            windows = transaction.windows(children_of(store, "a.md"))
        assert view is not None
        shown = repr(view) + repr(windows) + repr(dataclasses.replace(view.chunks[0], score=1.0))
        assert not [word for word in ("HEADING", "TEXT", "TITLE") if word in shown]
