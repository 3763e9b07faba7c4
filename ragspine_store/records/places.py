"""Where a text stands: spans, paragraphs, pages, and the way back to the file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range of code points: `text[start:end]`."""

    start: int
    end: int

    def contains(self, other: Span) -> bool:
        """Whether the other span lies wholly inside this one."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Whether the two spans share at least one code point."""
        return self.start < other.end and other.start < self.end


class Paragraphs(NamedTuple):
    """An inclusive range of paragraphs: non-blank lines, numbered from 1 over the document."""

    first: int
    last: int


class Pages(NamedTuple):
    """An inclusive range of pages, numbered from 1."""

    first: int
    last: int


def pages_of(starts: Sequence[int], span: Span) -> Pages | None:
    """The pages that a span stands on; None in a document without pages.

    Args:
        starts: where each page starts.
        span: in the same text, not empty.

    >>> pages_of([0, 100, 200], Span(90, 110))
    Pages(first=1, last=2)
    """
    if not starts:
        return None
    return Pages(bisect_right(starts, span.start), bisect_right(starts, span.end - 1))


def format_locator(doc_id: str, paragraphs: Paragraphs) -> str:
    """Where a text stands, as people cite it.

    >>> format_locator("rules.md", Paragraphs(3, 7))
    'rules.md#para3-7'
    """
    first, last = paragraphs
    return f"{doc_id}#para{first}" if first == last else f"{doc_id}#para{first}-{last}"


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Maps spans of the canonical text back to the decoded file.

    Attributes:
        runs: (canonical start, raw start, raw length) in order. Inside a run offsets advance one
            to one when its canonical and raw lengths agree; otherwise the run is one unit.
        length: of the canonical text.
    """

    runs: tuple[tuple[int, int, int], ...] = field(repr=False)
    length: int

    def raw_span(self, span: Span) -> Span:
        """The span of the decoded file, in code points, that a canonical span came from.

        >>> OffsetMap(((0, 1, 3), (3, 8, 2)), 5).raw_span(Span(2, 4))
        Span(start=3, end=9)
        """
        if not self.runs:
            return Span(0, 0)
        if span.start >= span.end:
            at = self._raw(min(span.start, max(self.length - 1, 0)), end=span.start >= self.length)
            return Span(at, at)
        return Span(self._raw(span.start, end=False), self._raw(span.end - 1, end=True))

    def _raw(self, at: int, *, end: bool) -> int:
        low, high = 0, len(self.runs)
        while high - low > 1:
            middle = (low + high) // 2
            if self.runs[middle][0] <= at:
                low = middle
            else:
                high = middle
        start, raw, raw_length = self.runs[low]
        stop = self.runs[low + 1][0] if low + 1 < len(self.runs) else self.length
        if stop - start == raw_length:
            return raw + (at - start) + (1 if end else 0)
        return raw + raw_length if end else raw
