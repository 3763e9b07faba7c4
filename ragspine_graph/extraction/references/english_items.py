"""The paragraphs and points of an English article, however its text is broken into lines.

Statutes are often given with `1. … 2. … (a) …; (b) …` on one line. A number opens a part where it
stands at the start of a line or after the end of what stands before it, and goes on with a sequence
that is open, or is the first of a new one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ragspine_graph.extraction.references.paths import (
    PARAGRAPH,
    POINT,
    SECTION,
    Path,
    Step,
    english_number,
)
from ragspine_store.numerals import parse_roman

_LINE_START = r"(?P<line>^[ \t>]*(?:[-*+•][ \t]+)?)"
_AFTER_END = r"(?<=[.;:!?)\]”’\"—–])[ \t\u00a0\n]+(?:(?:and|or|and/or)[ \t\n]+)?"
_SECTION_END = r"(?=[ \u00a0]?[–—:]|[ \u00a0]-[ \u00a0]|\.[ \u00a0][A-Z])"
_MARKER = re.compile(
    rf"(?:{_LINE_START}|{_AFTER_END})"
    r"(?:(?P<dotted>\d{1,3}(?:\.\d{1,3}){1,4})\.?(?=[ \t\u00a0]+\S)"
    r"|(?P<plain>\d{1,3})\.(?=[ \t\u00a0\n]+[\"“‘'(\[]?[A-Z\u00c0-\u00de])"
    r"|\((?P<bracketed>\d{1,3}[a-z]?|[a-z]{1,5}|[A-Z])\)(?=\s)"
    r"|(?P<half>[a-z]{1,4}|\d{1,3})\)(?=\s)"
    rf"|Section[ \u00a0](?P<section>[A-Z]|\d{{1,2}}){_SECTION_END})",
    re.MULTILINE,
)


class Marked(NamedTuple):
    """A numbered part: its path below the article, where it starts and ends."""

    steps: Path
    start: int
    end: int


@dataclass(slots=True)
class _Level:
    """An open sequence: its style, its last number and the part that has it."""

    style: str
    value: int
    steps: Path
    start: int


class _Reading(NamedTuple):
    style: str
    value: int
    number: str


def find_english_items(
    text: str, start: int, end: int, *, has_sections: bool = False
) -> list[Marked]:
    """The numbered parts between two places of a text, in document order.

    Args:
        text: the text.
        start: where they start.
        end: where they end.
        has_sections: whether `Section B –` may open a part, as it does in an annex.
    """
    open_levels: list[_Level] = []
    found: list[Marked] = []
    for match in _MARKER.finditer(text, start, end):
        if match["section"] and not has_sections:
            continue
        reading, depth = _place(match, open_levels)
        if reading is None:
            continue
        at = match.end("line") if match["line"] is not None else _start(match)
        found += _close(open_levels, depth, at)
        above = open_levels[-1].steps if open_levels else ()
        steps = _below(above, reading)
        open_levels.append(_Level(reading.style, reading.value, steps, at))
    found += _close(open_levels, 0, end)
    return sorted(found, key=lambda part: part.start)


def _start(match: re.Match[str]) -> int:
    group = next(
        name for name in ("dotted", "plain", "bracketed", "half", "section") if match[name]
    )
    return match.start(group) - (1 if group == "bracketed" else 8 if group == "section" else 0)


def _close(levels: list[_Level], depth: int, at: int) -> Iterator[Marked]:
    while len(levels) > depth:
        level = levels.pop()
        yield Marked(level.steps, level.start, at)


def _below(above: Path, reading: _Reading) -> Path:
    if reading.style == "section":
        return (Step(SECTION, reading.number),)
    if reading.style == "dotted":
        section = above[:1] if above and above[0].unit == SECTION else ()
        return (*section, Step(PARAGRAPH, reading.number))
    holds_number = any(step.unit in (PARAGRAPH, POINT) for step in above)
    unit = POINT if holds_number or not reading.number[0].isdecimal() else PARAGRAPH
    return (*above, Step(unit, reading.number))


def _place(match: re.Match[str], levels: list[_Level]) -> tuple[_Reading | None, int]:
    """How to read a marker, and how many levels stay open above it."""
    readings = list(_readings(match))
    is_at_line = match["line"] is not None
    is_announced = not is_at_line and match.string[match.start() - 1] in ":—–"
    if is_announced:
        opened = _opened(readings, levels)
        if opened is not None:
            return opened
    for depth in range(len(levels) - 1, -1, -1):
        level = levels[depth]
        for reading in readings:
            gap = reading.value - level.value
            if reading.style == level.style and (gap == 1 or (is_at_line and 1 < gap < 10)):
                return reading, depth
    for reading in readings:
        if reading.style == "section":
            return reading, 0
        if reading.style == "dotted":
            return _dotted(reading, levels, is_at_line=is_at_line)
    return _opened(readings, levels) or (None, 0)


def _opened(readings: list[_Reading], levels: list[_Level]) -> tuple[_Reading, int] | None:
    """A first number opens a level, or its own one anew; of i, the Roman one goes first."""
    for reading in reversed(readings):
        if reading.value == 1 and reading.style not in ("section", "dotted"):
            same = [i for i, level in enumerate(levels) if level.style == reading.style]
            return reading, same[-1] if same else len(levels)
    return None


def _dotted(
    reading: _Reading, levels: list[_Level], *, is_at_line: bool
) -> tuple[_Reading | None, int]:
    """3.2 stands below 3. or after 3.1; elsewhere it may be a quantity."""
    above = reading.number.rpartition(".")[0]
    for depth in range(len(levels) - 1, -1, -1):
        number = levels[depth].steps[-1].number
        if levels[depth].style == "plain" and number == above:
            return reading, depth + 1
        if levels[depth].style == "dotted":
            if number.rpartition(".")[0] == above:
                return reading, depth
            if number == above:
                return reading, depth + 1
    outermost = next((i for i, level in enumerate(levels) if level.style != "section"), len(levels))
    return (reading, outermost) if is_at_line else (None, 0)


def _readings(match: re.Match[str]) -> Iterator[_Reading]:
    if number := match["section"]:
        digits = english_number(number)
        value = int(digits) if digits.isdecimal() else ord(digits) - 96
        yield _Reading("section", value, digits)
    elif number := match["dotted"]:
        yield _Reading("dotted", 1, number)
    elif number := match["plain"]:
        yield _Reading("plain", int(number), number)
    else:
        number = match["bracketed"] or match["half"]
        style = "()" if match["bracketed"] else ")"
        if number[0].isdecimal():
            yield _Reading(f"{style}1", int(number.rstrip("abcdefghijklmnopqrstuvwxyz")), number)
            return
        lower = number.lower()
        roman = parse_roman(number)
        case = "a" if number.islower() else "A"
        if len(number) == 1:
            yield _Reading(f"{style}{case}", ord(lower) - 96, lower)
        if roman is not None:
            yield _Reading(f"{style}{case}i", roman, lower)
