"""Addresses that questions and headings name: 民法第709条, 第38条第2項, Article 6(1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from ragspine_graph.extraction.references.english import find_english
from ragspine_graph.extraction.references.english_titles import EnglishTitles
from ragspine_graph.extraction.references.headings import parse_numbering
from ragspine_graph.extraction.references.japanese import find_japanese
from ragspine_graph.extraction.references.japanese_titles import TitleReader
from ragspine_graph.extraction.references.mentions import OWN_DOCUMENT, Anchor, Mention
from ragspine_graph.extraction.references.paths import (
    ARTICLE,
    CLAUSE,
    JAPANESE_UNITS,
    SECTION,
    Path,
    Step,
    rank_of_unit,
)
from ragspine_graph.extraction.references.titles import normal_title
from ragspine_store.query import Term, phrase_tokens
from ragspine_store.tokenizer import normalise, scan_numbered

MAX_ASKED = 8
"""As many addresses of a question are looked for."""

_WHOLE = (ARTICLE, CLAUSE, SECTION)
_MAX_HEADING = 200
_NO_NAMES = frozenset[str]()


@dataclass(frozen=True, slots=True)
class AskedAddress:
    """An address that a question names.

    Attributes:
        title: of the document, as it is compared; '' for none.
        path: from the article on: itself, then paragraph and item.
        is_japanese: how it is written in headings.
    """

    title: str = field(repr=False)
    path: Path
    is_japanese: bool

    @property
    def term(self) -> Term:
        """What the index is asked for: the article, as headings and texts write it."""
        step = self.path[0]
        if self.is_japanese:
            written = f"第{step.number.replace('-', '.')}条"
            return Term(phrase_tokens(normalise(written)))
        return Term(phrase_tokens(normalise(f"{step.unit} {step.number}")))


def find_asked(text: str) -> tuple[AskedAddress, ...]:
    """The addresses that a question names, in order, each once.

    >>> [(asked.title, asked.path[0].number) for asked in find_asked("民法第709条及び第710条")]
    [('民法', '709'), ('民法', '710')]
    >>> find_asked("When are wages paid?")
    ()
    """
    if not any(char.isdecimal() for char in text) and "第" not in text:
        return ()
    found = dict.fromkeys(_asked(find_japanese(text, TitleReader(text, _NO_NAMES)), True))
    if re.search(r"\b(?:article|clause|section)s?\b", text, re.IGNORECASE):
        mentions = find_english(text, EnglishTitles(text, _NO_NAMES))
        found |= dict.fromkeys(_asked(mentions, False))
    return tuple(found)[:MAX_ASKED]


def _asked(mentions: Iterable[Mention], is_japanese: bool) -> Iterator[AskedAddress]:
    title, path = "", ()
    for mention in mentions:
        if mention.anchor is not Anchor.TOP or not mention.steps:
            continue
        steps = tuple(step for step in mention.steps if rank_of_unit(step.unit) >= _FIRST_RANK)
        if mention.continues:
            if steps:
                rank = rank_of_unit(steps[0].unit)
                steps = (*(step for step in path if rank_of_unit(step.unit) < rank), *steps)
        else:
            title = "" if mention.title == OWN_DOCUMENT else normal_title(mention.title)
            # 法第4条 says no more than that a law is meant.
            title = title if len(title) > 1 else ""
        path = steps
        if steps and steps[0].unit in _WHOLE and steps[0].number:
            yield AskedAddress(title, steps, is_japanese)


_FIRST_RANK = min(map(rank_of_unit, (ARTICLE, CLAUSE)))


class HeadingAddress(NamedTuple):
    """What a heading numbers.

    Attributes:
        title: of a document, where the heading begins with it, as it is compared.
        path: from the article on.
    """

    title: str
    path: Path


@lru_cache(maxsize=1 << 12)
def heading_address(heading: str) -> HeadingAddress | None:
    """The article that a heading opens or belongs to; None for another heading.

    >>> heading_address("民法 第七百九条 第１項").path[1]
    Step(unit='paragraph', number='1')
    """
    heading = heading[:_MAX_HEADING]
    numbering = parse_numbering(heading)
    if numbering is not None and not numbering.is_japanese:
        steps = numbering.steps
        return HeadingAddress("", steps[:1]) if steps[0].unit in _WHOLE else None
    parts = [part for part in scan_numbered(heading) if part.is_full]
    articles = [at for at, part in enumerate(parts) if part.unit == "条"]
    if not articles:
        return None
    parts = parts[articles[0] :]
    if numbering is None and not heading[: parts[0].start].strip():
        return None
    path = tuple(Step(JAPANESE_UNITS[part.unit], part.number) for part in parts)
    title = normal_title(heading[: parts[0].start]) if numbering is None else ""
    return HeadingAddress(title, path)
