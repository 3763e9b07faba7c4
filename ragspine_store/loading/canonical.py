"""Canonical text: one newline, composed characters, removed parts gone, and the way back.

Only combining sequences are composed, never the whole text: Unicode's NFC would also replace
compatibility ideographs such as U+FA19, which are how people spell their names.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator

from ragspine_store.records import OffsetMap, Span

# A base with up to 30 marks, the bound of Unicode's stream-safe text format (UAX #15): ordering
# marks takes quadratic time, and no script needs more.
_MAX_MARKS = 30
_JAMO = "\u1161-\u1175\u11a8-\u11c2"  # vowels and finals, which a Hangul base takes like marks
_RUN_PART = re.compile(r"\r|[^\r]+")


def canonicalise(raw: str, removed: Iterable[Span] = ()) -> tuple[str, OffsetMap]:
    r"""Make canonical text from a decoded file.

    Args:
        raw: the decoded file.
        removed: spans of `raw` to leave out, in order and disjoint.

    Returns:
        The canonical text, and the map from it back to `raw`.

    >>> text, offsets = canonicalise("か\u3099\r\n")
    >>> text, offsets.raw_span(Span(0, 2))
    ('が\n', Span(start=0, end=4))
    """
    builder = _Builder()
    for start, end in _kept(len(raw), removed):
        at = start
        for unit in _units(raw, start, end):
            builder.add(raw[at : unit.start], at, unit.start)
            builder.add(_canonical_unit(raw[unit.start : unit.end]), unit.start, unit.end)
            at = unit.end
        builder.add(raw[at:end], at, end)
    return builder.build()


class _Builder:
    def __init__(self) -> None:
        self._parts: list[str] = []
        self._runs: list[tuple[int, int, int]] = []
        self._length = 0
        self._extendable = False

    def add(self, text: str, raw_start: int, raw_end: int) -> None:
        if not text:
            return
        raw_length = raw_end - raw_start
        one_to_one = len(text) == raw_length
        if self._extendable and one_to_one and sum(self._runs[-1][1:]) == raw_start:
            start, raw, length = self._runs[-1]
            self._runs[-1] = (start, raw, length + raw_length)
        else:
            self._runs.append((self._length, raw_start, raw_length))
        self._extendable = one_to_one
        self._parts.append(text)
        self._length += len(text)

    def build(self) -> tuple[str, OffsetMap]:
        return "".join(self._parts), OffsetMap(tuple(self._runs), self._length)


def _kept(length: int, removed: Iterable[Span]) -> Iterator[Span]:
    at = 0
    for start, end in removed:
        yield Span(at, start)
        at = end
    yield Span(at, length)


def _units(raw: str, start: int, end: int) -> Iterator[Span]:
    """What canonical text spells differently: line ends and combining sequences.

    Both are rare, so they are looked for by one set of characters, which is fast, and only what
    is found is looked at.
    """
    at = start
    for run in _triggers().finditer(raw, start, end):
        for part in _RUN_PART.finditer(raw, run.start(), run.end()):
            first, last = part.span()
            if part[0] == "\r":
                last += raw.startswith("\n", last, end)
            elif first > at and raw[first - 1] not in "\r\n":
                first, last = first - 1, min(last, first + _MAX_MARKS)
            else:
                continue
            yield Span(first, last)
            at = last


@functools.cache
def _triggers() -> re.Pattern[str]:
    marks = re.escape("".join(_combining_marks()))
    return re.compile(f"[\r{marks}{_JAMO}]+")


def _combining_marks() -> Iterator[str]:
    # The Basic Multilingual Plane alone: a set of characters is a table lookup there, and the
    # marks beyond it belong to scripts whose letters are not written decomposed.
    for code in range(0x300, 0x10000):
        char = chr(code)
        if unicodedata.category(char) in ("Mn", "Mc"):
            yield char


def _canonical_unit(unit: str) -> str:
    if unit[0] == "\r":
        return "\n"
    base, marks = unit[0], unit[1:]
    if unicodedata.is_normalized("NFC", base):
        return unicodedata.normalize("NFC", unit)
    return base + unicodedata.normalize("NFC", marks)
