"""Which parts of a document have a vector, and who may be served by it.

A child's vector serves who may see the child. A parent's serves who may see all of its text: every
child and every section that it overlaps, which is what the window exit asks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import NamedTuple

from ragspine_store.errors import VectorError
from ragspine_store.records import Span
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.vectors import BYTES_PER_NUMBER, PartVector, VectorKind


def require_numpy() -> None:
    """See that vectors can be compared here.

    Raises:
        VectorError: the extra `embed` is not installed.
    """
    if find_spec("numpy") is None:
        raise VectorError(
            "vectors cannot be compared, since NumPy is not installed; expected the extra embed: "
            'run pip install "ragspine-graph[embed]"'
        )


class LabelledChild(NamedTuple):
    """A child as vectors need it.

    Attributes:
        seq: its position.
        floor: the least clearance that sees it.
        span, window: where its text and its parent's stand; None where no span is known.
    """

    seq: int
    floor: int
    span: Span | None
    window: Span | None


class Parent(NamedTuple):
    """A parent: the first of its children, and the least clearance that sees all of its text."""

    first: int
    floor: int


def parents_of(
    children: Sequence[LabelledChild], sections: Iterable[tuple[Span, int]], document: int
) -> dict[Span, Parent]:
    """The parents of a document by where their text stands.

    Args:
        children: in order.
        sections: spans and levels of those with a label of their own.
        document: the level of its own label.

    >>> children = [LabelledChild(n, n, Span(n, n + 1), Span(0, 2)) for n in (0, 1)]
    >>> parents_of(children, [], 0)
    {Span(start=0, end=2): Parent(first=0, floor=1)}
    """
    strict: defaultdict[int, list[Span]] = defaultdict(list)
    for child in children:
        if child.span is not None and child.floor > document:
            strict[child.floor].append(child.span)
    for span, level in sections:
        if level > document:
            strict[level].append(span)
    covers = [(level, _Cover(strict[level])) for level in sorted(strict, reverse=True)]
    found: dict[Span, Parent] = {}
    for child in children:
        if child.window is not None and child.window not in found:
            floors = (level for level, cover in covers if cover.overlaps(child.window))
            found[child.window] = Parent(child.seq, next(floors, document))
    return found


def embeddable_parts(
    children: Sequence[LabelledChild], parents: Iterable[Parent]
) -> set[tuple[VectorKind, int]]:
    """The parts of a document of which a vector may be kept: all but what is RESTRICTED."""
    return {
        (kind, seq)
        for kind, parts in (
            (VectorKind.CHILD, ((child.seq, child.floor) for child in children)),
            (VectorKind.PARENT, parents),
        )
        for seq, floor in parts
        if floor < Sensitivity.RESTRICTED
    }


def dimensions_by_model(vectors: Iterable[PartVector]) -> dict[str, int]:
    """How many numbers the vectors of each model have.

    Raises:
        VectorError: those of one model differ, or one has none.
    """
    found: dict[str, int] = {}
    for vector in vectors:
        if not vector.values or len(vector.values) % BYTES_PER_NUMBER:
            raise VectorError(
                f"a vector of {len(vector.values)} bytes given for the model {vector.model!r}; "
                f"expected {BYTES_PER_NUMBER} bytes for each of its numbers"
            )
        check_dimensions(
            vector.model, vector.dimensions, found.setdefault(vector.model, vector.dimensions)
        )
    return found


def check_dimensions(model: str, given: int, expected: int) -> None:
    """See that a vector is as long as those it is compared with.

    Raises:
        VectorError: it is not.
    """
    if given != expected:
        raise VectorError(
            f"a vector of {given} numbers given for the model {model!r}; expected {expected}, as "
            "the store's vectors of that model have: run reindex, or name the model that made them"
        )


class _Cover:
    """Spans merged where they touch, so that one search tells whether any overlaps another."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)

    def overlaps(self, span: Span) -> bool:
        before = bisect_right(self._starts, span.end - 1)
        return before > 0 and self._ends[before - 1] > span.start
