"""The line grammar of English contracts and statutes: headings of numbered clauses.

People write `Article 5`, `Section 3.2: Fees`, `ANNEX III` with its title on the next line, and
`1. Definitions` or `1.1 Scope` with text below. A sentence that begins with such words, an entry
of a list and a wrapped line of prose are no headings, so a bare number heads only what its
surroundings show to be below it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ragspine_store.loading.japanese import Rank

_SPACE = r"[ \t\u3000\u00a0]"
_EMPHASIS = r"[*_]{0,3}"
_UNITS = {
    "part": Rank.PART,
    "chapter": Rank.CHAPTER,
    "section": Rank.SECTION,
    "article": Rank.ARTICLE,
    "clause": Rank.ARTICLE,
    "annex": Rank.OUTERMOST,
    "appendix": Rank.OUTERMOST,
    "schedule": Rank.OUTERMOST,
    "exhibit": Rank.OUTERMOST,
}
_NUMBER = r"(?:\d{1,4}(?:\.\d{1,3}){0,3}[A-Z]?|[IVXLC]{1,7}|[A-Z])(?![\w(])"
_NAMED = re.compile(
    rf"(?P<indent>{_SPACE}*{_EMPHASIS})"
    rf"(?P<unit>Part|Chapter|Section|Article|Clause|Annex|Appendix|Schedule|Exhibit"
    rf"|PART|CHAPTER|SECTION|ARTICLE|CLAUSE|ANNEX|APPENDIX|SCHEDULE|EXHIBIT)"
    rf"(?:{_SPACE}+(?P<number>{_NUMBER}))?"
    rf"(?P<gap>{_EMPHASIS}(?:{_SPACE}*[.:–—]|{_SPACE}+-(?={_SPACE})|{_SPACE}{{2,}}|\t)?"
    rf"{_EMPHASIS}{_SPACE}*)"
)
_NUMBERED = re.compile(
    rf"(?P<indent>{_SPACE}*{_EMPHASIS})"
    rf"(?P<number>\d{{1,3}}(?:\.\d{{1,3}}){{0,5}})(?P<dot>\.?){_EMPHASIS}{_SPACE}+"
    r"(?=\S)"
)
_AFTER = " \t\u3000\u00a0\r\n*_"
_UNNUMBERED = frozenset({"annex", "appendix"})

_MAX_TITLE = 90
_MAX_TITLE_WORDS = 12
_TITLE_START = re.compile(r"[\"“'‘(\[]?(?:[^\W\d_]|\d)")
_SENTENCE = re.compile(
    r"[;:,]$|(?<!\b[A-Z])(?<!\betc)\.$|[.!?]\s+\S|[。、]"
    r"|\b(?:shall|must|will|may|is|are|was|were|has|have|does|can|should|would|means|applies|apply"
    r"|sets? out|provides?|agrees?|governs?|requires?|contains?|lists?|describes?|specif(?:y|ies)"
    r"|lays? down|refers?|states?)\b"
    r"|\b(?:the|a|an|of|and|or|to|by|in|on|at|for|from|with|under|its|their|that|which)$"
)
_EAST_ASIAN = re.compile("[\u3041-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Clause:
    """A line that opens with the number of a clause.

    Attributes:
        rank: its rank as a heading.
        start, end: where number and title stand in the line, without marks of emphasis.
        body: where a sentence after the number starts; the end of the line without one.
        numbers: `3.2` as (3, 2); empty for a letter or a Roman numeral.
        name: the numbered part, to find it again.
        is_named: whether a word such as Article opens it.
        is_bare: whether nothing follows the number.
        has_title: whether what follows the number reads as a title.
        is_dotted: whether a full stop follows a bare number.
    """

    rank: Rank
    start: int
    end: int
    body: int
    numbers: tuple[int, ...]
    name: str = field(repr=False)
    is_named: bool
    is_bare: bool
    has_title: bool
    is_dotted: bool


def parse_clause(line: str) -> Clause | None:
    """Read a line that opens with the number of a clause.

    Returns:
        None when it does not, or when it is a sentence that refers to a clause.

    >>> parse_clause("Section 3.2: Fees").numbers, parse_clause("Article 5 shall apply.")
    ((3, 2), None)
    """
    shown = line.rstrip(_AFTER)
    return _parse_named(line, shown) or _parse_numbered(line, shown)


def _parse_named(line: str, shown: str) -> Clause | None:
    match = _NAMED.match(shown)
    if match is None:
        return None
    unit, number, rest = match["unit"].lower(), match["number"] or "", shown[match.end() :]
    if not number and (unit not in _UNNUMBERED or (rest and not match["gap"].strip(" \t*_"))):
        return None
    is_set_apart = bool(match["gap"].strip("*_").strip(" ")) or "  " in match["gap"]
    has_title = reads_as_title(rest)
    if rest and not has_title and not is_set_apart:
        return None
    head_end = match.end("number") if number else match.end("unit")
    numbers = _numbers(number)
    return Clause(
        rank=_rank_of_number(len(numbers)) if len(numbers) > 1 else _UNITS[unit],
        start=match.end("indent"),
        end=len(shown) if has_title else head_end,
        body=match.end() if rest and not has_title else len(line),
        numbers=numbers,
        name=f"{unit} {number}",
        is_named=True,
        is_bare=not rest,
        has_title=has_title,
        is_dotted=False,
    )


def _parse_numbered(line: str, shown: str) -> Clause | None:
    match = _NUMBERED.match(shown)
    if match is None or _EAST_ASIAN.search(shown, match.end()):
        return None
    numbers = _numbers(match["number"])
    return Clause(
        rank=_rank_of_number(len(numbers)),
        start=match.end("indent"),
        end=len(shown),
        body=len(line),
        numbers=numbers,
        name=match["number"],
        is_named=False,
        is_bare=False,
        has_title=reads_as_title(shown[match.end() :]),
        is_dotted=bool(match["dot"]),
    )


def _numbers(number: str) -> tuple[int, ...]:
    digits = number.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return tuple(int(part) for part in digits.split(".")) if digits else ()


def _rank_of_number(depth: int) -> Rank:
    return Rank(min(Rank.ARTICLE + depth, Rank.DEEPEST_NUMBER))


def reads_as_title(text: str) -> bool:
    """Whether text after a number reads as a title rather than as a sentence.

    >>> reads_as_title("Duties of providers"), reads_as_title("Providers shall keep records")
    (True, False)
    """
    return (
        0 < len(text) <= _MAX_TITLE
        and len(text.split()) <= _MAX_TITLE_WORDS
        and _TITLE_START.match(text) is not None
        and not text.lstrip("\"“'‘([")[:1].islower()
        and not _SENTENCE.search(text)
    )


def clause_rank(heading: str) -> Rank | None:
    """The rank of a heading that is marked as one already, such as a Markdown heading.

    >>> clause_rank("3.2 Fees"), clause_rank("3.2 million")
    (<Rank.SUBNUMBER: 8>, None)
    """
    clause = parse_clause(heading)
    if clause is None or not (clause.has_title or clause.is_bare):
        return None
    return clause.rank
