"""What a question asks the index for.

A query is an OR of terms. A term is one token, a phrase (tokens that follow each other), or a
prefix (one CJK character, which finds every run that holds it). Quoted text and addresses such as
第38条 or 第2項 are phrases. Bigrams of hiragana alone are dropped when other terms remain: they
are grammar, not content, and cost most of a search.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ragspine_store.errors import QueryError
from ragspine_store.tokenizer import Token, bigrams, normalise, scan

MAX_QUERY_CHARS = 4_000

_QUOTED = re.compile(r'"([^"]+)"|[“”]([^“”]+)[“”]')
_ADDRESS = re.compile(r"第 ?\d[\d.]* ?[編章節款目条項号]")
_HIRAGANA = re.compile(r"[\u3041-\u309f]+")


@dataclass(frozen=True, slots=True)
class Term:
    """One alternative of a query.

    Attributes:
        tokens: one token, or several that must follow each other.
        is_prefix: the single token is the beginning of what is meant.
    """

    tokens: tuple[str, ...] = field(repr=False)
    is_prefix: bool = False

    @property
    def is_hiragana(self) -> bool:
        """Whether the term is hiragana alone."""
        return all(_HIRAGANA.fullmatch(token) for token in self.tokens)


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed question: its distinct terms in order of appearance."""

    terms: tuple[Term, ...] = field(repr=False)


def parse_query(text: str, find_words: Callable[[str], list[str]] | None = None) -> Query:
    """Read a question.

    Args:
        text: the question.
        find_words: finds the words of the question, as the index holds them; None for an index
            without words.

    Raises:
        QueryError: nothing searchable in it, or longer than `MAX_QUERY_CHARS`.

    >>> [term.tokens for term in parse_query("第4条の手当").terms]
    [('第', '4', '条'), ('の手',), ('手当',)]
    """
    if len(text) > MAX_QUERY_CHARS:
        raise QueryError(
            f"the query has {len(text):,} characters; expected at most {MAX_QUERY_CHARS:,}: "
            "ask for less at once"
        )
    normalised = normalise(text)
    terms: dict[Term, None] = {}
    rest = _take_phrases(_QUOTED, normalised, terms)
    rest = _take_phrases(_ADDRESS, rest, terms)
    content = dict(terms)
    for term in _loose_terms(list(scan(rest))):
        terms[term] = None
        if not term.is_hiragana:
            content[term] = None
    for word in find_words(text) if find_words else ():
        content[Term((word,))] = None
    if not terms:
        raise QueryError(
            "the query holds nothing to search for: expected at least one letter, digit or "
            "character of a word"
        )
    return Query(tuple(content or terms))


def _take_phrases(pattern: re.Pattern[str], text: str, terms: dict[Term, None]) -> str:
    """Turn what the pattern finds into phrases; return the text without it."""

    def take(match: re.Match[str]) -> str:
        phrase = phrase_tokens(next(filter(None, match.groups()), match[0]))
        if phrase:
            terms[_phrase(phrase)] = None
        return " "

    return pattern.sub(take, text)


def _phrase(tokens: tuple[str, ...]) -> Term:
    return Term(tokens, is_prefix=len(tokens) == 1 and _is_single_cjk(tokens[0]))


def _is_single_cjk(token: str) -> bool:
    return len(token) == 1 and next(scan(token)).is_cjk


def phrase_tokens(normalised: str) -> tuple[str, ...]:
    """The tokens that follow each other wherever the normalised text stands in a document.

    At the outer ends of the phrase a run may go on in the document, so its edge characters,
    which the index holds for whole runs only, are left out there.

    >>> phrase_tokens("第4条の手当")
    ('第', '4', '条', '条の', 'の手', '手当')
    """
    runs = list(scan(normalised))
    found: list[str] = []
    for position, token in enumerate(runs):
        if not token.is_cjk:
            if not token.sign or len(runs) > 1:
                found.append(token.text)
            if token.sign:
                found.append(token.text + token.sign)
            continue
        if len(token.text) == 1:
            found.append(token.text)
            continue
        if position > 0:
            found.append(token.text[0])
        found.extend(bigrams(token.text))
        if position < len(runs) - 1:
            found.append(token.text[-1])
    return tuple(found)


def _loose_terms(runs: list[Token]) -> list[Term]:
    terms: list[Term] = []
    for position, token in enumerate(runs):
        if not token.is_cjk:
            terms.append(Term((token.text + token.sign,)))
        elif len(token.text) > 1:
            terms.extend(Term((pair,)) for pair in bigrams(token.text))
        elif position > 0 and runs[position - 1].end == token.start:
            # `3日`, `A社`: alone the character would find every word that begins with it.
            before = runs[position - 1]
            terms.append(Term((before.text + before.sign, token.text)))
        else:
            terms.append(Term((token.text,), is_prefix=True))
    return terms
