"""Reads an address that a person asks for, rather than one that stands in a document."""

from __future__ import annotations

from ragspine_graph.extraction.references.english import find_english
from ragspine_graph.extraction.references.english_titles import EnglishTitles
from ragspine_graph.extraction.references.japanese import find_japanese
from ragspine_graph.extraction.references.japanese_titles import TitleReader
from ragspine_graph.extraction.references.mentions import Anchor
from ragspine_graph.extraction.references.paths import format_path


def find_address(name: str) -> str:
    """The address that a name is as a whole, as documents are asked for it; '' for another name.

    >>> find_address("第３８条第２項"), find_address("Article 6(1)")
    ('article 38/paragraph 2', 'article 6/paragraph 1')
    >>> find_address("前条"), find_address("労働基準法第39条"), find_address("Pay")
    ('', '', '')
    """
    nothing = frozenset[str]()
    for mentions in (
        find_japanese(name, TitleReader(name, nothing)),
        find_english(name, EnglishTitles(name, nothing)),
    ):
        for mention in mentions:
            is_whole = mention.span == (0, len(name)) and mention.anchor is Anchor.TOP
            if is_whole and not mention.title:
                return format_path(mention.steps)
    return ""
