"""Contract of passages and branches: what a merge walks up, and what it must not."""

from __future__ import annotations

import pytest

from ragspine_store.protocols import Branch, BranchKey, Candidate, Place, Store
from ragspine_store.records import PreparedDocument, Span
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.base import BackendSuite, children_of, put
from ragspine_store.testing.documents import Part, make_document

# s0 holds s1, which holds c0, c1 and s2 (c2, c3), and s3, which holds c4.
TREE = (
    Part("A", ("one", "two")),
    Part("B", ("three", "four"), level=2),
    Part("C", ("five",)),
)
CONFIDENTIAL = Sensitivity.CONFIDENTIAL


def branches_of(
    store: Store, *children: Candidate, clearance: Sensitivity = CONFIDENTIAL
) -> dict[BranchKey, Branch]:
    """The branches above some children."""
    with store.reading() as transaction:
        return transaction.branches(children, clearance)


def hiding(store: Store, doc_id: str, clearance: Sensitivity = CONFIDENTIAL) -> list[int]:
    """Which branches of a document hide something from such a reader."""
    branches = branches_of(store, *children_of(store, doc_id), clearance=clearance)
    return sorted(key.no for key, branch in branches.items() if branch.hides)


def span_of(document: PreparedDocument, no: int) -> Span:
    """Where a section of a document stands."""
    return document.loaded.outline.sections[no].span


