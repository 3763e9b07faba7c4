"""Auto-merge, against a reference written from the rules."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.errors import RequestError
from ragspine_graph.retrieval.auto_merge import auto_merge
from ragspine_store.protocols import Branch, BranchKey, Candidate
from ragspine_store.records import Span, StoredChunk

DOC = "rules.md"


@dataclass(frozen=True)
class Tree:
    """Branches by number with their parents and the leaves directly in them."""

    parents: tuple[int | None, ...]
    leaves: tuple[int, ...]
    hidden: frozenset[int] = frozenset()

    def branches(self) -> dict[BranchKey, Branch]:
        below = [self.leaves.count(no) + self.parents.count(no) for no in range(len(self.parents))]
        return {
            BranchKey(DOC, no): Branch(
                key=BranchKey(DOC, no),
                parent=parent,
                name=f"s{no}",
                span=Span(0, 1),
                locator=f"{DOC}#para1",
                children=below[no],
                hides=any(hidden == no or no in self.above(hidden) for hidden in self.hidden),
            )
            for no, parent in enumerate(self.parents)
        }

    def above(self, no: int) -> list[int]:
        found: list[int] = []
        parent = self.parents[no]
        while parent is not None:
            found.append(parent)
            parent = self.parents[parent]
        return found

    def candidate(self, leaf: int, score: float) -> Candidate:
        return Candidate(
            key=leaf,
            chunk=StoredChunk(f"{DOC}#c{leaf}", DOC, leaf, "text", f"{DOC}#para1", 1, 1),
            score=score,
            collection="default",
            document_label="INTERNAL",
            ancestors=(),
            node=self.leaves[leaf],
            span=Span(leaf, leaf + 1),
            window=None,
            raw_span=None,
            pages=None,
        )


def reference(
    tree: Tree, hits: set[int], threshold: float
) -> set[tuple[int | None, frozenset[int]]]:
    """The rules, word for word: recursive, from the root down."""
    branches = tree.branches()

    def merges(no: int) -> bool:
        leaves = {leaf for leaf in hits if tree.leaves[leaf] == no}
        merged = [
            child for child, parent in enumerate(tree.parents) if parent == no and merges(child)
        ]
        branch = branches[BranchKey(DOC, no)]
        enough = (len(leaves) + len(merged)) / max(branch.children, 1) >= threshold
        return branch.children > 1 and not branch.hides and enough

    def top(leaf: int) -> int | None:
        chain = [tree.leaves[leaf], *tree.above(tree.leaves[leaf])]
        return next((no for no in reversed(chain) if merges(no)), None)

    tops = {leaf: top(leaf) for leaf in hits}
    singles: set[tuple[int | None, frozenset[int]]] = {
        (None, frozenset({leaf})) for leaf, no in tops.items() if no is None
    }
    return singles | {
        (no, frozenset(leaf for leaf in hits if tops[leaf] == no))
        for no in set(tops.values())
        if no is not None
    }


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    size = draw(st.integers(1, 8))
    parents = (None, *(draw(st.integers(0, no - 1)) for no in range(1, size)))
    leaves = draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=14))
    hidden = draw(st.frozensets(st.integers(0, size - 1), max_size=2))
    return Tree(parents, tuple(leaves), hidden)


@given(trees(), st.data(), st.sampled_from([0.2, 0.5, 0.75, 1.0]))
def test_merging_follows_the_rules_whatever_the_tree_and_the_order_of_hits(
    tree: Tree, data: st.DataObject, threshold: float
) -> None:
    leaves = range(len(tree.leaves))
    hits = data.draw(st.sets(st.sampled_from(leaves)))
    order = [*hits, *data.draw(st.lists(st.sampled_from(sorted(hits) or [0]), max_size=3))]
    order = [leaf for leaf in order if leaf in hits]
    random.Random(data.draw(st.integers(0, 9))).shuffle(order)
    candidates = [tree.candidate(leaf, 1 + leaf % 3) for leaf in order]

    merged = auto_merge(candidates, tree.branches(), threshold)

    found = {
        (part.branch.key.no if part.branch else None, frozenset(c.chunk.seq for c in part.evidence))
        for part in merged
    }
    assert found == reference(tree, hits, threshold)
    assert sorted(c.chunk.seq for part in merged for c in part.evidence) == sorted(hits)
    assert [part.score for part in merged] == sorted((p.score for p in merged), reverse=True)


ARTICLE = Tree((None, 0, 1), (2, 2, 2, 2))


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        pytest.param([0], [None], id="one of four stays a child"),
        pytest.param([0, 0, 0], [None], id="a duplicate counts once"),
        pytest.param([0, 3], [2], id="two of four are enough at one half"),
        pytest.param([3, 2, 1, 0], [2], id="all of them, and the chain of only children stops"),
    ],
)
def test_an_article_of_four_items_takes_their_place_at_one_half(
    hits: list[int], expected: list[int | None]
) -> None:
    merged = auto_merge([ARTICLE.candidate(leaf, 1.0) for leaf in hits], ARTICLE.branches())

    assert [part.branch.key.no if part.branch else None for part in merged] == expected


def test_a_child_whose_branch_is_gone_stays_by_itself() -> None:
    hits = [ARTICLE.candidate(leaf, 1.0) for leaf in (0, 1)]

    assert [part.branch for part in auto_merge(hits, {})] == [None, None]


@pytest.mark.parametrize("threshold", [0, -1, 1.5])
def test_a_threshold_out_of_range_is_refused(threshold: float) -> None:
    with pytest.raises(RequestError, match="merge_threshold"):
        auto_merge([], {}, threshold)
