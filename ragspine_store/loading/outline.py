"""From headings and blocks in document order to an outline: nesting, spans and full coverage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ragspine_store.loading.japanese import Rank
from ragspine_store.records import Block, BlockKind, Outline, Section, Span


@dataclass(slots=True)
class HeadingDraft:
    """A heading that was found.

    Attributes:
        start, end: where it stands in the canonical text, markup included.
        text: as it is shown.
        level: of a Markdown heading; None for a plain line.
        rank: of a heading of rules; None for any other.
        is_loose: whether the levels of Markdown, where they differ, weigh more than its rank.
    """

    start: int
    end: int
    text: str = field(repr=False)
    level: int | None = None
    rank: Rank | None = None
    is_loose: bool = False

    def goes_by_rank(self, other: HeadingDraft) -> bool:
        """Whether rank decides which of two headings, both with one, holds the other.

        It does between two of a plain text, and between Japanese ones always. English ones in
        Markdown are more often numbered as their levels say than not: 1.1 below 1. on one level.
        """
        if self.level is None or other.level is None:
            return True
        if self.is_loose is not other.is_loose:
            return False
        return not self.is_loose or self.level == other.level


@dataclass(slots=True, eq=False)
class BlockDraft:
    """A block that was found; `end` may grow while lines are read."""

    kind: BlockKind
    start: int
    end: int
    depth: int = 0
    parent: BlockDraft | None = None
    label: str = ""


Draft = HeadingDraft | BlockDraft


@dataclass(slots=True)
class _OpenSection:
    no: int
    parent: int | None
    level: int
    draft: HeadingDraft
    own_end: int | None = None
    end: int = 0

    def close(self, end: int) -> None:
        self.end = end
        if self.own_end is None:
            self.own_end = end

    def closes_before(self, heading: HeadingDraft) -> bool:
        """Whether a later heading stands beside or above this section instead of in it.

        Rank decides where both have one, and the level of Markdown otherwise. A plain line has no
        level: it never ends a Markdown section without a rank, and every Markdown heading without
        a rank ends it.
        """
        rank = self.draft.rank
        if rank is not None and heading.rank is not None and self.draft.goes_by_rank(heading):
            return rank >= heading.rank
        if heading.level is None:
            return False
        return self.draft.level is None or self.draft.level >= heading.level

    def freeze(self) -> Section:
        start = 0 if self.parent is None else self.draft.start
        own_end = self.end if self.own_end is None else self.own_end
        return Section(
            self.no, self.parent, self.level, self.draft.text, Span(start, self.end), own_end
        )


def build_outline(text: str, drafts: Sequence[Draft]) -> Outline:
    r"""Build the outline of a canonical text.

    Sections partition the text: each one starts at its heading and ends where the heading that
    closes it starts. What no draft covers becomes a paragraph, so no text is ever lost. The title
    is the first heading, unless it is a plain line: 第一章 names a part, not the document.

    Args:
        text: the canonical text.
        drafts: headings and blocks, disjoint and in document order.

    >>> outline = build_outline("# A\n\none\n", [HeadingDraft(0, 3, "A", level=1)])
    >>> [section.heading for section in outline.sections], outline.blocks[0].span
    (['A', 'A'], Span(start=5, end=8))
    """
    sections = [_OpenSection(0, None, 0, HeadingDraft(0, 0, ""))]
    path = [sections[0]]
    blocks: list[Block] = []
    numbers: dict[int, int] = {}
    for draft in _cover(text, drafts):
        if isinstance(draft, BlockDraft):
            parent = None if draft.parent is None else numbers.get(id(draft.parent))
            numbers[id(draft)] = len(blocks)
            span = Span(draft.start, draft.end)
            blocks.append(Block(path[-1].no, draft.kind, span, draft.depth, parent, draft.label))
            continue
        while len(path) > 1 and path[-1].closes_before(draft):
            path.pop().close(draft.start)
        above = path[-1]
        if above.own_end is None:
            above.own_end = draft.start
        path.append(_OpenSection(len(sections), above.no, above.level + 1, draft))
        sections.append(path[-1])
    for section in path:
        section.close(len(text))
    if len(sections) > 1 and sections[1].draft.level is not None:
        sections[0].draft.text = sections[1].draft.text
    return Outline(tuple(section.freeze() for section in sections), tuple(blocks))


def _cover(text: str, drafts: Sequence[Draft]) -> Iterator[Draft]:
    """The drafts without the blanks around them, and a paragraph for each gap that holds text."""
    at = 0
    for draft in drafts:
        if gap := _gap(text, at, draft.start):
            yield gap
        draft.start, draft.end = trim(text, max(draft.start, at), draft.end)
        if draft.start < draft.end:
            yield draft
            at = draft.end
    if gap := _gap(text, at, len(text)):
        yield gap


def _gap(text: str, start: int, end: int) -> BlockDraft | None:
    start, end = trim(text, start, end)
    return BlockDraft(BlockKind.PARAGRAPH, start, end) if start < end else None


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without white space at its ends; empty, at its end, when nothing visible is left."""
    part = text[start:end]
    inner = part.strip()
    if not inner:
        return end, end
    start += len(part) - len(part.lstrip())
    return start, start + len(inner)