class TreeSuite(BackendSuite):
    """The tree above the hits, and the texts of its branches."""

    def test_a_branch_tells_what_a_merge_has_to_know(self, store: Store) -> None:
        document = make_document("a.md", *TREE)
        put(store, document)
        children = children_of(store, "a.md")
        assert [child.node for child in children] == [1, 1, 2, 2, 3]
        branches = branches_of(store, *children)
        assert {
            key.no: (b.parent, b.name, b.locator, b.children) for key, b in branches.items()
        } == {
            0: (None, "s0", "a.md#para1-8", 2),
            1: (0, "s1", "a.md#para1-6", 3),
            2: (1, "s2", "a.md#para4-6", 2),
            3: (0, "s3", "a.md#para7-8", 1),
        }
        for key, branch in branches.items():
            assert (key, branch.key, branch.hides) == (BranchKey("a.md", key.no), key, False)
            assert branch.span == span_of(document, key.no)

    def test_a_branch_without_a_child_to_hit_is_not_counted(self, store: Store) -> None:
        empty = Part("D", ()), Part("E", (), level=2)
        put(store, make_document("a.md", *TREE, *empty))
        branches = branches_of(store, *children_of(store, "a.md"))
        assert branches[BranchKey("a.md", 0)].children == 2

    def test_all_branches_above_a_child_come_and_no_other(self, store: Store) -> None:
        put(store, make_document("a.md", *TREE), make_document("b.md", *TREE))
        deep, _ = children_of(store, "a.md")[2:4]
        last = children_of(store, "b.md")[4]
        assert set(branches_of(store, deep, last, deep)) == {
            BranchKey("a.md", 0),
            BranchKey("a.md", 1),
            BranchKey("a.md", 2),
            BranchKey("b.md", 0),
            BranchKey("b.md", 3),
        }
        assert branches_of(store) == {}

    def test_children_outside_of_a_tree_have_no_branches(self, store: Store) -> None:
        put(store, make_document("a.md", *TREE, windows=False))
        assert [child.node for child in children_of(store, "a.md")] == [None] * 5
        assert branches_of(store, *children_of(store, "a.md")) == {}
        with store.reading() as transaction:
            assert transaction.census().missing_branches == 0

    @pytest.mark.parametrize(
        ("part", "hiders"),
        [("c1", [0, 1]), ("c3", [0, 1, 2]), ("c4", [0, 3]), ("s2", [0, 1, 2]), ("s3", [0, 3])],
    )
    def test_a_branch_hides_what_is_stricter_inside_it_from_whom_may_not_see_it(
        self, store: Store, part: str, hiders: list[int]
    ) -> None:
        put(store, make_document("a.md", *TREE))
        with store.writing() as transaction:
            transaction.relabel_part(f"a.md#{part}", CONFIDENTIAL)
        assert hiding(store, "a.md") == []
        assert hiding(store, "a.md", Sensitivity.INTERNAL) == hiders
        with store.writing() as transaction:
            transaction.relabel_part(f"a.md#{part}", Sensitivity.RESTRICTED)
        assert store.erase()
        assert hiding(store, "a.md") == hiders
        put(store, make_document("a.md", *TREE))
        assert hiding(store, "a.md", Sensitivity.INTERNAL) == []

    def test_a_branch_hides_a_section_that_another_program_labelled(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", *TREE))
        backend.set_section_label("a.md", 2, "TOP SECRET")
        assert hiding(store, "a.md") == [0, 1, 2]

    def test_a_branch_that_is_gone_cuts_off_what_is_above_it_and_is_counted(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("a.md", *TREE))
        backend.lose_node("a.md", 1)
        children = children_of(store, "a.md")
        assert {key.no for key in branches_of(store, *children)} == {0, 2, 3}
        with store.reading() as transaction:
            # Two children and a branch hung in it.
            assert transaction.census().missing_branches == 3
            assert transaction.census().missing_windows == 0
            assert len(transaction.windows(children)) == 5

    def test_a_document_that_goes_takes_its_tree_along(
        self, backend: Backend, store: Store
    ) -> None:
        put(store, make_document("b.md", *TREE))
        totals = backend.totals()
        put(store, make_document("a.md", *TREE))
        put(store, make_document("a.md", Part("A", ("one",))))
        assert len(branches_of(store, *children_of(store, "a.md"))) == 2
        with store.writing() as transaction:
            assert transaction.delete("a.md")
        assert store.erase()
        assert backend.totals() == totals

    def test_a_passage_is_the_text_at_a_place_with_all_labels_in_it(
        self, backend: Backend, store: Store
    ) -> None:
        document = make_document("a.md", *TREE)
        put(store, document)
        backend.set_chunk_label("a.md#c3", " top secret")
        places = [Place("a.md", span_of(document, no)) for no in range(4)]
        with store.reading() as transaction:
            passages = transaction.passages([*places, places[0]])
        assert {place: passage.text for place, passage in passages.items()} == {
            place: document.loaded.text[slice(*place.span)] for place in places
        }
        labels = [set(passages[place].labels) for place in places]
        both = {"INTERNAL", " top secret"}
        assert labels == [both, both, both, {"INTERNAL"}]
        backend.set_section_label("a.md", 3, "CONFIDENTIAL")
        with store.reading() as transaction:
            passages = transaction.passages(places)
        assert set(passages[places[0]].labels) == {*both, "CONFIDENTIAL"}
        assert set(passages[places[1]].labels) == both
        assert set(passages[places[3]].labels) == {"INTERNAL", "CONFIDENTIAL"}

    def test_a_passage_that_cannot_be_resolved_is_left_out(
        self, backend: Backend, store: Store
    ) -> None:
        document = make_document("a.md", *TREE)
        put(store, document, make_document("b.md", *TREE))
        whole = span_of(document, 0)
        there = Place("b.md", whole)
        places = [
            Place("a.md", whole),
            there,
            Place("c.md", whole),
            Place("b.md", Span(0, whole.end + 1)),
        ]
        backend.lose_text("a.md")
        with store.reading() as transaction:
            assert set(transaction.passages(places)) == {there}
            assert transaction.passages([]) == {}

    def test_passages_and_branches_take_as_many_queries_whatever_is_asked(
        self, backend: Backend, store: Store
    ) -> None:
        deep = tuple(Part(f"Level {n}", ("a", "b"), level=n) for n in range(1, 7))
        document = make_document("deep.md", *deep)
        put(store, document, make_document("b.md", *TREE))
        children = (*children_of(store, "deep.md"), *children_of(store, "b.md"))
        places = [Place("deep.md", section.span) for section in document.loaded.outline.sections]
        with store.reading() as transaction:
            branches = {
                backend.statements(
                    store, lambda some=some: transaction.branches(some, CONFIDENTIAL)
                )
                for some in (children[:1], children[10:11], children)
            }
            passages = {
                backend.statements(store, lambda some=some: transaction.passages(some))
                for some in (places[:1], places)
            }
        assert branches == {1}
        assert len(passages) == 1

    def test_branches_and_passages_hide_their_text_from_repr(self, store: Store) -> None:
        document = make_document("a.md", Part("HEADING", ("TEXT",)))
        put(store, document)
        branches = branches_of(store, *children_of(store, "a.md"))
        with store.reading() as transaction:
            passages = transaction.passages([Place("a.md", span_of(document, 0))])
        shown = repr(branches) + repr(passages)
        assert passages
        assert not [word for word in ("HEADING", "TEXT") if word in shown]

    def test_a_graph_node_leads_to_the_first_child_in_it(self, store: Store) -> None:
        put(store, make_document("a.md", *TREE))
        put(store, make_document("b.md", Part("A", ("one",))))
        wanted = {
            "section:a.md#s1": "a.md#c0",
            "section:a.md#s2": "a.md#c2",
            "section:a.md#s3": "a.md#c4",
            "child:a.md#c3": "a.md#c3",
            "section:b.md#s1": "b.md#c0",
        }
        others = (
            *("section:a.md#s9", "child:a.md#c5", "child:b.md#c1", "section:c.md#s1"),
            *("document:a.md", "term:x@a.md", "metric:M", "section:a.md#c0", "a.md#c0", ""),
        )
        with store.reading() as transaction:
            found = transaction.first_children([*wanted, *others])
            assert transaction.first_children([]) == {}
        assert {node: child.chunk.chunk_id for node, child in found.items()} == wanted
        assert [s.section_id for s in found["section:a.md#s2"].ancestors] == ["a.md#s1", "a.md#s2"]
