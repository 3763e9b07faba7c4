"""Finds where a text defines a term: （以下「会社」という。）, (the "Company"), ‘AI system’ means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ragspine_store.records import Span

_JAPANESE = re.compile(
    r"以下[^「『（）()。\n]{0,20}[「『](?P<name>[^「」『』（）()\n]{1,40})[」』]"
    r"と(?:いう|いい|言う|略|呼|総称|する)"
)
_JAPANESE_LIST = re.compile(
    r"[「『](?P<name>[^「」『』（）()\n]{1,40})[」』]とは[、，]?(?=[^\n]{1,400})"
)
_QUOTED = "[\"“‘'](?P<name>[^\"“”‘’'\\n]{1,60})[\"”’']"
_ENGLISH = re.compile(
    rf"\((?:[^()\n\"“‘']{{0,60}}\s)?(?:the|an?|each|collectively|together|hereinafter|hereafter|as)"
    rf"[^()\n\"“‘']{{0,40}}\s?{_QUOTED}\s*\)".replace("(?P<name>", "(?P<bracketed>")
    + rf"|\b(?:hereinafter|hereafter)(?:,? (?:referred to as|called|the))*,? (?:the )?{_QUOTED}".replace(
        "(?P<name>", "(?P<hereinafter>"
    )
    + rf"|{_QUOTED}\s+(?:shall mean|means|has the meaning|have the meaning|refers to)\b"
)


class DefinedTerm(NamedTuple):
    """A term that a text defines.

    Attributes:
        name: as written.
        span: of the words that define it.
        opening: where the bracket with the definition opens, so that what it stands for ends
            there; None for a definition that stands by itself.
    """

    name: str
    span: Span
    opening: int | None


def find_defined_terms(text: str) -> Iterator[DefinedTerm]:
    """The terms that a text defines, Japanese ones first, each kind in order.

    >>> [term.name for term in find_defined_terms("株式会社甲（以下「会社」という。）は")]
    ['会社']
    >>> [term.name for term in find_defined_terms('Acme Ltd (the "Company") and ‘model’ means x')]
    ['Company', 'model']
    """
    for match in _JAPANESE.finditer(text):
        name = match["name"].strip()
        opening = _opening(text, match.start())
        if name:
            yield DefinedTerm(name, Span(*match.span()), opening)
    for match in _JAPANESE_LIST.finditer(text):
        if name := match["name"].strip():
            yield DefinedTerm(name, Span(*match.span()), None)
    for match in _ENGLISH.finditer(text):
        name = (match["bracketed"] or match["hereinafter"] or match["name"]).strip()
        opening = match.start() if match["bracketed"] else None
        if name:
            yield DefinedTerm(name, Span(*match.span()), opening)


def _opening(text: str, at: int) -> int | None:
    """Where the bracket that is open at a place was opened, None without one nearby."""
    start = max(at - 120, 0)
    depth = 0
    for index in range(at - 1, start - 1, -1):
        char = text[index]
        if char in "）)":
            depth += 1
        elif char in "（(":
            if depth == 0:
                return index
            depth -= 1
        elif char == "\n":
            return None
    return None
