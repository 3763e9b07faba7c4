"""Reads a story (the body, a note, a cell) as paragraphs, tables and notes in reading order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from ragspine_store.loading.docx.inline import (
    DROPPED,
    InlineReader,
    InlineText,
    NoteMarks,
    NoteReference,
    first_alternative,
    is_set,
)
from ragspine_store.loading.docx.numbering import Label, Numbering
from ragspine_store.loading.docx.styles import (
    Indent,
    Style,
    Styles,
    bounded_int,
    indent_of,
    list_place,
    outline_level,
)
from ragspine_store.loading.docx.xml import Element, find_child, value_of

_HIGHEST_HEADING = 9
_MAX_COLUMNS = 63  # Word's own bound
_MAX_REPEATED_CHARS = 100


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph as shown.

    Attributes:
        text: without its label.
        style: its structure.
        level: 0 for a title, 1 to 9 for a heading, None for body text.
        label: its number or bullet.
        indent: where it stands.
    """

    text: str = field(repr=False)
    style: Style
    level: int | None
    label: Label | None
    indent: Indent

    @property
    def line(self) -> str:
        """The text with its label."""
        if self.label is None:
            return self.text.rstrip()
        return f"{self.label.text}{self.label.gap}{self.text.strip()}".strip()


@dataclass(frozen=True, slots=True)
class Table:
    """One table.

    Attributes:
        lines: its rows, those of nested tables below the row they stand in.
        left: where it stands, in twentieths of a point from the margin.
    """

    lines: tuple[str, ...] = field(repr=False)
    left: int


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote or endnote, where it is referred to.

    Attributes:
        text: with its mark.
    """

    text: str = field(repr=False)


Part = Paragraph | Table | Note


class StoryReader:
    """Reads the stories of one document, the body first.

    Args:
        styles, numbering: of the document.
        notes: footnotes and endnotes by reference; each is read once.
    """

    def __init__(
        self, styles: Styles, numbering: Numbering, notes: Mapping[NoteReference, Element]
    ) -> None:
        self._styles = styles
        self._numbering = numbering
        self._notes = dict(notes)
        self._marks = NoteMarks()

    def read(self, story: Element) -> Iterator[Part]:
        """Read one story."""
        inline = InlineReader(self._marks)
        joined: list[InlineText] = []
        for element in _blocks(story):
            if element.tag == "w:tbl":
                yield from self._read_table(element)
                continue
            joined.append(inline.read(element))
            properties = find_child(element, "w:pPr")
            if not _is_joined_to_next(properties):
                yield from self._finish(joined, properties)
                joined = []
        yield from self._finish(joined, None)

    def _finish(self, found: list[InlineText], properties: Element | None) -> Iterator[Part]:
        """What the runs of one paragraph make; tracked changes may have joined several."""
        if not found:
            return
        paragraph = self._paragraph("".join(part.text for part in found), properties)
        if paragraph.text.strip():
            yield paragraph
        for part in found:
            for reference in part.notes:
                yield from self._read_note(reference)
        for part in found:
            for box in part.boxes:
                yield from self.read(box)

    def _paragraph(self, text: str, properties: Element | None) -> Paragraph:
        style = self._styles.of(value_of(properties, "w:pStyle"))
        level = outline_level(properties) or style.level
        place = list_place(properties)
        label = self._numbering.next_label(place.over(style.place), style)
        stated = indent_of(properties)
        if label is None:
            indent = stated.over(style.indent)
        elif place.list_id:
            indent = stated.over(label.indent.over(style.indent))
        else:
            indent = stated.over(style.indent.over(label.indent))
        is_heading = level is not None and level <= _HIGHEST_HEADING
        return Paragraph(text, style, level if is_heading else None, label, indent)

    def _read_note(self, reference: NoteReference) -> Iterator[Part]:
        element = self._notes.pop(reference, None)
        if element is None:
            return
        tables: list[Table] = []
        lines: list[str] = []
        for part in self.read(element):
            if isinstance(part, Table):
                tables.append(part)
            else:
                lines.append(_one_line(part))
        yield Note(f"{self._marks.mark(reference)}: {' '.join(lines)}")
        yield from tables

    def _read_table(self, table: Element) -> Iterator[Part]:
        rows = [_cells(row) for row in _children(table, "w:tr") if not _is_deleted_row(row)]
        if len(rows) == 1 and len(rows[0]) == 1:
            yield from self.read(rows[0][0])
            return
        lines: list[str] = []
        notes: list[Part] = []
        above: dict[int, str] = {}
        for cells in rows:
            lines += self._row_lines(cells, above, notes.append)
        indent = find_child(table, "w:tblPr", "w:tblInd")
        left = 0 if indent is None else bounded_int(indent.get("w:w", ""), 0, 100_000)
        if lines:
            yield Table(tuple(lines), left)
        yield from notes

    def _row_lines(
        self, cells: list[Element], above: dict[int, str], add_note: Callable[[Part], None]
    ) -> Iterator[str]:
        """The line of a row, and below it those of the tables in its cells.

        A cell over several rows is repeated in each when it is short, so that each reads alone.
        """
        texts: list[str] = []
        nested: list[str] = []
        for cell in cells:
            properties = find_child(cell, "w:tcPr")
            lines: list[str] = []
            for part in self.read(cell):
                match part:
                    case Table():
                        nested += part.lines
                    case Note():
                        add_note(part)
                    case Paragraph():
                        lines.append(_one_line(part))
            text = " ".join(lines)
            if _is_merged_away(properties):
                text = text or above.get(len(texts), "")
            else:
                above[len(texts)] = text if len(text) <= _MAX_REPEATED_CHARS else ""
            columns = bounded_int(value_of(properties, "w:gridSpan"), 1, _MAX_COLUMNS)
            texts += [text] + [""] * (columns - 1)
        if any(texts):
            yield f"| {' | '.join(texts)} |"
        yield from nested


def _blocks(story: Element) -> Iterator[Element]:
    """The paragraphs and tables of a story, whatever wraps them."""
    for child in story:
        if child.tag in ("w:p", "w:tbl"):
            yield child
        elif child.tag == "mc:AlternateContent":
            yield from _blocks(first_alternative(child))
        elif child.tag not in DROPPED:
            yield from _blocks(child)


def _children(element: Element, tag: str) -> Iterator[Element]:
    """The rows of a table or the cells of a row, whatever wraps them."""
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in ("w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo"):
            yield from _children(child, tag)


def _cells(row: Element) -> list[Element]:
    cells = _children(row, "w:tc")
    return [cell for cell in cells if find_child(cell, "w:tcPr", "w:cellDel") is None]


def _is_deleted_row(row: Element) -> bool:
    return find_child(row, "w:trPr", "w:del") is not None


def _is_merged_away(properties: Element | None) -> bool:
    """Whether a cell is covered by the one above it."""
    merge = find_child(properties, "w:vMerge")
    return merge is not None and merge.get("w:val", "continue") == "continue"


def _is_joined_to_next(properties: Element | None) -> bool:
    """Whether the end of a paragraph is taken away, by a tracked change or by being hidden."""
    mark = find_child(properties, "w:rPr")
    is_removed = any(find_child(mark, tag) is not None for tag in ("w:del", "w:moveFrom"))
    return is_removed or is_set(mark, "w:specVanish")


def _one_line(part: Paragraph | Note) -> str:
    text = part.line if isinstance(part, Paragraph) else part.text
    return " ".join(text.split("\n")).strip()
