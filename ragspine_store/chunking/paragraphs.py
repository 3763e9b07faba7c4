"""Paragraph numbers: how people find a text again without counting characters."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from ragspine_store.errors import ChunkingError
from ragspine_store.records import Paragraphs, Span
from ragspine_store.sentences import iter_lines


def stripped(text: str, span: Span) -> Span:
    """The span without white space at its ends; empty when nothing visible is left.

    >>> stripped("  a b  ", Span(0, 7))
    Span(start=2, end=5)
    """
    part = text[span.start : span.end]
    start = span.start + len(part) - len(part.lstrip())
    return Span(start, start + len(part.strip()))


def iter_paragraphs(text: str, span: Span | None = None) -> Iterator[Span]:
    r"""The paragraphs of a text, or of a span of it, in order: its non-blank lines, stripped.

    >>> list(iter_paragraphs(" a\n\nb "))
    [Span(start=1, end=2), Span(start=4, end=5)]
    """
    lines = iter_lines(text, *(span or (0, len(text))))
    return (line for line in lines if line.start < line.end)


class ParagraphIndex:
    r"""The paragraphs of one canonical text, numbered from 1.

    >>> ParagraphIndex("one\n\ntwo\nthree").of(Span(5, 14))
    Paragraphs(first=2, last=3)
    """

    def __init__(self, text: str) -> None:
        paragraphs = list(iter_paragraphs(text))
        self._starts = [paragraph.start for paragraph in paragraphs]
        self._ends = [paragraph.end for paragraph in paragraphs]

    def of(self, span: Span) -> Paragraphs:
        """The paragraphs that a span has visible text of, first and last included.

        Raises:
            ChunkingError: the span holds nothing visible, so that it has no place to name.
        """
        first = bisect_right(self._ends, span.start) + 1
        last = bisect_left(self._starts, span.end)
        if first > last:
            raise ChunkingError(
                f"span {span.start}-{span.end} is blank; expected visible text in it"
            )
        return Paragraphs(first, last)
