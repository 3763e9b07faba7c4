"""Delimited text: CSV, TSV and their like."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator

from ragspine_store.errors import LoadError
from ragspine_store.loading.encoding import decode
from ragspine_store.loading.rendering import Rendering
from ragspine_store.loading.sheets import MAX_ROWS, Row, add_rows, too_many_rows
from ragspine_store.records import LoadedDocument

_DELIMITERS = (",", "\t", ";", "|")
_SAMPLE_CHARS = 64 * 1024
_SAMPLE_ROWS = 100
_HINT = "sep="  # how Excel marks the delimiter, on a line of its own


class DelimitedLoader:
    """Reads CSV and TSV: each row is a block; the delimiter is found by itself."""

    suffixes = (".csv", ".tsv", ".tab")

    def load(self, data: bytes, *, name: str) -> LoadedDocument:
        """Load one file; see `Loader.load`."""
        raw = decode(data, name=name)
        text, delimiter = _split_hint(raw)
        rows: list[Row] = []
        try:
            for row in _rows(text, delimiter or _find_delimiter(text)):
                rows.append({column: cell for column, cell in enumerate(row) if cell})
                if len(rows) > MAX_ROWS:
                    raise too_many_rows(name)
        except csv.Error:
            raise LoadError(
                f"{name} cannot be read as a table after row {len(rows)}; expected fields of at "
                f"most {csv.field_size_limit():,} characters: close its quotes, or name it .txt"
            ) from None
        rendering = Rendering(name=name)
        add_rows(rendering, rows)
        return rendering.finish(title="", stated={}, full_text=raw)


def _split_hint(text: str) -> tuple[str, str]:
    first, _, rest = text.partition("\n")
    hint = first.rstrip("\r")
    if hint.startswith(_HINT) and len(hint) == len(_HINT) + 1:
        return rest, hint[-1]
    return text, ""


def _find_delimiter(text: str) -> str:
    r"""The delimiter that gives most rows the same number of fields, more than one.

    >>> _find_delimiter('a;b\n"1,2;3";4\n')
    ';'
    """
    sample = text[:_SAMPLE_CHARS]
    return max(_DELIMITERS, key=lambda delimiter: _evenness(sample, delimiter))


def _evenness(sample: str, delimiter: str) -> tuple[float, int]:
    widths: Counter[int] = Counter()
    try:
        for row in _rows(sample, delimiter):
            if row:
                widths[len(row)] += 1
            if widths.total() == _SAMPLE_ROWS:
                break
    except csv.Error:
        return 0, 0
    rows = widths.total()
    del widths[1]
    width, count = max(widths.items(), key=lambda item: item[1], default=(0, 0))
    return count / max(rows, 1), width


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
