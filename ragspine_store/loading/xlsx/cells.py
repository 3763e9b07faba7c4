"""Reads the parts of a workbook that hold cells: shared strings and sheets, as streams."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ragspine_store.errors import LoadError
from ragspine_store.loading.rendering import MAX_RENDERED_CHARS
from ragspine_store.loading.sheets import MAX_ROWS, too_many_rows
from ragspine_store.loading.xlsx.number_formats import format_number, format_text

MAX_CELLS = 5_000_000
MAX_COLUMNS = 16_384  # of a sheet

_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_RANGE = re.compile(r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})")
_TRUE = ("1", "true")


class SharedStrings:
    """Receives the strings that cells refer to; readings above them are left out."""

    def __init__(self) -> None:
        self.strings: list[str] = []
        self._parts: list[str] = []
        self._is_text = False
        self._readings = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> None:
        """An element opens."""
        if tag == "si":
            self._parts = []
        elif tag == "rPh":
            self._readings += 1
        self._is_text = tag == "t" and not self._readings

    def end(self, tag: str, /) -> None:
        """An element closes."""
        if tag == "si":
            self.strings.append("".join(self._parts))
        elif tag == "rPh":
            self._readings -= 1
        self._is_text = False

    def data(self, data: str, /) -> None:
        """Text stands here."""
        if self._is_text:
            self._parts.append(data)


@dataclass(frozen=True, slots=True)
class CellStyles:
    """What a cell's text depends on besides its value.

    Attributes:
        strings: the shared strings.
        codes: the number format of each cell style.
        from_1904: whether days count from 1904.
    """

    strings: Sequence[str] = field(repr=False)
    codes: Sequence[str]
    from_1904: bool


@dataclass(slots=True)
class SheetRow:
    """One row: its number from 1, and its cells by column from 1."""

    number: int
    is_hidden: bool
    cells: dict[int, str] = field(default_factory=dict[int, str], repr=False)


class SheetReader:
    """Receives one sheet and keeps the text of its cells.

    Args:
        styles: of the workbook.
        room: characters that its cells may still hold, of those that a workbook may.
        name: the file's name, as errors show it.
    """

    def __init__(self, styles: CellStyles, *, room: int, name: str) -> None:
        self.room = room
        self.rows: list[SheetRow] = []
        self.hidden_columns: set[int] = set()
        self.merged: list[tuple[int, int, int, int]] = []
        self._styles = styles
        self._name = name
        self._cell: dict[str, str] = {}
        self._column = 0
        self._cells = 0
        self._hidden_up_to = 0
        self._texts: dict[str, list[str]] = {}
        self._open = ""
        self._readings = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> None:
        """An element opens."""
        match tag:
            case "row":
                self._start_row(attrs)
            case "c":
                self._start_cell(attrs)
            case "v" | "f" | "t" if not self._readings:
                self._open = tag
            case "rPh":
                self._readings += 1
            case "col" if attrs.get("hidden") in _TRUE:
                self._hide(_integer(attrs.get("min", "")), _integer(attrs.get("max", "")))
            case "mergeCell":
                if match := _RANGE.fullmatch(attrs.get("ref", "")):
                    left, top, right, bottom = match.groups()
                    self.merged.append((_column(left), int(top), _column(right), int(bottom)))
            case _:
                pass

    def end(self, tag: str, /) -> None:
        """An element closes."""
        self._open = ""
        if tag == "c" and self._texts and (text := self._shown()).strip():
            self.room -= len(text)
            if self.room < 0:
                raise self._too_much(f"more than {MAX_RENDERED_CHARS:,} characters")
            self.rows[-1].cells[self._column] = text
        elif tag == "rPh":
            self._readings -= 1

    def data(self, data: str, /) -> None:
        """Text stands here."""
        if self._open:
            self._texts.setdefault(self._open, []).append(data)

    def _hide(self, first: int, last: int) -> None:
        """Note hidden columns; they come in order, so none is looked at twice."""
        last = min(last, MAX_COLUMNS)
        self.hidden_columns.update(range(max(first, self._hidden_up_to + 1), last + 1))
        self._hidden_up_to = max(self._hidden_up_to, last)

    def _too_much(self, what: str) -> LoadError:
        return LoadError(
            f"{self._name} has a sheet of {what}; expected a table that people read: split it"
        )

    def _start_row(self, attrs: dict[str, str]) -> None:
        if len(self.rows) >= MAX_ROWS:
            raise too_many_rows(self._name)
        number = _integer(attrs.get("r", "")) or (self.rows[-1].number + 1 if self.rows else 1)
        self.rows.append(SheetRow(number, attrs.get("hidden") in _TRUE))
        self._column = 0

    def _start_cell(self, attrs: dict[str, str]) -> None:
        self._cells += 1
        if self._cells > MAX_CELLS:
            raise self._too_much(f"more than {MAX_CELLS:,} cells")
        match = _REFERENCE.fullmatch(attrs.get("r", ""))
        self._column = _column(match[1]) if match else self._column + 1
        self._cell = attrs
        self._texts = {}

    def _shown(self) -> str:
        """The text of the cell, as the sheet shows it; a formula without a result as written."""
        value = "".join(self._texts.get("v", ()))
        code = _item(self._styles.codes, self._cell.get("s", "0"))
        match self._cell.get("t", "n"):
            case "s":
                return format_text(_item(self._styles.strings, value), code)
            case "str" | "e" | "d" if value:
                return value
            case "inlineStr":
                return format_text("".join(self._texts.get("t", ())), code)
            case "b" if value:
                return "TRUE" if value in _TRUE else "FALSE"
            case _ if value:
                return _number(value, code, from_1904=self._styles.from_1904)
            case _:
                formula = "".join(self._texts.get("f", ()))
                return f"={formula}" if formula else ""


def _number(value: str, code: str, *, from_1904: bool) -> str:
    try:
        number = float(value)
    except ValueError:
        return value
    return format_number(number, code, from_1904=from_1904) if math.isfinite(number) else value


def _item(items: Sequence[str], index: str) -> str:
    at = _integer(index)
    return items[at] if at < len(items) else ""


def _integer(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


@functools.lru_cache(maxsize=MAX_COLUMNS)
def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number
