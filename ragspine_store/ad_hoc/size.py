"""How much an ad-hoc query may say: engines take longest over what is nested or repeated.

A server that plans a few hundred nested brackets looks neither at the time nor at whether anybody
still waits; an engine in memory has a stack of bounded depth. So what a person may ask is bounded
before any engine sees it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from ragspine_store.ad_hoc.tokens import Token, TokenKind
from ragspine_store.errors import CypherError

MAX_TOKENS = 2_000
MAX_DEPTH = 32
MAX_REPEATS = 64
REPEATED = ("case", "not", "union")
"""Words that nest, or make an engine call itself, without a bracket."""


def refuse_size(tokens: Sequence[Token]) -> None:
    """Refuse a query that is too long, too deep, or repeats a word that nests too often.

    Raises:
        CypherError: it is; the message says what and how much.
    """
    if len(tokens) > MAX_TOKENS:
        _refuse(f"{len(tokens):,} words and marks", f"at most {MAX_TOKENS:,}")
    depth = 0
    for token in tokens:
        if token.kind is TokenKind.MARK:
            depth += (token.text in "([{") - (token.text in ")]}")
        if depth > MAX_DEPTH:
            _refuse(f"more than {MAX_DEPTH} brackets inside of each other", f"{MAX_DEPTH}")
    words = ["", *(token.folded for token in tokens)]
    repeats = Counter(word for before, word in pairwise(words) if before != "is")
    for word in REPEATED:
        if repeats[word] > MAX_REPEATS:
            _refuse(f"{word.upper()} given {repeats[word]:,} times", f"at most {MAX_REPEATS}")


def _refuse(given: str, expected: str) -> None:
    raise CypherError(
        f"the query is refused: {given}; expected {expected}: ask for less at once, or give lists "
        "as a parameter"
    )
