"""What a column holds in reading order: lines and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ragspine_store.loading.pdf.columns import in_columns
from ragspine_store.loading.pdf.layers import Layer
from ragspine_store.loading.pdf.lines import Line, base_rows
from ragspine_store.loading.pdf.tables import TableRows, find_aligned, find_bordered

_SAME_MARGIN = 5.0  # em


@dataclass(frozen=True, slots=True)
class Column:
    """One column of one page.

    Attributes:
        page: from 0.
        pieces: its lines and tables from top to bottom.
        left, right: its margins, shared with the like columns of other pages.
    """

    page: int
    pieces: tuple[Line | TableRows, ...] = field(repr=False)
    left: float
    right: float


def columns_of(layers: Iterable[Layer], size: float) -> list[Column]:
    """The columns of all pages in reading order.

    Args:
        layers: of all pages, in order.
        size: of the body's font, in points.
    """
    found: list[tuple[int, list[Line | TableRows], float, float]] = []
    for layer in layers:
        tables = find_bordered(layer.lines, layer.rules)
        stand_ins = {id(table.lines[0]): table for table in tables}
        inside = {id(line) for table in tables for line in table.lines[1:]}
        lines = [line for line in layer.lines if id(line) not in inside]
        for column in in_columns(lines):
            text = [line for line in column if id(line) not in stand_ins] or column
            left, right = min(x.left for x in text), max(x.right for x in text)
            pieces = list(_with_tables(column, stand_ins))
            found.append((layer.page, pieces, left, right))
    margins = _Margins((left, right) for _, _, left, right in found)
    return [
        Column(page, tuple(pieces), *margins.near(left, size)) for page, pieces, left, _ in found
    ]


def _with_tables(
    column: Sequence[Line], bordered: dict[int, TableRows]
) -> Iterable[Line | TableRows]:
    """The lines, with the tables in the place of their first lines."""
    plain = [line for line in column if id(line) not in bordered]
    aligned = {id(table.lines[0]): table for table in find_aligned(plain)}
    inside = {id(line) for table in aligned.values() for line in table.lines[1:]}
    for row in base_rows([line for line in column if id(line) not in inside]):
        tables = [t for line in row if (t := bordered.get(id(line)) or aligned.get(id(line)))]
        if tables:
            yield from tables
        else:
            yield _joined(sorted(row, key=lambda line: line.left))


def _joined(row: Sequence[Line]) -> Line:
    """The parts of a row that is in no table as one line, which is no heading by its boldness."""
    if len(row) == 1:
        return row[0]
    return replace(
        row[0],
        text=" ".join(line.text for line in row),
        right=row[-1].right,
        bottom=min(line.bottom for line in row),
        top=max(line.top for line in row),
        is_bold=False,
        gaps=(),
    )


class _Margins:
    """The margins of all columns; those that start near each other share the outermost."""

    def __init__(self, columns: Iterable[tuple[float, float]]) -> None:
        self._by_left: dict[int, tuple[float, float]] = {}
        for left, right in columns:
            key = round(left)
            low, high = self._by_left.get(key, (left, right))
            self._by_left[key] = min(left, low), max(right, high)

    def near(self, left: float, size: float) -> tuple[float, float]:
        near = [
            margins
            for key, margins in self._by_left.items()
            if abs(key - left) <= _SAME_MARGIN * size
        ]
        near.append(self._by_left[round(left)])
        return min(low for low, _ in near), max(high for _, high in near)
