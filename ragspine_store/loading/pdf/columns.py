"""The reading order of a page: columns one after the other, tables left whole."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ragspine_store.loading.pdf.geometry import typical
from ragspine_store.loading.pdf.lines import Line, base_rows

_MIN_LINES = 4
_MAX_LINES = 800
_MIN_FILL = 0.5
_MIN_CHARS = 8
_MIN_WIDTH = 12  # em
_MAX_CROSSING = 0.25
_MAX_DEPTH = 4


def in_columns(lines: Sequence[Line], depth: int = 0) -> list[list[Line]]:
    """The columns of a page in reading order, the lines of each from top to bottom.

    What stands across two columns comes between what is above and below it. A table is no pair
    of columns: its cells do not fill their width.
    """
    ordered = sorted(lines, key=lambda line: (-line.base, line.left))
    gutter = _find_gutter(ordered) if depth < _MAX_DEPTH else None
    if gutter is None:
        return [ordered] if ordered else []
    found: list[list[Line]] = []
    for is_across, band in groupby(ordered, key=lambda line: line.left < gutter < line.right):
        part = list(band)
        left = [line for line in part if line.right <= gutter]
        right = [line for line in part if line.left >= gutter]
        if is_across or not (_is_prose(left) and _is_prose(right)):
            found.append(part)
        else:
            found += in_columns(left, depth + 1)
            found += in_columns(right, depth + 1)
    return found


def _find_gutter(lines: Sequence[Line]) -> float | None:
    """An x that hardly any line crosses, with enough lines on both sides, one beside the other."""
    if not 2 * _MIN_LINES <= len(lines) <= _MAX_LINES:
        return None
    best, gutter = (-len(lines), 0.0), None
    for x in sorted({line.right + 1 for line in lines}):
        left = [line for line in lines if line.right <= x]
        right = [line for line in lines if line.left >= x]
        crossing = len(lines) - len(left) - len(right)
        if min(len(left), len(right)) < _MIN_LINES or crossing > _MAX_CROSSING * len(lines):
            continue
        if not _stand_side_by_side(left, right):
            continue
        width = min(line.left for line in right) - max(line.right for line in left)
        score = (-crossing, width)
        if score > best and _is_prose(left) and _is_prose(right):
            best, gutter = score, x
    return gutter


def _stand_side_by_side(left: Sequence[Line], right: Sequence[Line]) -> bool:
    top = min(max(line.top for line in side) for side in (left, right))
    bottom = max(min(line.bottom for line in side) for side in (left, right))
    heights = [
        max(line.top for line in side) - min(line.bottom for line in side) for side in (left, right)
    ]
    return top - bottom >= 0.5 * min(heights)


def _is_prose(lines: Sequence[Line]) -> bool:
    """Whether rows fill their column, as prose does and the cells of a table do not."""
    rows = base_rows(lines)
    if len(rows) < _MIN_LINES:
        return False
    width = max(line.right for line in lines) - min(line.left for line in lines)
    fill = typical((sum(line.right - line.left for line in row) / width for row in rows), 0)
    if width < _MIN_WIDTH * typical((line.size for line in lines), 0):
        return False
    return fill >= _MIN_FILL and typical(map(_chars, rows), 0) >= _MIN_CHARS


def _chars(row: Sequence[Line]) -> int:
    return sum(len(line.text) for line in row)
