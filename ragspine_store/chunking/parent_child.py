"""Small children for search, their whole section for reading."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from ragspine_store.chunking.paragraphs import stripped
from ragspine_store.chunking.pieces import PieceSizes, cut_block
from ragspine_store.chunking.sections import (
    LINE_KINDS,
    ChildMaker,
    TokenRuns,
    iter_sections,
)
from ragspine_store.chunking.settings import (
    HARD_CAP_TOKENS,
    describe,
    require_order,
    require_whole_numbers,
)
from ragspine_store.loading import outline_of
from ragspine_store.records import Block, Chunk, DocumentMeta, Outline, Section, Span
from ragspine_store.tokens import EstimatedTokenCounter, TokenCounter

_CUT_PARENT = re.compile(r"(?P<parent>.*#s\d+)\.\d+", re.DOTALL)


class _Part(NamedTuple):
    """A child to be: its span, and how good a border stands before it."""

    span: Span
    border: int  # 2 before an outermost block, 1 before a nested one, 0 inside a block


class _Parent(NamedTuple):
    """A parent window and the indices of its children, half-open."""

    id: str
    window: Span
    first: int
    stop: int


@dataclass(frozen=True, slots=True)
class ParentChildChunker:
    r"""Cuts a document into its blocks, each with its section as window.

    A child is one block of the outline (an item, a paragraph, a table), or a piece of it where it
    has more than `max_child_tokens`; blocks are never merged. Its parent is the section's own
    text. A section over `parent_cap_tokens` is cut at its best inner borders into parents of at
    most `max_parent_tokens`; no window ever exceeds the cap.

    Attributes:
        max_child_tokens: most tokens of a child.
        max_parent_tokens: most tokens of each part of a section that has to be cut.
        parent_cap_tokens: most tokens of a window; at most `HARD_CAP_TOKENS`.
        overlap_tokens: what consecutive pieces of one block of prose share.
        counter: counts the tokens.

    Raises:
        ChunkingError: the sizes contradict each other, or a window could exceed the hard cap.

    >>> text = "# 第4条\n\n1. 手当\n2. 支給日\n"
    >>> first, _ = ParentChildChunker().chunk(text, DocumentMeta("rules.md"))
    >>> first.text, first.parent_id, text[first.window.start : first.window.end]
    ('1. 手当', 'rules.md#s1', '# 第4条\n\n1. 手当\n2. 支給日')
    """

    max_child_tokens: int = 250
    max_parent_tokens: int = 1500
    parent_cap_tokens: int = HARD_CAP_TOKENS
    overlap_tokens: int = 25
    counter: TokenCounter = field(default_factory=EstimatedTokenCounter)

    def __post_init__(self) -> None:
        require_whole_numbers(
            1,
            max_child_tokens=self.max_child_tokens,
            max_parent_tokens=self.max_parent_tokens,
            parent_cap_tokens=self.parent_cap_tokens,
        )
        require_whole_numbers(0, overlap_tokens=self.overlap_tokens)
        require_order(
            strictly=True,
            overlap_tokens=self.overlap_tokens,
            max_child_tokens=self.max_child_tokens,
        )
        require_order(
            max_child_tokens=self.max_child_tokens,
            max_parent_tokens=self.max_parent_tokens,
            parent_cap_tokens=self.parent_cap_tokens,
            hard_cap_tokens=HARD_CAP_TOKENS,
        )

    @property
    def spec(self) -> str:
        """The algorithm and all its settings."""
        return describe(
            "parent_child", {setting.name: getattr(self, setting.name) for setting in fields(self)}
        )

    def chunk(
        self, text: str, meta: DocumentMeta, *, outline: Outline | None = None
    ) -> list[Chunk]:
        """Cut canonical text into children, in document order.

        Args:
            text: canonical text.
            meta: the document's metadata; `doc_id` prefixes all ids and locators.
            outline: the structure of `text`; None reads `text` as Markdown.

        Returns:
            Children whose `window` is a span of `text`; none for blank text.
        """
        maker = ChildMaker(text, meta)
        chunks: list[Chunk] = []
        for section, blocks in iter_sections(text, outline or outline_of(text)):
            parts = list(self._parts(text, blocks))
            for parent in self._parents(text, section, parts):
                chunks.extend(
                    maker.make(
                        part.span, section, parent.window, parent_id=f"{meta.doc_id}#{parent.id}"
                    )
                    for part in parts[parent.first : parent.stop]
                )
        return chunks

    def _parts(self, text: str, blocks: Iterable[Block]) -> Iterator[_Part]:
        sizes = PieceSizes(self.max_child_tokens, self.overlap_tokens, self.counter)
        for block in blocks:
            border = 2 if block.parent is None else 1
            for span in cut_block(text, block.span, sizes, by_lines=block.kind in LINE_KINDS):
                yield _Part(span, border)
                border = 0

    def _parents(self, text: str, section: Section, parts: list[_Part]) -> Iterator[_Parent]:
        if not parts:
            return
        own = stripped(text, section.own)
        if self.counter.count(text[own.start : own.end]) <= self.parent_cap_tokens:
            yield _Parent(f"s{section.no}", own, 0, len(parts))
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
            stop = self._stop(parts, runs, first, room)
            window = Span(start, parts[stop - 1].span.end)
            yield _Parent(f"s{section.no}.{number}", window, first, stop)
            first = stop

    def _stop(self, parts: list[_Part], runs: TokenRuns, first: int, room: int) -> int:
        """Where a window that begins with part `first` ends: at the best border that fits.

        A border that leaves the window less than half full is taken only when there is no other.
        """
        last = bisect_right(
            range(first, len(parts)), room, key=lambda part: runs.tokens(first, part)
        )
        stop = first + max(last, 1)
        if stop == len(parts):
            return stop
        return max(
            range(first + 1, stop + 1),
            key=lambda at: (runs.tokens(first, at - 1) * 2 >= room, parts[at].border, at),
        )


def cut_parents(chunks: Iterable[Chunk]) -> dict[str, int]:
    """The sections that were too long for one window, and how many windows each became.

    Returns:
        `{doc_id}#s{no}` and the number of its windows, in document order.

    >>> cutter = ParentChildChunker(max_child_tokens=10, max_parent_tokens=20, parent_cap_tokens=30,
    ...                             overlap_tokens=0)
    >>> cut_parents(cutter.chunk("会社は、社員を守る。" * 6, DocumentMeta("rules.md")))
    {'rules.md#s0': 3}
    """
    windows: dict[str, set[str]] = {}
    for chunk in chunks:
        match = _CUT_PARENT.fullmatch(chunk.parent_id)
        if match:
            windows.setdefault(match["parent"], set()).add(chunk.parent_id)
    return {parent: len(ids) for parent, ids in windows.items()}
