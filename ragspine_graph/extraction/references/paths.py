"""Addresses: the path of numbered parts from the top of a document to one of its parts.

Written `article 38/paragraph 2/item 1`. Units are English whatever the document's language, numbers
Arabic, branches after a hyphen (第25条の2 is `article 25-2`), letters small.
"""

from __future__ import annotations

from typing import NamedTuple

from ragspine_store.numerals import parse_roman

PART = "part"
TITLE = "title"
CHAPTER = "chapter"
SECTION = "section"
SUBSECTION = "subsection"
DIVISION = "division"
SUPPLEMENT = "supplement"
TABLE = "table"
ANNEX = "annex"
SCHEDULE = "schedule"
APPENDIX = "appendix"
EXHIBIT = "exhibit"
ARTICLE = "article"
CLAUSE = "clause"
PARAGRAPH = "paragraph"
ITEM = "item"
POINT = "point"

GROUPS = (PART, TITLE, CHAPTER, SECTION, SUBSECTION, DIVISION)
ROOTS = (SUPPLEMENT, TABLE, ANNEX, SCHEDULE, APPENDIX, EXHIBIT)
_ORDER = (*ROOTS, *GROUPS, ARTICLE, CLAUSE, PARAGRAPH, ITEM, POINT)
_RANKS = {unit: 0 if unit in ROOTS else rank for rank, unit in enumerate(_ORDER)}
_RANKS[CLAUSE] = _RANKS[ARTICLE]

JAPANESE_UNITS = {
    "編": PART,
    "章": CHAPTER,
    "節": SECTION,
    "款": SUBSECTION,
    "目": DIVISION,
    "条": ARTICLE,
    "項": PARAGRAPH,
    "号": ITEM,
}


class Step(NamedTuple):
    """One numbered part below another; the number is '' where it is named without one."""

    unit: str
    number: str


Path = tuple[Step, ...]


def rank_of_unit(unit: str) -> int:
    """How deep a unit stands; of two, the one with the smaller rank holds the other."""
    return _RANKS[unit]


def format_path(path: Path) -> str:
    """An address as it is stored and compared.

    >>> format_path((Step(ARTICLE, "38"), Step(PARAGRAPH, "2")))
    'article 38/paragraph 2'
    """
    return "/".join(f"{unit} {number}".rstrip() for unit, number in path)


def english_number(written: str) -> str:
    """The number of an English part: Roman numerals in digits, letters small.

    A single C, D, L or M is a letter: no document has a hundred annexes.

    >>> english_number("III"), english_number("4.2"), english_number("12A"), english_number("C")
    ('3', '4.2', '12a', 'c')
    """
    value = None if written in {*"CDLMcdlm"} else parse_roman(written)
    return written.lower() if value is None else str(value)
