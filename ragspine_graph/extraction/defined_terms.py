"""Finds where a text defines a term: （以下「会社」という。）, (the "Company"), ‘model’ means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ragspine_store.records import Span

_NAME = r"[^「」『』（）()\n]{1,40}"
_JAPANESE = re.compile(
    rf"以下(?P<scope>[^「『（）()。\n]{{0,20}})[「『](?P<name>{_NAME})[」』]と(?:い[うい]|言う|呼ぶ|(?:略|総)?称する|略す|する)"
)
_JAPANESE_MEANS = re.compile(rf"[「『](?P<name>{_NAME})[」』]とは")
_QUOTED = "[\"“‘'](?P<name>[^\"“”‘’'()\\n]{1,60})[\"”’']"
_BRACKETED = re.compile(
    r"\((?:[^()\n\"“‘']{0,60}\s)?(?:the|an?|each|collectively|together|hereinafter|hereafter|as)\b"
    rf"[^()\n\"“‘']{{0,40}}{_QUOTED}[^()\n]{{0,40}}\)"
)
_HEREINAFTER = re.compile(
    rf"\b(?:hereinafter|hereafter)(?: referred to as| called)?,?(?: the)? {_QUOTED}"
)
_MEANS = re.compile(rf"{_QUOTED}\s(?:shall mean|means|has the meaning|shall have the meaning)\b")
_LOCAL = re.compile("この[条項号章節款]|本[条項号章節]")
_MAX_BRACKET = 120


class DefinedTerm(NamedTuple):
    """A term that a text defines.

    Attributes:
        name: as written.
        span: of the words that define it, half-open.
        opening: where the bracket that holds the definition opens, so that what the term stands
            for ends there; None for a definition that stands in no bracket.
        is_local: it holds for the article or paragraph alone (以下この条において).
    """

    name: str
    span: Span
    opening: int | None = None
    is_local: bool = False


def find_defined_terms(text: str) -> Iterator[DefinedTerm]:
    """The terms that a text defines, in order.

    >>> [term.name for term in find_defined_terms("株式会社甲（以下「会社」という。）は")]
    ['会社']
    >>> [term.name for term in find_defined_terms('Acme Ltd (the "Company") and ‘model’ means x')]
    ['Company', 'model']
    """
    found = {term.span.start: term for term in _japanese(text)}
    for pattern in (_JAPANESE_MEANS, _BRACKETED, _HEREINAFTER, _MEANS):
        for match in pattern.finditer(text):
            opening = match.start() if pattern is _BRACKETED else None
            term = DefinedTerm(match["name"].strip(), Span(*match.span()), opening)
            found.setdefault(term.span.start, term)
    end = 0
    for start in sorted(found):
        if start >= end and found[start].name:
            yield found[start]
            end = found[start].span.end


def _japanese(text: str) -> Iterator[DefinedTerm]:
    for match in _JAPANESE.finditer(text):
        yield DefinedTerm(
            name=match["name"].strip(),
            span=Span(*match.span()),
            opening=_find_opening(text, match.start()),
            is_local=_LOCAL.search(match["scope"]) is not None,
        )


def _find_opening(text: str, at: int) -> int | None:
    """Where the bracket around a place opens; None without one on its line, or far away."""
    depth = 0
    for index in range(at - 1, max(at - _MAX_BRACKET, 0) - 1, -1):
        match text[index]:
            case "）" | ")":
                depth += 1
            case "（" | "(" if depth == 0:
                return index
            case "（" | "(":
                depth -= 1
            case "\n":
                return None
            case _:
                pass
    return None
