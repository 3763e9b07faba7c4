"""What ad-hoc Cypher may say: what reads the graph, and nothing else.

In this order; the first rule that a query breaks names the refusal. Pure decisions: no engine is
asked, and none is called before.

1. It is read in one way only (`ragspine_store.ad_hoc.tokens`).
2. It is of a size that engines read quickly (`ragspine_store.ad_hoc.size`).
3. It is one statement, and begins with a clause that reads.
4. No word of it is a keyword that writes, administers, leaves the graph or its database, or changes
   how the query is run; in backticks neither, since an engine takes those for keywords too. Behind
   a dot, a colon or a dollar sign, or before a colon, such a word is a name.
5. Every procedure and function it calls is listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString, NoReturn, cast

from ragspine_store.ad_hoc.size import refuse_size
from ragspine_store.ad_hoc.tokens import Token, TokenKind, read_tokens, render_tokens
from ragspine_store.errors import CypherError

FIRST_WORDS = frozenset({"match", "optional", "unwind", "with", "return", "call"})
REFUSED_WORDS = frozenset(
    {
        *("load", "use", "transactions", "show", "terminate", "format"),
        *("create", "insert", "merge", "set", "delete", "detach", "nodetach", "remove", "foreach"),
        *("drop", "alter", "rename", "grant", "deny", "revoke"),
        *("explain", "profile", "cypher"),
    }
)
"""Refused where they could be keywords, in whatever case and spelling."""

PROCEDURES = frozenset({"db.labels", "db.relationshiptypes", "db.propertykeys"})
FUNCTIONS = frozenset(
    {
        *("count", "collect", "sum", "avg", "min", "max", "stdev", "stdevp"),
        *("percentilecont", "percentiledisc"),
        *("id", "elementid", "labels", "type", "properties", "keys", "startnode", "endnode"),
        *("nodes", "relationships", "length", "shortestpath", "allshortestpaths"),
        *("size", "head", "last", "tail", "range", "reverse", "reduce", "coalesce", "nullif"),
        *("all", "any", "none", "single", "exists", "isempty", "degree"),
        *("tolower", "toupper", "lower", "upper", "trim", "ltrim", "rtrim", "btrim", "split"),
        *("substring", "left", "right", "replace", "char_length", "character_length"),
        *("tostring", "tointeger", "tofloat", "toboolean"),
        *("abs", "ceil", "floor", "round", "sign", "sqrt", "exp", "log", "log10"),
        *("date", "datetime", "duration"),
    }
)
_BEFORE_PARENTHESES = frozenset(
    {
        *("match", "where", "and", "or", "xor", "not", "in", "with", "return", "distinct"),
        *("unwind", "when", "then", "else", "case", "by", "limit", "skip", "offset", "call"),
        *("contains", "shortest", "paths", "path", "groups", "union"),
    }
)
"""Keywords after which a parenthesis opens no call."""


@dataclass(frozen=True, slots=True)
class AdHocQuery:
    """A query that a person wrote and the screening let through; `screen_query` alone makes it.

    Attributes:
        text: what is sent: the tokens that were read.
        strings: what its string literals hold, in order.
        parameters: names of those it uses.
    """

    text: LiteralString
    strings: tuple[str, ...]
    parameters: frozenset[str]


def screen_query(text: str) -> AdHocQuery:
    """Refuse a query, or give it as it may be sent.

    Raises:
        CypherError: it says something it may not; the message says what.

    >>> screen_query("MATCH (n:Entity) /* any */ RETURN n.id;").text
    'MATCH (n:Entity) RETURN n.id'
    """
    tokens = read_tokens(text)
    refuse_size(tokens)
    while tokens and tokens[-1].text == ";" and tokens[-1].kind is TokenKind.MARK:
        tokens.pop()
    if not tokens:
        _refuse("an empty one", "a query such as MATCH (n:Entity) RETURN n.id")
    if tokens[0].folded not in FIRST_WORDS or tokens[0].kind is not TokenKind.WORD:
        _refuse(
            f"it begins with {tokens[0].text!r}", f"one of {', '.join(sorted(FIRST_WORDS)).upper()}"
        )
    for at, token in enumerate(tokens):
        if token.kind is TokenKind.MARK and token.text == ";":
            _refuse("a second statement", "one")
        if token.is_word:
            _refuse_keyword(tokens, at)
            _refuse_call(tokens, at)
    # The driver takes literals alone, so that no query is built from data. This one is built from
    # what a person wrote, and has passed every rule above.
    return AdHocQuery(
        text=cast(LiteralString, render_tokens(tokens)),
        strings=tuple(t.text for t in tokens if t.kind is TokenKind.STRING),
        parameters=frozenset(t.text for t in tokens if t.kind is TokenKind.PARAMETER),
    )


def _refuse_keyword(tokens: Sequence[Token], at: int) -> None:
    if tokens[at].folded not in REFUSED_WORDS:
        return
    before, after = _mark(tokens, at - 1), _mark(tokens, at + 1)
    if before not in (".", ":", "|", "&", "!") and after != ":":
        _refuse(
            f"the word {tokens[at].text!r}",
            "what reads the graph alone; a variable of that name needs another one",
        )


def _refuse_call(tokens: Sequence[Token], at: int) -> None:
    """Refuse a call of what is not listed, where one ends in this word."""
    word = tokens[at].folded
    name = ".".join(_path(tokens, at))
    is_procedure = _opens_call(tokens, at)
    if is_procedure:
        if name not in PROCEDURES:
            _refuse(f"the procedure {name!r}", f"one of {', '.join(sorted(PROCEDURES))}")
        return
    if _mark(tokens, at + 1) != "(" or word in _BEFORE_PARENTHESES:
        return
    if name not in FUNCTIONS:
        _refuse(f"the function {name!r}", "a listed one, such as count, collect or coalesce")


def _opens_call(tokens: Sequence[Token], at: int) -> bool:
    """Whether this is the last word of the name behind a CALL."""
    first = at - 2 * (len(_path(tokens, at)) - 1)
    is_last = _mark(tokens, at + 1) != "."
    before = tokens[first - 1] if first else None
    return (
        is_last
        and before is not None
        and before.kind is not TokenKind.STRING
        and before.folded == "call"
        and _mark(tokens, first - 2) not in (".", ":", "$")
    )


def _path(tokens: Sequence[Token], at: int) -> list[str]:
    """The words joined by dots that end here, outermost first."""
    path = [tokens[at].folded]
    while _mark(tokens, at - 1) == "." and at >= 2 and tokens[at - 2].is_word:
        at -= 2
        path.insert(0, tokens[at].folded)
    return path


def _mark(tokens: Sequence[Token], at: int) -> str:
    """The punctuation at a place, '' when there is none."""
    if not 0 <= at < len(tokens) or tokens[at].kind is not TokenKind.MARK:
        return ""
    return tokens[at].text


def _refuse(given: str, expected: str) -> NoReturn:
    raise CypherError(f"the query is refused: {given}; expected {expected}")
