"""Tables: by their borders, or by cells that stand below each other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ragspine_store.loading.japanese import parse_heading
from ragspine_store.loading.markers import parse_marker
from ragspine_store.loading.pdf.geometry import Rule, typical
from ragspine_store.loading.pdf.joining import joined_text
from ragspine_store.loading.pdf.lines import Line, base_rows

_NEAR = 3.0  # points
_MAX_RULES = 5_000
_MAX_ROWS = 300
_MAX_GAPS = 8
_JUSTIFIED = 0.5  # of the rows of a column
_WRAPPED_GAP = 0.5  # em between two lines of one cell at most
_COLUMN_START = 12.0  # points that the cells of a column may start apart
_SHORT_LINE = 3.0  # em that a line of cells ends before the margin
_PARTING_GAP = 0.4  # em
_MIN_PARTED = 3  # rows of a table that only small gaps part into cells
_NEXT_ROW_GAP = 3.0  # em between the rows of a table without borders at most


@dataclass(frozen=True, slots=True)
class TableRows:
    """A table as found on one page.

    Attributes:
        rows: the texts of its cells, row by row.
        lines: what it was read from.
    """

    rows: tuple[tuple[str, ...], ...] = field(repr=False)
    lines: tuple[Line, ...] = field(repr=False)


def find_bordered(lines: Sequence[Line], rules: Sequence[Rule]) -> list[TableRows]:
    """The tables of a page that have borders, with at least two cells."""
    found: list[TableRows] = []
    for grid in _grids(rules):
        inside = [line for line in lines if grid.holds(line)]
        if inside and len(grid.columns) > 2:
            found.append(TableRows(tuple(grid.rows(inside)), tuple(inside)))
    return found


@dataclass(frozen=True, slots=True)
class _Grid:
    """Borders that cross: x from left to right, y from top to bottom."""

    columns: tuple[float, ...]
    heights: tuple[float, ...]

    def holds(self, line: Line) -> bool:
        x, y = (line.left + line.right) / 2, (line.bottom + line.top) / 2
        return self.columns[0] < x < self.columns[-1] and self.heights[-1] < y < self.heights[0]

    def rows(self, lines: Sequence[Line]) -> Iterator[tuple[str, ...]]:
        cells: dict[tuple[int, int], list[Line]] = {}
        for line in lines:
            y = (line.bottom + line.top) / 2
            row = sum(1 for height in self.heights if height > y) - 1
            column = sum(1 for x in self.columns if x < line.left + _NEAR) - 1
            cells.setdefault((row, column), []).append(line)
        for row in range(len(self.heights) - 1):
            texts = tuple(
                _cell_text(cells.get((row, column), [])) for column in range(len(self.columns) - 1)
            )
            if any(texts):
                yield texts


def _grids(rules: Sequence[Rule]) -> Iterator[_Grid]:
    """The groups of rules that touch, as grids."""
    for group in _touching(rules[:_MAX_RULES]):
        columns = _places((rule.left + rule.right) / 2 for rule in group if rule.is_upright)
        heights = _places((rule.bottom + rule.top) / 2 for rule in group if not rule.is_upright)
        if len(columns) >= 2 and len(heights) >= 2:
            yield _Grid(tuple(columns), tuple(reversed(heights)))


def _touching(rules: Sequence[Rule]) -> list[list[Rule]]:
    """The rules in groups: each touches another of its group."""
    groups: dict[int, list[int]] = {at: [at] for at in range(len(rules))}
    group_of = list(range(len(rules)))
    by_top = sorted(range(len(rules)), key=lambda at: -rules[at].top)
    open_rules: list[int] = []
    for at in by_top:
        open_rules = [o for o in open_rules if rules[o].bottom <= rules[at].top + 2 * _NEAR]
        for other in open_rules:
            mine, its = group_of[at], group_of[other]
            if mine != its and _touch(rules[at], rules[other]):
                kept, gone = sorted((mine, its), key=lambda group: -len(groups[group]))
                for member in groups[gone]:
                    group_of[member] = kept
                groups[kept] += groups.pop(gone)
        open_rules.append(at)
    return [[rules[at] for at in members] for members in groups.values()]


def _touch(one: Rule, other: Rule) -> bool:
    return (
        one.left <= other.right + _NEAR
        and other.left <= one.right + _NEAR
        and one.bottom <= other.top + _NEAR
        and other.bottom <= one.top + _NEAR
    )


def _places(values: Iterator[float]) -> list[float]:
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > _NEAR:
            places.append(value)
    return places


def find_aligned(lines: Sequence[Line]) -> list[TableRows]:
    """The tables without borders in one column of text: rows of cells below each other.

    Args:
        lines: of the column, from top to bottom.
    """
    rows = base_rows(lines)
    margin = max((line.right for line in lines), default=0.0)
    left = min((line.left for line in lines), default=0.0)
    if _is_justified(rows, left, margin):
        rows = [row for row in rows if not _is_flush(row, left, margin)]
    found: list[TableRows] = []
    at = 0
    while at < len(rows):
        tables = [_aligned_from(rows, at, start) for start in _starts(rows, at, margin)]
        cells, columns = max(tables, key=lambda table: len(table[0])) if tables else ([], [])
        if len(cells) > 1:
            parted = [line for row in cells for line in row]
            whole = [line for row in rows[at : at + len(cells)] for line in row]
            found.append(TableRows(tuple(_aligned_rows(parted, columns)), tuple(whole)))
            at += len(cells)
        else:
            at += 1
    return found


def _is_justified(rows: Sequence[Sequence[Line]], left: float, right: float) -> bool:
    """Whether a column is prose set flush on both sides, its words apart as cells are."""
    flush = sum(1 for row in rows if _is_flush(row, left, right))
    return flush >= _JUSTIFIED * len(rows)


def _is_flush(row: Sequence[Line], left: float, right: float) -> bool:
    return (
        min(line.left for line in row) - left <= _NEAR
        and right - max(line.right for line in row) <= _NEAR
    )


def _starts(rows: Sequence[list[Line]], at: int, margin: float) -> Iterator[list[Line]]:
    """The cells that a row may be: the lines it has, or its only line parted at a gap.

    A line that ends near the margin is prose, which is parted at none, and a heading (附　則) is no
    row.
    """
    row = sorted(rows[at], key=lambda line: line.left)
    if parse_heading(" ".join(line.text for line in row)) is not None:
        return
    if len(row) > 1:
        yield row
        return
    line = row[0]
    if line.right < margin - _SHORT_LINE * line.size:
        for gap in line.gaps[:_MAX_GAPS]:
            is_wide = gap[1] - gap[0] >= _PARTING_GAP * line.size
            if is_wide and parse_marker(line.text[: gap[2]] + "x") is None:
                yield list(line.parted_at(gap))


_Interval = tuple[float, float]


def _aligned_from(
    rows: Sequence[list[Line]], at: int, start: list[Line]
) -> tuple[list[list[Line]], list[_Interval]]:
    """The rows of a table that begins with the cells of a row, and its columns.

    No rows when too few have cells beside each other.
    """
    cells = [start]
    columns = [(line.left, line.right) for line in start]
    for row in rows[at + 1 : at + _MAX_ROWS]:
        gap = min(line.bottom for line in cells[-1]) - max(line.top for line in row)
        if gap > _NEXT_ROW_GAP * row[0].size:
            break
        parted = [cell for line in row for cell in _parted(line, columns)]
        widened = _columns([*cells, parted])
        if widened is None:
            break
        columns = widened
        cells.append(parted)
    while len(cells) > 1 and len(cells[-1]) == 1 and not _overlaps(cells, len(cells) - 1):
        cells.pop()
        columns = _columns(cells) or []
    bands = _bands([line for row in cells for line in row], len(columns))
    has_header = start[0].is_bold and not cells[-1][-1].is_bold
    needed = 2 if len(rows[at]) > 1 or has_header else _MIN_PARTED
    return (cells, columns) if sum(len(band) > 1 for band in bands) >= needed else ([], [])


def _parted(line: Line, columns: Sequence[_Interval]) -> list[Line]:
    """A line parted at its gaps into the cells of columns that it reaches over."""
    parts = [line]
    for before, after in pairwise(columns):
        for gap in parts[-1].gaps:
            if _lies_between(gap, before, after):
                parts[-1:] = parts[-1].parted_at(gap)
                break
    return parts


def _lies_between(gap: tuple[float, float, int], before: _Interval, after: _Interval) -> bool:
    """Whether a gap could be the one between two columns: what follows starts the second."""
    return gap[1] > before[1] and abs(gap[1] - after[0]) <= _COLUMN_START and gap[0] < after[0]


def _columns(rows: Sequence[Sequence[Line]]) -> list[_Interval] | None:
    """What the cells of all rows cover from left to right; None when that leaves no columns."""
    columns: list[_Interval] = []
    for left, right in sorted((line.left, line.right) for row in rows for line in row):
        if columns and left < columns[-1][1]:
            columns[-1] = columns[-1][0], max(columns[-1][1], right)
        else:
            columns.append((left, right))
    starts = [left for left, _ in columns]
    for row in rows:
        if len({bisect_right(starts, line.left) for line in row}) < len(row):
            return None
    return columns


def _overlaps(rows: Sequence[list[Line]], at: int) -> bool:
    """Whether a row stands beside a cell of the rows before it, as a wrapped cell does."""
    top = max(line.top for line in rows[at])
    before = rows[max(at - 2, 0) : at]
    return any(line.bottom < top for row in before for line in row)


def _aligned_rows(lines: Sequence[Line], columns: Sequence[_Interval]) -> Iterator[tuple[str, ...]]:
    starts = [left for left, _ in columns]
    for band in _bands(lines, len(columns)):
        cells: list[list[Line]] = [[] for _ in columns]
        for line in band:
            cells[max(bisect_right(starts, line.left) - 1, 0)].append(line)
        yield tuple(_cell_text(cell) for cell in cells)


def _bands(lines: Sequence[Line], columns: int) -> list[list[Line]]:
    """The lines of each row: what overlaps in height, and the rest of wrapped cells."""
    bands: list[list[Line]] = []
    bottom = 0.0
    for line in sorted(lines, key=lambda line: -line.top):
        gap = bottom - line.top
        if bands and gap < -0.1 * line.size:
            bands[-1].append(line)
            bottom = min(bottom, line.bottom)
        else:
            bands.append([line])
            bottom = line.bottom
    joined: list[list[Line]] = []
    for band in bands:
        if joined and len(band) < columns:
            gap = min(line.bottom for line in joined[-1]) - max(line.top for line in band)
            if gap <= _WRAPPED_GAP * typical((line.size for line in band), 10):
                joined[-1] += band
                continue
        joined.append(band)
    return joined


def _cell_text(lines: Sequence[Line]) -> str:
    return joined_text([line.text for line in sorted(lines, key=lambda line: -line.base)])
