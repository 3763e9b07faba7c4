"""Parent windows: the texts that children are read in, bounded in size."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from ragspine_store.chunking.paragraphs import stripped
from ragspine_store.chunking.pieces import PieceSizes
from ragspine_store.chunking.sections import TokenRuns
from ragspine_store.chunking.settings import (
    HARD_CAP_TOKENS,
    describe,
    require_counter,
    require_sizes,
)
from ragspine_store.records import Block, Chunk, Section, Span
from ragspine_store.tokens import EstimatedTokenCounter, TokenCounter

_CUT_PARENT = re.compile(r"(?P<parent>.*#[sp]\d+)\.\d+", re.DOTALL)


class Part(NamedTuple):
    """A child to be.

    Attributes:
        span: its text.
        border: how good a border stands before it: 2 before an outermost block, 1 before a nested
            one, 0 inside a block.
        section: the section whose own text holds it.
        block: the block it begins in.
    """

    span: Span
    border: int
    section: Section
    block: Block


class Window(NamedTuple):
    """A parent window and the indices of its children, half-open."""

    name: str
    span: Span
    first: int
    stop: int


@dataclass(frozen=True, slots=True)
class ParentSizes:
    """How large children and their parent windows are, in tokens.

    Attributes:
        max_child_tokens: most tokens of a child.
        max_parent_tokens: most tokens of each part of a parent that has to be cut.
        parent_cap_tokens: most tokens of a window; at most `HARD_CAP_TOKENS`.
        overlap_tokens: what consecutive pieces of one block of prose share.
        counter: counts the tokens.

    Raises:
        ChunkingError: the sizes contradict each other, or a window could exceed the hard cap.
    """

    max_child_tokens: int = 250
    max_parent_tokens: int = 1500
    parent_cap_tokens: int = HARD_CAP_TOKENS
    overlap_tokens: int = 25
    counter: TokenCounter = field(default_factory=EstimatedTokenCounter)

    def __post_init__(self) -> None:
        require_counter(self.counter)
        require_sizes(
            max_child_tokens=self.max_child_tokens,
            overlap_tokens=self.overlap_tokens,
            max_parent_tokens=self.max_parent_tokens,
            parent_cap_tokens=self.parent_cap_tokens,
        )

    @property
    def piece_sizes(self) -> PieceSizes:
        """The sizes of the pieces of an over-long block."""
        return PieceSizes(self.max_child_tokens, self.overlap_tokens, self.counter)

    def describe_as(self, algorithm: str) -> str:
        """The spec of a chunker that has these and its own settings as fields."""
        return describe(algorithm, {each.name: getattr(self, each.name) for each in fields(self)})

    def windows(self, text: str, whole: Span, name: str, parts: Sequence[Part]) -> Iterator[Window]:
        """The windows of one parent: one, or several where it is over the cap.

        Args:
            text: canonical text.
            whole: the parent's text.
            name: what follows `{doc_id}#` in its id; its parts are `{name}.1`, `{name}.2`.
            parts: its children, in order; none gives no window.
        """
        if not parts:
            return
        own = stripped(text, whole)
        if self.counter.count(text[own.start : own.end]) <= self.parent_cap_tokens:
            yield Window(name, own, 0, len(parts))
            return
        runs = TokenRuns(text, [part.span for part in parts], self.counter)
        heading = self.counter.count(text[own.start : parts[0].span.start])
        first, number = 0, 0
        while first < len(parts):
            number += 1
            start = parts[first].span.start
            room = self.max_parent_tokens
            if first == 0 and heading + runs.tokens(0, 0) <= room:
                start, room = own.start, room - heading
            stop = best_stop(parts, runs, first, room)
            yield Window(f"{name}.{number}", Span(start, parts[stop - 1].span.end), first, stop)
            first = stop


def best_stop(
    parts: Sequence[Part], runs: TokenRuns, first: int, room: int, *, lead: int | None = None
) -> int:
    """Where a window whose own parts begin with `first` ends: at the best border that fits.

    A border that leaves the window less than half full is taken only when there is no other.

    Args:
        parts: all parts.
        runs: their sizes.
        first: index of the first part that is the window's own.
        room: most tokens of the window.
        lead: index of the part its text begins with; None for `first`.

    Returns:
        The index after its last part; at least one part is its own.
    """
    lead = first if lead is None else lead
    last = bisect_right(range(first, len(parts)), room, key=lambda part: runs.tokens(lead, part))
    stop = first + max(last, 1)
    if stop == len(parts):
        return stop
    return max(
        range(first + 1, stop + 1),
        key=lambda at: (runs.tokens(lead, at - 1) * 2 >= room, parts[at].border, at),
    )


def cut_parents(chunks: Iterable[Chunk]) -> dict[str, int]:
    """The sections and pages that were too long for one window, and how many each became.

    Returns:
        `{doc_id}#s{no}` and the number of its windows, in document order.
    """
    windows: dict[str, set[str]] = {}
    for chunk in chunks:
        match = _CUT_PARENT.fullmatch(chunk.parent_id)
        if match:
            windows.setdefault(match["parent"], set()).add(chunk.parent_id)
    return {parent: len(ids) for parent, ids in windows.items()}
