"""Who may be served by the vector of a parent."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.records import Span
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.storage_rules.vector_parts import (
    LabelledChild,
    Parent,
    embeddable_parts,
    parents_of,
)
from ragspine_store.vectors import VectorKind

spans = st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda s: Span(s[0], s[0] + s[1]))
levels = st.integers(0, 3)
children_of_a_document = st.lists(
    st.tuples(levels, st.none() | spans, st.none() | spans), max_size=8
).map(lambda rows: [LabelledChild(seq, *row) for seq, row in enumerate(rows)])


@given(children_of_a_document, st.lists(st.tuples(spans, levels), max_size=5), levels)
def test_a_parent_is_as_strict_as_all_that_it_overlaps(
    children: list[LabelledChild], sections: list[tuple[Span, int]], document: int
) -> None:
    children = [child._replace(floor=max(child.floor, document)) for child in children]
    found = parents_of(children, sections, document)
    assert set(found) == {child.window for child in children if child.window}
    for window, (first, floor) in found.items():
        assert first == min(child.seq for child in children if child.window == window)
        inside = [c.floor for c in children if c.span and c.span.overlaps(window)]
        inside += [level for span, level in sections if span.overlaps(window)]
        assert floor == max(document, *inside, 0)


def test_what_is_restricted_has_no_vector() -> None:
    restricted = int(Sensitivity.RESTRICTED)
    children = [LabelledChild(seq, level, None, None) for seq, level in enumerate((0, restricted))]
    parents = [Parent(0, 2), Parent(4, restricted)]
    assert embeddable_parts(children, parents) == {(VectorKind.CHILD, 0), (VectorKind.PARENT, 0)}
