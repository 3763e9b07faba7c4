"""How text leaves: shown literally, on a terminal, in JSON and in CSV.

A document can hold anything, its name too: escape sequences that recolour a terminal, marks that
reverse what is read, characters without width that hide a word. None of them acts on the way out;
each is shown as the escape that names it.
"""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Callable, Iterable, Sequence

Json = dict[str, object]
"""A JSON object."""

# Controls, format characters (bidi marks, zero width), line separators, unpaired surrogates.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


class _Escapes(dict[int, str]):
    """A table for `str.translate`, filled as code points are met."""

    def __init__(self, escape: Callable[[int], str], keep: str = "") -> None:
        super().__init__()
        self._escape = escape
        self._keep = keep

    def __missing__(self, code: int) -> str:
        char = chr(code)
        is_shown = unicodedata.category(char) not in _INVISIBLE or char in self._keep
        self[code] = char if is_shown else self._escape(code)
        return self[code]


def _terminal_escape(code: int) -> str:
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\u{code:04x}" if code > 0xFF else f"\\x{code:02x}"


def _json_escape(code: int) -> str:
    return json.dumps(chr(code))[1:-1]


_LINE = _Escapes(_terminal_escape)
_BLOCK = _Escapes(_terminal_escape, keep="\n\t")
_JSON = _Escapes(_json_escape, keep="\n")


def literal(text: str) -> str:
    r"""A name, an id or a heading as one line that says all it holds.

    >>> print(literal("a\x1b[31m\u202eb"))
    a\x1b[31m\u202eb
    """
    return text.translate(_LINE)


def literal_block(text: str) -> str:
    r"""A text of several lines; its line breaks and tabs stay.

    >>> print(literal_block("one\ntwo\r"))
    one
    two\x0d
    """
    return text.translate(_BLOCK)


def render_json(value: object, *, ascii_only: bool = False) -> str:
    r"""One JSON document of equal content, with every invisible character escaped.

    Args:
        value: what `json` can write.
        ascii_only: escape everything beyond ASCII, for an output that cannot encode it.

    >>> print(render_json(["手当\u202e"]))
    [
      "手当\u202e"
    ]
    """
    text = json.dumps(value, ensure_ascii=ascii_only, indent=2, allow_nan=False)
    return text.translate(_JSON)


# What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def render_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Rows as CSV in which no cell acts: formulas stand behind an apostrophe.

    >>> render_csv(["name"], [["=1+1"]])
    "name\r\n'=1+1\r\n"
    """
    written = io.StringIO(newline="")
    lines = csv.writer(written)
    lines.writerow(header)
    lines.writerows([_cell(value) for value in row] for row in rows)
    return written.getvalue()


def _cell(value: object) -> str:
    text = literal_block("" if value is None else str(value))
    is_number = isinstance(value, (int, float))
    return f"'{text}" if text.lstrip().startswith(_FORMULA) and not is_number else text
