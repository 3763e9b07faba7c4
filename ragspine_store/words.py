"""Words of Japanese text, found by a dictionary: what the same thing is called in another form.

Bigrams find what is written alike; words find 支払う where 支払った stands, 引っ越し where 引越.
They stand in the index beside the bigrams, each with a mark that no token of a text begins with.
Index and question have to agree, so a store notes with which words it is indexed, and what
finds them: another dictionary may find others.
"""

from __future__ import annotations

import importlib.metadata
import re
import threading
from collections.abc import Iterator
from functools import cache
from typing import Literal, Protocol

from ragspine_store.errors import WordsError
from ragspine_store.tokenizer import LONGEST, fold

WordsName = Literal["none", "sudachi"]

MARK = "+"
_PACKAGES = ("SudachiPy", "SudachiDict-small")
# Longer texts are refused; a cut inside a line costs one word.
_MOST_CHARS = 10_000
_CONTENT = frozenset({"名詞", "動詞", "形容詞", "形状詞", "副詞", "接頭辞"})
_GRAMMAR = frozenset({"数詞", "非自立可能"})
_JAPANESE = re.compile(r"\w*[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff々]\w*")


class FindWords(Protocol):
    """Finds the words of a text, as they are indexed and asked for."""

    def __call__(self, text: str, /) -> list[str]:
        """The words in order, each with its mark."""
        ...


def describe_words(name: WordsName) -> str:
    """What a store notes of its words: their name and what finds them; '' for none.

    Raises:
        WordsError: what finds them is not installed.
    """
    if name == "none":
        return ""
    try:
        return " ".join(["sudachi", *map(importlib.metadata.version, _PACKAGES)])
    except importlib.metadata.PackageNotFoundError:
        raise WordsError(
            "words = 'sudachi', and SudachiPy with its small dictionary is not installed; expected "
            'the extra ja: run pip install "ragspine-graph[ja]"'
        ) from None


def words_named(description: str) -> WordsName:
    """The name in a description.

    >>> words_named(""), words_named("sudachi 0.7.0 20261015")
    ('none', 'sudachi')
    """
    return "sudachi" if description else "none"


def agreed_words(noted: str, wanted: WordsName | None, *, is_empty: bool) -> str:
    """What a store is to be indexed with, as it is described.

    Args:
        noted: what it is indexed with now.
        wanted: by the settings; None leaves it as it is.
        is_empty: nothing is indexed yet.

    Raises:
        WordsError: the settings want other words than are indexed, or what finds them is missing.
    """
    name = words_named(noted)
    if wanted not in (None, name) and not is_empty:
        raise WordsError(
            f"words = {wanted!r} given, and the store is indexed with words = {name!r}; expected "
            "both alike: change the setting, or index the store anew with reindex"
        )
    return describe_words(name if wanted is None else wanted)


def find_words_of(name: WordsName) -> FindWords | None:
    """What finds the words of that name; None for none.

    Raises:
        WordsError: it is not installed.
    """
    return _sudachi() if describe_words(name) else None


@cache
def _sudachi() -> FindWords:
    from sudachipy import Dictionary, SplitMode  # noqa: PLC0415 the extra ja

    dictionary = Dictionary(dict="small")
    # A tokenizer serves one call at a time.
    tokenizer, lock = dictionary.tokenizer(mode=SplitMode.A), threading.Lock()

    def find(text: str) -> list[str]:
        found: list[str] = []
        for piece in _pieces(fold(text)):
            with lock:
                morphemes = list(tokenizer.tokenize(piece))
            for morpheme in morphemes:
                kind, subkind, *_ = morpheme.part_of_speech()
                if kind in _CONTENT and subkind not in _GRAMMAR:
                    word = fold(morpheme.normalized_form())[:LONGEST]
                    if _JAPANESE.fullmatch(word):
                        found.append(MARK + word)
        return found

    return find


def _pieces(text: str) -> Iterator[str]:
    for at in range(0, len(text), _MOST_CHARS):
        yield text[at : at + _MOST_CHARS]
