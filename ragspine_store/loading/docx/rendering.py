"""From the parts of a document to its canonical text and outline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from ragspine_store.loading.docx.items import OpenItems
from ragspine_store.loading.docx.story import Note, Paragraph, Part, Table
from ragspine_store.loading.headings import styled_heading
from ragspine_store.loading.lines import LineReader
from ragspine_store.loading.numbering import refine
from ragspine_store.loading.outline import BlockDraft, Draft, HeadingDraft, build_outline
from ragspine_store.records import BlockKind, Outline, Span

_MOSTLY = 0.9


def render(parts: Iterable[Part]) -> tuple[str, Outline]:
    """Render the parts of a document to text and read its outline.

    Headings come from styles; a body paragraph may be one by the line grammar.

    Args:
        parts: in reading order.

    Returns:
        The canonical text and its outline.
    """
    placed = _Text(_without_code_throughout(list(parts)))
    drafting = _Drafting(placed.text)
    for part, span in placed.parts:
        drafting.add(part, span)
    return placed.text, build_outline(placed.text, refine(placed.text, drafting.drafts))


def _without_code_throughout(parts: Sequence[Part]) -> Sequence[Part]:
    """The parts, body text for code where nearly all is code: what programs make of plain text."""
    paragraphs = [part for part in parts if isinstance(part, Paragraph)]
    code = sum(len(part.text) for part in paragraphs if part.style.kind is BlockKind.CODE)
    if code <= _MOSTLY * sum(len(_shown(part)) for part in parts):
        return parts
    return [
        replace(part, style=replace(part.style, kind=BlockKind.PARAGRAPH))
        if isinstance(part, Paragraph)
        else part
        for part in parts
    ]


class _Text:
    """The text of all parts, and where each one stands in it."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts: list[tuple[Part, Span]] = []
        pieces: list[str] = []
        at = 0
        for before, part in pairwise((None, *parts)):
            assert part is not None
            gap = "" if before is None else "\n" if _are_close(before, part) else "\n\n"
            text = _shown(part)
            start = at + len(gap)
            at = start + len(text)
            pieces += (gap, text)
            self.parts.append((part, Span(start, at)))
        self.text = "".join(pieces)


def _shown(part: Part) -> str:
    match part:
        case Paragraph():
            return part.line
        case Table():
            return "\n".join(part.lines)
        case Note():
            return part.text


def _are_close(before: Part, part: Part) -> bool:
    """Whether two parts stand on neighbouring lines: items of lists, and runs of one kind."""
    if not isinstance(before, Paragraph) or not isinstance(part, Paragraph):
        return False
    if before.level is not None or part.level is not None:
        return False
    return _continues(before, part) or (before.label is not None and part.label is not None)


def _continues(before: Paragraph, part: Paragraph) -> bool:
    """Whether a paragraph is one more line of the block before: code, a table of contents."""
    both_code = before.style.kind is BlockKind.CODE and part.style.kind is BlockKind.CODE
    return both_code or (before.style.is_contents and part.style.is_contents)


class _Drafting:
    """Turns the placed parts of one text into drafts, in order."""

    def __init__(self, text: str) -> None:
        self.drafts: list[Draft] = []
        self._text = text
        self._reader = LineReader(text, self.drafts, splits_paragraphs=False)
        self._items = OpenItems()
        self._before: Part | None = None

    def add(self, part: Part, span: Span) -> None:
        """Add the next part."""
        match part:
            case Table():
                draft = self._add_block(BlockKind.TABLE, span)
                self._items.hold(draft, part.left)
            case Note():
                self._add_block(BlockKind.FOOTNOTE, span)
            case Paragraph():
                self._add_paragraph(part, span)
        self._before = part

    def _add_paragraph(self, part: Paragraph, span: Span) -> None:
        line = self._text[span.start : span.end]
        if part.level is not None:
            self._add_heading(line, span, part.level)
        elif part.style.is_contents or part.style.kind is not BlockKind.PARAGRAPH:
            self._add_styled(part, span)
        else:
            self._read_lines(part, span)

    def _add_heading(self, line: str, span: Span, level: int) -> None:
        shown = " ".join(line.split("\n"))
        self._reader.start_section(shown)
        self._items.clear()
        self.drafts.append(styled_heading(span, shown, level))

    def _add_styled(self, part: Paragraph, span: Span) -> None:
        self._reader.start_section("")
        last = self.drafts[-1] if self.drafts else None
        is_same = isinstance(self._before, Paragraph) and _continues(self._before, part)
        if is_same and isinstance(last, BlockDraft):
            last.end = span.end
        else:
            self._add_block(part.style.kind, span)

    def _read_lines(self, part: Paragraph, span: Span) -> None:
        """Read a paragraph by the line grammar, and nest what it finds by its indent."""
        first = len(self.drafts)
        self._reader.read(*span)
        found = self.drafts[first:]
        left = part.indent.left or 0
        label = part.label
        if label is not None and label.text and not isinstance(found[0], HeadingDraft):
            del self.drafts[first:]
            item = self._add_block(BlockKind.ITEM, span)
            item.label = label.text
            self._items.open_labelled(item, label, part.indent.start, left)
            self._reader.note_item(item, self._text[span.start : span.end])
            return
        for draft in found:
            if isinstance(draft, HeadingDraft):
                self._items.clear()
            elif draft.kind is BlockKind.ITEM:
                self._items.open_typed(draft, part.indent.start)
            else:
                self._items.hold(draft, left)

    def _add_block(self, kind: BlockKind, span: Span) -> BlockDraft:
        draft = BlockDraft(kind, *span)
        self.drafts.append(draft)
        return draft
