"""Tables as lines of text, one row a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ragspine_store.errors import LoadError

MAX_CELLS = 2_000_000
"""Most cells of one table as it is written."""

MAX_COVERED = 2 * MAX_CELLS
"""Most cells of one table, all that its cells claim to span included."""

_MAX_COLUMNS = 1_000  # that a cell spans, as in HTML
_MAX_REPEATED_CHARS = 100
_BLANKS = re.compile(r"[ \t\r\n\f]+")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell as the source has it.

    Attributes:
        text: its text; line ends become spaces.
        rows, columns: how many it spans.
    """

    text: str = field(repr=False)
    rows: int = 1
    columns: int = 1


@dataclass(slots=True)
class _Spanning:
    """A cell above that reaches into the next rows."""

    text: str
    rows: int


def render_table(rows: Sequence[Sequence[Cell]], *, name: str) -> str:
    """Render a table as lines such as `| a | b |`; rows without text are left out.

    A cell over several rows is repeated in each when it is short, so that each row reads alone; a
    cell over several columns is written once, the other columns stay empty.

    Raises:
        LoadError: the table has too many cells; `name` is how the file is named there.

    >>> print(render_table([[Cell("甲", rows=2), Cell("1")], [Cell("2")]], name="a.html"))
    | 甲 | 1 |
    | 甲 | 2 |
    """
    covered = 0
    grid: list[list[str]] = []
    for row in _grid(rows):
        covered += len(row)
        if covered > MAX_COVERED:
            raise _too_many_cells(name)
        while row and not row[-1]:
            row.pop()
        if row:
            grid.append(row)
    # A cell may claim more columns than the table has.
    width = max(map(len, grid), default=0)
    if width * len(grid) > MAX_CELLS:
        raise _too_many_cells(name)
    return "\n".join(f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in grid)


def _too_many_cells(name: str) -> LoadError:
    return LoadError(
        f"{name} has a table of more than {MAX_CELLS:,} cells; expected a document: split the table"
    )


def one_line(text: str) -> str:
    r"""The text with each run of blanks and line ends as one space.

    >>> one_line(" a\n  b ")
    'a b'
    """
    return _BLANKS.sub(" ", text).strip()


def _grid(rows: Sequence[Sequence[Cell]]) -> Iterator[list[str]]:
    spanning: dict[int, _Spanning] = {}
    for row in rows:
        line: list[str] = []
        reaching: dict[int, _Spanning] = {}
        for cell in row:
            _take(line, spanning, reaching)
            text = one_line(cell.text)
            repeated = text if len(text) <= _MAX_REPEATED_CHARS else ""
            for _ in range(max(1, min(cell.columns, _MAX_COLUMNS))):
                if cell.rows > 1:
                    reaching[len(line)] = _Spanning(repeated, cell.rows - 1)
                line.append(text)
                text = repeated = ""
        _take(line, spanning, reaching)
        spanning = reaching | spanning
        yield line


def _take(line: list[str], spanning: dict[int, _Spanning], reaching: dict[int, _Spanning]) -> None:
    """Write the cells from above that stand where the line has come to."""
    while (above := spanning.pop(len(line), None)) is not None:
        if above.rows > 1:
            reaching[len(line)] = _Spanning(above.text, above.rows - 1)
        line.append(above.text)
