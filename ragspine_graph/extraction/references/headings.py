"""What a heading numbers: 第25条の2, 附則, 別表第一, Article 6, Annex III, 4.2 Fees."""

from __future__ import annotations

import re
from typing import NamedTuple

from ragspine_graph.extraction.references.paths import (
    ANNEX,
    APPENDIX,
    ARTICLE,
    CHAPTER,
    CLAUSE,
    EXHIBIT,
    JAPANESE_UNITS,
    PART,
    SCHEDULE,
    SECTION,
    SUPPLEMENT,
    TABLE,
    TITLE,
    Step,
    english_number,
)
from ragspine_store.numerals import arabic_digits
from ragspine_store.tokenizer import scan_numbered

_MARKS = re.compile(r"(?:[\s#*_【\[]*(?:（[^（）]{1,10}）|\([^()]{1,10}\))?[\s#*_【\[]*)")
_RANGE = re.compile(r"[ \t\u3000]*(?:から|[・〜～~―—–‐－-]|及び)[ \t\u3000]*")
_SUPPLEMENT = re.compile(r"附[ \t\u3000]*則")
_AMENDMENT = re.compile(r"[（(][^）)]{0,40}(?:法律|政令|勅令|省令|府令|規則)第")
_TABLE = re.compile(
    r"別[ \t\u3000]?表(?:[ \t\u3000]?第?[ \t\u3000]?"
    r"(?P<number>(?:[0-9０-９]+|[〇一二三四五六七八九十百]+)(?:の(?:[0-9０-９]+|[一二三四五六七八九十]+))*))?"
)
_ENGLISH = re.compile(
    r"(?P<unit>part|title|chapter|section|article|clause|annex|appendix|schedule|exhibit)"
    r"(?:[ \t\u00a0]+(?P<number>\d{1,4}(?:\.\d{1,3}){0,5}[a-z]?|[ivxlc]{1,7}|[a-z]))?(?![\w(])",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})\.?(?:[ \t\u00a0]+\S|\Z)")
_UNITS = {
    "part": PART,
    "title": TITLE,
    "chapter": CHAPTER,
    "section": SECTION,
    "article": ARTICLE,
    "clause": CLAUSE,
    "annex": ANNEX,
    "appendix": APPENDIX,
    "schedule": SCHEDULE,
    "exhibit": EXHIBIT,
}
_WITHOUT_NUMBER = frozenset({ANNEX, APPENDIX})
MAX_LISTED = 200
"""Of a range or a list of items, as many parts are meant one by one; of more, only its ends."""


class Numbering(NamedTuple):
    """What a heading numbers.

    Attributes:
        steps: one; several where a heading stands for many (第38条から第41条まで　削除).
        end: where the number ends in the heading.
        is_japanese: which of the two grammars read it.
        is_bare: it has a number and no unit, as in `4.2 Fees`.
        is_amendment: it is the 附則 of an act that changed the document.
    """

    steps: tuple[Step, ...]
    end: int
    is_japanese: bool
    is_bare: bool = False
    is_amendment: bool = False


def parse_numbering(heading: str) -> Numbering | None:
    """The number that opens a heading, None without one.

    >>> parse_numbering("第二十五条の二　深夜業").steps
    (Step(unit='article', number='25-2'),)
    >>> parse_numbering("Annex III: High-Risk AI Systems").steps
    (Step(unit='annex', number='3'),)
    """
    marks = _MARKS.match(heading)
    start = marks.end() if marks else 0
    return _parse_japanese(heading, start) or _parse_english(heading, start)


def _parse_japanese(heading: str, start: int) -> Numbering | None:
    if match := _SUPPLEMENT.match(heading, start):
        is_amendment = _AMENDMENT.search(heading, match.end(), match.end() + 60) is not None
        return Numbering((Step(SUPPLEMENT, ""),), match.end(), True, is_amendment=is_amendment)
    if match := _TABLE.match(heading, start):
        number = "-".join(arabic_digits(part) for part in (match["number"] or "").split("の"))
        return Numbering((Step(TABLE, number),), match.end(), True)
    found = list(scan_numbered(heading[start : start + 60]))
    if not found or found[0].start > 0 or not found[0].is_full:
        return None
    first, end = found[0], start + found[0].end
    unit = JAPANESE_UNITS[first.unit]
    numbers = [first.number]
    if len(found) > 1 and found[1].unit == first.unit:
        gap = heading[end : start + found[1].start]
        if _RANGE.fullmatch(gap):
            numbers += inner_numbers(first.number, found[1].number) if "及" not in gap else []
            numbers.append(found[1].number)
            end = start + found[1].end
    return Numbering(tuple(Step(unit, number) for number in numbers), end, True)


def inner_numbers(first: str, last: str) -> list[str]:
    """The whole numbers between two, none where that is unclear or more than any text lists.

    >>> inner_numbers("8", "11"), inner_numbers("25-2", "26"), inner_numbers("b", "d")
    (['9', '10'], [], ['c'])
    """
    if len(first) == len(last) == 1 and first.isalpha() and last.isalpha():
        return [chr(code) for code in range(ord(first) + 1, ord(last))]
    low, high = first.partition("-")[0], last.partition("-")[0]
    if not (low.isdecimal() and high.isdecimal() and len(low) < 5 and len(high) < 5):
        return []
    numbers = range(int(low) + 1, int(high) + (1 if "-" in last else 0))
    return [str(number) for number in numbers] if len(numbers) <= MAX_LISTED else []


def _parse_english(heading: str, start: int) -> Numbering | None:
    if match := _ENGLISH.match(heading, start):
        unit, number = _UNITS[match["unit"].lower()], match["number"]
        if number is None and (unit not in _WITHOUT_NUMBER or match.end() < len(heading.rstrip())):
            return None
        step = Step(unit, english_number(number or ""))
        return Numbering((step,), match.end(), False)
    if match := _NUMBERED.match(heading, start):
        return Numbering((Step(CLAUSE, match["number"]),), match.end("number"), False, is_bare=True)
    return None
