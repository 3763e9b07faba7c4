"""From paragraphs and tables to the canonical text, its outline and where its pages start."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ragspine_store.loading.headings import styled_heading
from ragspine_store.loading.japanese import parse_heading
from ragspine_store.loading.lines import LineReader
from ragspine_store.loading.markers import Marker, parse_marker
from ragspine_store.loading.numbering import refine
from ragspine_store.loading.outline import BlockDraft, Draft, HeadingDraft, build_outline
from ragspine_store.loading.pdf.joining import joined_parts
from ragspine_store.loading.pdf.nesting import Nesting
from ragspine_store.loading.pdf.paragraphs import PlacedParagraph, PlacedTable, Typography
from ragspine_store.records import BlockKind, Outline, Span

_MAX_HEADING_CHARS = 120
_MAX_HEADING_LINES = 3
_NO_HEADING = re.compile(r"[。、，,;；]$")
_DECIMAL = re.compile(r"\d{1,3}(?:\.\d{1,3})*")

_HeadingStyle = tuple[float, bool, int]
_Placed = PlacedParagraph | PlacedTable


def render(
    parts: Sequence[_Placed], usual: Typography, page_count: int
) -> tuple[str, Outline, tuple[int, ...]]:
    """Render what was found on the pages.

    Args:
        parts: in reading order.
        usual: how body text looks; what stands out is a heading.
        page_count: of the file.

    Returns:
        The canonical text, its outline, and where each page starts in the text.
    """
    writer = _Writer(page_count)
    placed = [(part, writer.write(part)) for part in parts]
    text = writer.text
    drafting = _Drafting(text, usual, placed)
    return text, build_outline(text, refine(text, drafting.drafts)), writer.page_starts()


class _Writer:
    """Writes the text and notes where each page starts."""

    def __init__(self, page_count: int) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._starts: list[int | None] = [None] * page_count
        self._was_item = False

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def write(self, part: _Placed) -> Span:
        is_item = isinstance(part, PlacedParagraph) and _marker_of(part) is not None
        if self._length:
            self._add("\n" if is_item and self._was_item else "\n\n")
        self._was_item = is_item
        start = self._length
        if isinstance(part, PlacedTable):
            self._start_page(part.page, start)
            self._add("\n".join(f"| {' | '.join(row)} |" for row in part.table.rows))
            return Span(start, self._length)
        for placed, text in zip(part.lines, joined_parts(_texts(part)), strict=True):
            self._start_page(placed.line.page, self._length)
            self._add(text)
        return Span(start, self._length)

    def page_starts(self) -> tuple[int, ...]:
        """Where each page starts; a page without text where the next one does."""
        starts: list[int] = []
        following = self._length
        for start in reversed(self._starts):
            following = following if start is None else min(start, following)
            starts.append(following)
        return tuple(reversed(starts))

    def _start_page(self, page: int, at: int) -> None:
        if self._starts[page] is None:
            self._starts[page] = at

    def _add(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)


class _Drafting:
    """Turns the written parts into drafts, in order."""

    def __init__(
        self, text: str, usual: Typography, placed: Iterable[tuple[_Placed, Span]]
    ) -> None:
        self.drafts: list[Draft] = []
        self._text = text
        self._reader = LineReader(text, self.drafts, splits_paragraphs=False)
        self._nesting = Nesting()
        placed = list(placed)
        styles = {
            id(part): style
            for part, span in placed
            if isinstance(part, PlacedParagraph)
            and (style := _heading_style(part, text[span.start : span.end], usual)) is not None
        }
        levels = {style: level for level, style in enumerate(sorted(set(styles.values())), 1)}
        for part, span in placed:
            style = styles.get(id(part))
            if isinstance(part, PlacedTable):
                self._nesting.hold(self._add_block(BlockKind.TABLE, span), part.left)
            elif style is not None:
                self._add_heading(span, levels[style])
            else:
                self._add_paragraph(part, span)

    def _add_heading(self, span: Span, level: int) -> None:
        shown = self._text[span.start : span.end]
        self._reader.start_section(shown)
        self._nesting.clear()
        self.drafts.append(styled_heading(span, shown, level))

    def _add_paragraph(self, part: PlacedParagraph, span: Span) -> None:
        """Read a paragraph by the line grammar, and nest what it finds by where it stands."""
        first = part.lines[0]
        count = len(self.drafts)
        self._reader.read(*span)
        for draft in self.drafts[count:]:
            if isinstance(draft, HeadingDraft):
                self._nesting.clear()
                continue
            marker = parse_marker(self._text[draft.start : draft.end])
            if draft.kind is BlockKind.ITEM and marker is not None:
                self._nesting.open(draft, marker, first.left, first.text_left)
            else:
                self._nesting.hold(draft, first.left)

    def _add_block(self, kind: BlockKind, span: Span) -> BlockDraft:
        draft = BlockDraft(kind, *span)
        self.drafts.append(draft)
        return draft


def _texts(part: PlacedParagraph) -> list[str]:
    return [placed.line.text for placed in part.lines]


def _marker_of(part: PlacedParagraph) -> Marker | None:
    text = part.lines[0].line.text
    return parse_marker(text) if parse_heading(text) is None else None


def _heading_style(part: PlacedParagraph, text: str, usual: Typography) -> _HeadingStyle | None:
    """How a heading looks, so that larger comes before smaller; None for body text."""
    lines = [placed.line for placed in part.lines]
    is_short = len(text) <= _MAX_HEADING_CHARS and len(lines) <= _MAX_HEADING_LINES
    if not is_short or _NO_HEADING.search(text) or not any(map(str.isalpha, text)):
        return None
    if not all(usual.stands_out(line) for line in lines):
        return None
    number = _DECIMAL.match(text)
    return -lines[0].size, not lines[0].is_bold, number[0].count(".") if number else 0
