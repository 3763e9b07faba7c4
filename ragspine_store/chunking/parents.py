"""What becomes a parent: sections, clauses, classes, pages or sliding windows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ragspine_store.chunking.passages import overlap_start
from ragspine_store.chunking.sections import TokenRuns
from ragspine_store.chunking.windows import Part, best_stop
from ragspine_store.records import Outline, Span
from ragspine_store.tokens import TokenCounter


class Group(NamedTuple):
    """Consecutive children of one parent.

    Attributes:
        name: what follows `{doc_id}#` in the parent's id.
        parts: the children, in order; none for a blank page.
        window: the text they are read in.
        span: the text that takes their place when they are merged; all of theirs lies in it.
        label: how people call the parent; '' for a section or a sliding window.
    """

    name: str
    parts: Sequence[Part]
    window: Span
    span: Span
    label: str = ""


def group_by_section(
    parts: Sequence[Part],
    outline: Outline,
    find_parent: Callable[[Outline, int], int | None],
) -> Iterator[Group]:
    """The children of each whole section that `find_parent` names, or of a section's own text.

    Args:
        parts: all children of the document.
        outline: its structure.
        find_parent: from `no` of a section to that of the section that is the parent of its
            children; None where the section's own text is.
    """
    found = [find_parent(outline, section.no) for section in outline.sections]

    def parent_of(part: Part) -> tuple[int, bool]:
        no = found[part.section.no]
        return (part.section.no, False) if no is None else (no, True)

    for (no, is_whole), group in groupby(parts, parent_of):
        section = outline.sections[no]
        window = section.span if is_whole else section.own
        yield Group(f"s{no}", list(group), window, window)


def group_by_page(
    text: str, parts: Sequence[Part], starts: Sequence[int], *, pages: int
) -> Iterator[Group]:
    """The children that begin on each page, or on each spread of two, blank ones included.

    Args:
        text: canonical text.
        parts: all children of the document.
        starts: where each page starts.
        pages: pages to a parent.
    """
    begins = [0, *starts[pages::pages]]
    first = end = 0
    for no, begin in enumerate(begins):
        stop = begins[no + 1] if no + 1 < len(begins) else len(text)
        last = bisect_right(parts, stop - 1, lo=first, key=lambda part: part.span.start)
        own = parts[first:last]
        start = min(max(begin, end), own[0].span.start) if own else max(begin, end)
        end = max(start, stop, own[-1].span.end if own else 0)
        numbers = range(no * pages + 1, min((no + 1) * pages, len(starts)) + 1)
        label = "-".join(map(str, numbers))
        yield Group(f"p{no + 1}", own, Span(min(begin, start), end), Span(start, end), label)
        first = last


def group_by_window(
    text: str,
    parts: Sequence[Part],
    counter: TokenCounter,
    *,
    window_tokens: int,
    overlap_tokens: int,
) -> Iterator[Group]:
    """The children of each window, which begins with the last children of the one before.

    Args:
        text: canonical text.
        parts: all children of the document.
        counter: counts the tokens.
        window_tokens: most tokens of a window.
        overlap_tokens: most tokens of what it repeats.
    """
    runs = TokenRuns(text, [part.span for part in parts], counter)
    first = end = number = 0
    while first < len(parts):
        number += 1
        lead = overlap_start(runs, first, most_tokens=window_tokens, overlap_tokens=overlap_tokens)
        stop = best_stop(parts, runs, first, window_tokens, lead=lead)
        start, begin = parts[lead].span.start, min(end, parts[first].span.start)
        end = parts[stop - 1].span.end
        if first == 0 and counter.count(text[:end]) <= window_tokens:
            start = 0
        yield Group(f"w{number}", parts[first:stop], Span(start, end), Span(begin, end))
        first = stop
