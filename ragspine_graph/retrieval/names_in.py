"""Which names a text may hold: stretches of it that begin and end as a name does.

Whether something bears such a name is for the store to say: no list of names is kept, so that the
order in which documents come does not matter, and a hidden document names nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ragspine_graph.names.normaliser import fold_text
from ragspine_store.records import Span

MAX_WORDS = 8
"""The longest name, in words; a run of one CJK script is a word."""

_LEAST = 2
_HIRAGANA, _KATAKANA, _HAN = "ぁ-ゖ", "ァ-ヺーｦ-ﾟ", "㐀-鿿々〆"
_WORD = re.compile(
    rf"[{_HIRAGANA}]+|(?P<cjk>[{_KATAKANA}]+|第|(?:(?!第)[{_HAN}])+)"
    rf"|(?P<word>(?:(?![{_HIRAGANA}{_KATAKANA}{_HAN}])[^\W_])[^\W_{_HIRAGANA}{_KATAKANA}{_HAN}\u0300-\u036f]*"
    rf"(?:[\u0300-\u036f]+[^\W_{_HIRAGANA}{_KATAKANA}{_HAN}]*)*)"
)


class Name(NamedTuple):
    """A stretch of text that may be a name.

    Attributes:
        key: as the one normaliser leaves it.
        span: in the text, half-open.
    """

    key: str
    span: Span


class _Word(NamedTuple):
    """A word of the text.

    Attributes:
        folded: as names are compared.
        before: what counts of the marks between it and the word before.
        opens: a name may begin and end with it.
    """

    folded: str
    before: str
    opens: bool
    start: int
    end: int


def names_in(text: str, *, is_question: bool = False) -> list[Name]:
    """The stretches of a text that may be names, by place, the longer before the shorter.

    A name begins and ends with a capital letter, a digit or a character that is Han or katakana. A
    word that the text also writes in lower case is no name by itself.

    Args:
        text: where they stand.
        is_question: people ask in lower case: there a name of several words needs no capitals.

    >>> [name.key for name in names_in("She met Jo Dee in Rome.")]
    ['shemetjodeeinrome', 'shemetjodee', 'shemetjo', 'she', 'jodeeinrome', ...]
    """
    words = _words(text)
    lower = {word.folded for word in words if not word.opens}
    found: list[Name] = []
    for at, word in enumerate(words):
        if not (word.opens or is_question):
            continue
        here: list[Name] = []
        key = ""
        for number in range(at, min(len(words), at + MAX_WORDS)):
            last = words[number]
            key += last.folded if number == at else last.before + last.folded
            is_name = last.opens or (is_question and number > at)
            if number == at and key in lower:
                continue
            if is_name and len(key) >= _LEAST and not key.isdecimal():
                here.append(_closed(text, key, Span(word.start, last.end)))
        found += reversed(here)
    return found


def _closed(text: str, key: str, span: Span) -> Name:
    """The name with the bracket that ends it, as in `Dark River (2017 film)`."""
    if "(" in key and text[span.end : span.end + 1] == ")":
        return Name(key + ")", Span(span.start, span.end + 1))
    return Name(key, span)


def _words(text: str) -> list[_Word]:
    found: list[_Word] = []
    end = 0
    for match in _WORD.finditer(text):
        written = match[0]
        opens = (
            written[0].isupper() or written[0].isdecimal()
            if match["word"]
            else match["cjk"] is not None
        )
        before = _between(text[end : match.start()], text[end - 1], written[0]) if found else ""
        end = match.end()
        found.append(_Word(_folded(written), before, opens, match.start(), end))
    return found


@lru_cache(maxsize=1 << 14)
def _folded(word: str) -> str:
    return word.lower() if word.isascii() else fold_text(word).text


@lru_cache(maxsize=1 << 12)
def _between(marks: str, before: str, after: str) -> str:
    """What the normaliser leaves of the marks between two letters."""
    return fold_text(f"{before}{marks}{after}").text[len(before) : -1]
