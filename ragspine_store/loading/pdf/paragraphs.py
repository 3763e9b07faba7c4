"""From lines to paragraphs, over columns and pages, and what each paragraph looks like."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ragspine_store.loading.japanese import parse_heading
from ragspine_store.loading.markers import Marker, parse_marker
from ragspine_store.loading.pdf.lines import EAST_ASIAN, Line
from ragspine_store.loading.pdf.pieces import Column
from ragspine_store.loading.pdf.tables import TableRows

_LARGER = 1.12  # than the body's font: a heading
_SAME_SIZE = 0.75  # points
_WIDER_PITCH = 1.3  # than the body's lines: a new paragraph
_INDENT = 0.7  # em
_FIRST_INDENT = 2.6  # em
_CJK_SLACK = 1.1  # em that a line may end early, so that no 。 starts the next one
_LATIN_SLACK = 0.35
_SENTENCE_ENDS = "。．.！？!?：:；;"
_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
_MIDDLE_DOT = "・"  # between nouns as well as before items
_CLOSING = "」』）)”’\"'】］]"


@dataclass(frozen=True, slots=True)
class Typography:
    """What is usual in a document.

    Attributes:
        size: of the body's font, in points.
        is_bold: whether the body is bold.
        pitch: from line to line of a paragraph, in em.
    """

    size: float
    is_bold: bool
    pitch: float

    def stands_out(self, line: Line) -> bool:
        """Whether a line is larger or bolder than the body."""
        if line.size >= _LARGER * self.size:
            return True
        return line.is_bold and not self.is_bold and line.size > self.size - _SAME_SIZE


@dataclass(slots=True)
class PlacedLine:
    """A line with its indent from the margin of its column."""

    line: Line
    column: int
    left: float
    text_left: float
    room: float


@dataclass(slots=True)
class PlacedParagraph:
    """The lines of one paragraph."""

    lines: list[PlacedLine] = field(default_factory=list[PlacedLine])


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """A table with its page and its indent."""

    table: TableRows
    page: int
    left: float


def typography_of(lines: Iterable[Line]) -> Typography:
    """What is usual among the lines of a document."""
    chars: Counter[tuple[float, bool]] = Counter()
    pitches: list[float] = []
    before: Line | None = None
    for line in lines:
        chars[line.size, line.is_bold] += len(line.text)
        if before is not None and before.page == line.page and before.size == line.size:
            pitch = (before.base - line.base) / line.size
            if 0.9 < pitch < 2.6:
                pitches.append(pitch)
        before = line
    size, is_bold = max(chars, key=lambda key: chars[key], default=(10.0, False))
    pitches.sort()
    return Typography(size, is_bold, pitches[len(pitches) // 4] if pitches else 1.5)


def paragraphs_of(
    columns: Sequence[Column], usual: Typography
) -> Iterator[PlacedParagraph | PlacedTable]:
    """The paragraphs and tables of a document in reading order."""
    current = PlacedParagraph()
    for number, column in enumerate(columns):
        for piece in column.pieces:
            if isinstance(piece, TableRows):
                if current.lines:
                    yield current
                    current = PlacedParagraph()
                left = min(line.left for line in piece.lines) - column.left
                yield PlacedTable(piece, column.page, left)
                continue
            placed = PlacedLine(
                piece,
                number,
                piece.left - column.left,
                piece.text_left - column.left,
                column.right - piece.right,
            )
            if current.lines and not _goes_on(current.lines, placed, usual):
                yield current
                current = PlacedParagraph()
            current.lines.append(placed)
    if current.lines:
        yield current


def _goes_on(lines: Sequence[PlacedLine], following: PlacedLine, usual: Typography) -> bool:
    """Whether a line goes on with the paragraph above it."""
    before = lines[-1]
    line, above = following.line, before.line
    if abs(line.size - above.size) > _SAME_SIZE or line.is_bold < above.is_bold:
        return False
    if usual.stands_out(line) and not usual.stands_out(above):
        return False
    if before.column == following.column:
        pitch = (above.base - line.base) / max(line.size, above.size)
        if not 0 < pitch <= _WIDER_PITCH * usual.pitch:
            return False
    if not _is_full(before, line):
        return False
    return _is_aligned(lines, following) and not _starts_anew(lines, following)


def _is_full(before: PlacedLine, line: Line) -> bool:
    """Whether a line was wrapped: the start of the next one had no room at its end.

    Nor does a new paragraph begin with a small letter in the middle of a sentence in words.
    """
    above = before.line.text
    if line.text[0].islower() and not _has_ended(above) and not EAST_ASIAN.match(above[-1]):
        return True
    slack = (_LATIN_SLACK if line.text[0].isascii() else _CJK_SLACK) * line.size
    return before.room < line.first_width + slack


def _is_aligned(lines: Sequence[PlacedLine], following: PlacedLine) -> bool:
    before = lines[-1]
    em = following.line.size
    shift = following.left - before.left
    if len(lines) > 1:
        return abs(shift) <= _INDENT * em
    if before.text_left > before.left:
        return following.left <= before.text_left + _INDENT * em
    return -_FIRST_INDENT * em <= shift <= _INDENT * em


def _starts_anew(lines: Sequence[PlacedLine], following: PlacedLine) -> bool:
    """Whether a line opens a heading or an item instead of going on."""
    text = following.line.text
    marker = parse_marker(text)
    if marker is None and parse_heading(text) is None:
        return False
    if marker is not None and _counts_on(lines, marker):
        return False
    if _has_ended(lines[-1].line.text):
        return True
    first = lines[0]
    if text.startswith(_MIDDLE_DOT) and not first.line.text.startswith(_MIDDLE_DOT):
        return False
    if first.text_left > first.left:
        return following.left < first.text_left - _INDENT * following.line.size
    return marker is not None and not marker.is_ascii


def _counts_on(lines: Sequence[PlacedLine], marker: Marker) -> bool:
    """Whether a marker counts on from one inside of the paragraph, as in （１）…（２）…."""
    number = re.search(r"\d+", marker.label)
    if number is None or marker.is_first:
        return False
    before = str(int(number[0]) - 1)
    if not number[0].isascii():
        before = before.translate(_FULL_WIDTH)
    label = marker.label.replace(number[0], before)
    return any(placed.line.text.find(label, 1) > 0 for placed in lines)


def _has_ended(text: str) -> bool:
    return text.rstrip(_CLOSING)[-1:] in _SENTENCE_ENDS
