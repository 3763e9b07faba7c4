"""The words of references in English: nouns, numbers, and what joins them."""

from __future__ import annotations

import re

from ragspine_graph.extraction.references.paths import (
    ANNEX,
    APPENDIX,
    ARTICLE,
    CHAPTER,
    CLAUSE,
    EXHIBIT,
    PARAGRAPH,
    PART,
    POINT,
    SCHEDULE,
    SECTION,
    TITLE,
)

_UNITS = {
    "part": PART,
    "title": TITLE,
    "chapter": CHAPTER,
    "section": SECTION,
    "sec": SECTION,
    "sect": SECTION,
    "§": SECTION,
    "§§": SECTION,
    "article": ARTICLE,
    "art": ARTICLE,
    "clause": CLAUSE,
    "cl": CLAUSE,
    "annex": ANNEX,
    "annexe": ANNEX,
    "appendix": APPENDIX,
    "appendice": APPENDIX,
    "schedule": SCHEDULE,
    "exhibit": EXHIBIT,
    "paragraph": PARAGRAPH,
    "para": PARAGRAPH,
    "subsection": PARAGRAPH,
    "subparagraph": POINT,
    "point": POINT,
}
_IN_ARTICLE = (ARTICLE, CLAUSE, SECTION, ANNEX, APPENDIX, SCHEDULE, EXHIBIT, PART)
# What the second of two nouns may be for the first to stand inside of it.
HOLDERS = {
    PART: (TITLE, ANNEX),
    CHAPTER: (TITLE, PART, ANNEX),
    SECTION: (CHAPTER, TITLE, PART, ANNEX, ARTICLE, APPENDIX, SCHEDULE, EXHIBIT),
    ARTICLE: (ANNEX, APPENDIX, SCHEDULE, EXHIBIT),
    CLAUSE: (ANNEX, APPENDIX, SCHEDULE, EXHIBIT),
    PARAGRAPH: _IN_ARTICLE,
    POINT: (PARAGRAPH, *_IN_ARTICLE),
}

# White space with at most one line break: a blank line ends what belongs together.
GAP = r"[ \t\u00a0]{0,3}(?:\n[ \t\u00a0]{0,8})?"
_SMALL = "section|article|clause|annex|paragraph|subparagraph|subsection|point"
_SHORT = r"(?:[Ss]ect?|[Aa]rts?|[Cc]l|[Pp]aras?)\.?"
_CAPITAL = (
    "Part|Title|Chapter|Section|Article|Clause|Annexe?|Appendix|Appendice|Schedule|Exhibit"
    "|Paragraph|Point|Subsection"
)
_WORDS = f"{_SMALL}|{_SHORT}|{_CAPITAL}|{_CAPITAL.upper()}"
NOUN = rf"(?:(?<![\w-])(?:{_WORDS})(?:e?s|E?S)?(?=[ \t\u00a0\n])|§§?)"
HEAD = re.compile(rf"(?P<noun>{NOUN}){GAP}(?=[\d(A-Z])")
NUMBER = re.compile(
    r"\d{1,4}(?:\.\d{1,3}){0,5}[a-z]?(?![\w/])|\d{1,4}(?=of\b)|[IVXLC]{1,7}(?!\w)|[A-Z](?!\w)"
)
BRACKETED = re.compile(r"[ \u00a0]?\((?P<number>[0-9]{1,3}[a-z]?|[a-z]{1,5}|[A-Z]{1,3})\)")
CONNECTOR = re.compile(
    rf"(?P<range>{GAP}(?:to|through|–|—|-){GAP})"
    rf"|{GAP},?{GAP}(?:and/or|and|or){GAP}|{GAP},{GAP}"
)
# Article 5 or 50 is a list, Article 6 and 12 months is none.
AFTER_NUMBER = re.compile(
    r"\s{0,3}(?:[.,;:)]|\Z|(?:of|to|and|or|shall|may|is|are|apply|applies|in|if|when|where)\b)"
)

_SUBPARAGRAPH = (
    rf"(?:{GAP},?{GAP}(?:the )?(?:first|second|third|fourth|fifth|last|introductory)"
    rf"{GAP}(?:sub-?paragraph|paragraph|sentence|part|indent|wording)s?)?"
)
SUBPARAGRAPH = re.compile(_SUBPARAGRAPH)
BEFORE_INNER = re.compile(
    rf"{_SUBPARAGRAPH}(?:{GAP},{GAP}|[ \u00a0]?\(|[ \u00a0]{{1,2}})(?={NOUN})"
)
_OF = rf"{_SUBPARAGRAPH}{GAP},?{GAP}(?:of|to|in|under){GAP}"
BEFORE_OUTER = re.compile(
    rf"{_OF}(?:the (?:first|second|third|fourth|last) sub-?paragraph of{GAP})?(?={NOUN})"
)
_HOLDER = "(?P<unit>part|title|chapter|section|article|clause|annex|schedule|exhibit|paragraph)"
OF_THIS = re.compile(rf"{_OF}(?:this|the present){GAP}{_HOLDER}\b", re.IGNORECASE)
OF_THAT = re.compile(rf"{_OF}(?:that|the same){GAP}{_HOLDER}\b", re.IGNORECASE)
BESIDE = re.compile(
    rf"\bthe{GAP}(?P<side>preceding|previous|foregoing|following|next)"
    rf"{GAP}(?P<unit>chapter|section|article|clause|paragraph|annex)\b"
    r"(?! (?:is|are|shall be) (?:added|inserted|replaced|deleted))",
    re.IGNORECASE,
)
THIS = re.compile(r"\b[Tt]his (?P<unit>[Cc]hapter|[Ss]ection|[Pp]art|[Tt]itle|[Aa]nnex)\b")
# An apostrophe inside of a word closes nothing.
QUOTED = re.compile(r"‘(?:[^‘’“”]|(?<=\w)’(?=\w))+’|“[^‘“”]+”")


def unit_of(noun: str) -> str:
    """The unit that a noun names, in any number and case.

    >>> unit_of("Annexes"), unit_of("Art."), unit_of("§§")
    ('annex', 'article', 'section')
    """
    word = noun.lower().rstrip(".")
    for ending in ("", "s", "es"):
        unit = _UNITS.get(word.removesuffix(ending))
        if unit is not None:
            return unit
    raise ValueError("no noun of the grammar")


def is_plural(noun: str) -> bool:
    """Whether a noun announces several numbers.

    >>> is_plural("Articles"), is_plural("Article"), is_plural("§§")
    (True, False, True)
    """
    return noun == "§§" or noun.rstrip(".").lower() not in _UNITS
