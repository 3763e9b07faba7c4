"""Rows of a sheet as blocks, each of which can be read alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ragspine_store.errors import LoadError
from ragspine_store.loading.rendering import Rendering
from ragspine_store.loading.tables import one_line
from ragspine_store.records import BlockKind

MAX_ROWS = 1_000_000

_ROWS_LOOKED_AT = 20
_MAX_VALUE = 40
_SEPARATOR = " | "

Row = Mapping[int, str]
"""The cells of one row that hold text, by column; a sheet may be mostly empty."""
_VALUE = re.compile(
    r"[-+△▲(]?\s*[¥￥$€£]?\s*[\d０-９][\d０-９,，.．:/年月日時分秒\- ]*\s*[%％円)]?|TRUE|FALSE|#\S+"
)


def add_rows(rendering: Rendering, rows: Iterable[Row]) -> None:
    """Add the rows of one sheet to a rendering.

    A row becomes one block of `header: value` pairs, without its empty cells: whoever finds it
    knows what each value is, also where a long sheet is read in parts. What stands above the
    header, and rows of a sheet that has none, are written as they are. Blank rows are left out.

    Args:
        rendering: receives the blocks.
        rows: from the first on.
    """
    filled = [row for row in map(_filled, rows) if row]
    header_at = _find_header(filled)
    header: Row = filled[header_at] if header_at is not None else {}
    for at, row in enumerate(filled):
        is_data = header_at is not None and at > header_at
        cells = _pairs(header, row) if is_data else row.values()
        rendering.add_block(BlockKind.TABLE, _SEPARATOR.join(cells))


def too_many_rows(name: str) -> LoadError:
    """The error for a file of more than `MAX_ROWS` rows."""
    return LoadError(
        f"{name} has more than {MAX_ROWS:,} rows; expected a table that people read: split it"
    )


def _filled(row: Row) -> Row:
    cells = ((column, one_line(cell)) for column, cell in sorted(row.items()))
    return {column: cell for column, cell in cells if cell}


def _find_header(rows: Sequence[Row]) -> int | None:
    """The first row that is as wide as the table, if it holds names and not values.

    Narrower rows above it are titles and remarks.
    """
    top = rows[:_ROWS_LOOKED_AT]
    width = max(map(len, top), default=0)
    for at, row in enumerate(top):
        if 2 * len(row) > width:
            is_header = len(row) > 1 and not any(map(_is_value, row.values()))
            return at if is_header and at + 1 < len(rows) else None
    return None


def _is_value(cell: str) -> bool:
    return len(cell) <= _MAX_VALUE and _VALUE.fullmatch(cell) is not None


def _pairs(header: Row, row: Row) -> list[str]:
    return [
        f"{header[column]}: {cell}" if column in header else cell for column, cell in row.items()
    ]
