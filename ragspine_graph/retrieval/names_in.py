"""Which names a text may hold: stretches of it that begin and end as a name does.

Whether something bears such a name is for the store to say: no list of names is kept, so that the
order in which documents come does not matter, and a hidden document names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ragspine_graph.names.normaliser import FoldedName, fold_text
from ragspine_store.records import Span

MAX_WORDS = 8
"""The longest name, in words; a run of one CJK script is a word."""

_LEAST = 2
_HIRAGANA, _KATAKANA, _HAN = (re.compile(f"[{block}]") for block in ("ぁ-ゖ", "ァ-ヺー", "㐀-鿿々〆"))


class Name(NamedTuple):
    """A stretch of text that may be a name.

    Attributes:
        key: as the one normaliser leaves it.
        span: in the text, half-open.
        words: how many words it has.
    """

    key: str
    span: Span
    words: int


class _Word(NamedTuple):
    first: int
    last: int
    opens: bool


def names_in(text: str, *, is_question: bool = False) -> list[Name]:
    """The stretches of a text that may be names, by place, the longer before the shorter.

    A name begins and ends with a capital letter, a digit or a CJK character. A word that the text
    also writes in lower case is no name by itself.

    Args:
        text: where they stand.
        is_question: people ask in lower case: there a name of several words needs no capitals.

    >>> [text.key for text in names_in("He met Jo Dee.")]
    ['he', 'jodee', 'jo', 'dee']
    """
    folded = fold_text(text)
    words = list(_words(text, folded))
    lower = {folded.text[word.first : word.last] for word in words if not word.opens}
    found: list[Name] = []
    for at, word in enumerate(words):
        if not (word.opens or is_question):
            continue
        for other in reversed(range(at, min(len(words), at + MAX_WORDS))):
            end = words[other]
            if other > at and not (end.opens or is_question):
                continue
            key = folded.text[word.first : end.last]
            last = end.last
            if "(" in key and folded.text[last : last + 1] == ")":
                key, last = key + ")", last + 1
            if other == at and (not word.opens or key in lower):
                continue
            if len(key) >= _LEAST and not key.isdecimal():
                span = Span(folded.starts[word.first], folded.ends[last - 1])
                found.append(Name(key, span, other - at + 1))
    return found


def _words(text: str, folded: FoldedName) -> Iterator[_Word]:
    first = 0
    kind = ""
    for number, letter in enumerate(folded.text):
        own = _kind(letter)
        if own != kind or folded.gaps[number]:
            if kind:
                yield _word(text, folded, first, number, kind)
            first, kind = number, own
    if kind:
        yield _word(text, folded, first, len(folded.text), kind)


def _word(text: str, folded: FoldedName, first: int, last: int, kind: str) -> _Word:
    written = text[folded.starts[first]]
    is_name = kind in "kh" or written.isupper() or written.isdecimal()
    return _Word(first, last, is_name and kind != "g")


def _kind(letter: str) -> str:
    """`w` for letters of scripts that part words, `h` Han, `k` katakana, `g` hiragana, '' others."""
    if letter.isascii():
        return "w" if letter.isalnum() else ""
    if _HIRAGANA.match(letter):
        return "g"
    if _KATAKANA.match(letter):
        return "k"
    if _HAN.match(letter):
        return "h"
    return "w" if letter.isalnum() else ""
