"""Which lead-ins children are found by: only those that all who see the child may read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

from ragspine_store.records import Span


class Indexed(NamedTuple):
    """A child as its index entry depends on its label and those around it.

    Attributes:
        key: of the child.
        level: the label in force, as it was derived.
        span: its text; None for one from before the record.
        lead_in: the line that its list begins with.
    """

    key: int
    level: int
    span: Span | None
    lead_in: Span | None


def open_lead_ins(children: Iterable[Indexed]) -> dict[int, Span]:
    """The lead-ins of a document's children that no label keeps out of their index entries.

    A word of a stricter child would otherwise be found, in another one, by those who may not read
    it. So a lead-in counts when every child that holds some of it is at most as strict as the child
    that it introduces, and at least one child holds some of it.

    >>> lead, item = Indexed(1, 1, Span(0, 9), None), Indexed(2, 1, Span(9, 20), Span(0, 9))
    >>> open_lead_ins([lead, item]), open_lead_ins([lead._replace(level=2), item])
    ({2: Span(start=0, end=9)}, {})
    """
    children = list(children)
    if not any(child.lead_in for child in children):
        return {}
    placed = sorted((child.span, child.level) for child in children if child.span)
    starts = [span.start for span, _ in placed]
    longest = max((span.end - span.start for span, _ in placed), default=0)
    found: dict[int, Span] = {}
    for key, level, _, lead_in in children:
        if lead_in is None:
            continue
        near = range(bisect_left(starts, lead_in.start - longest), bisect_left(starts, lead_in.end))
        levels = [placed[at][1] for at in near if placed[at][0].overlaps(lead_in)]
        if levels and max(levels) <= level:
            found[key] = lead_in
    return found
