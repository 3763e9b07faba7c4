"""Which children are likely the best, when a query is too costly to score all that it finds.

The engine's cost grows with the postings of a query's terms, most of which are those of common
terms, which tell little. So in a large store the rarest terms alone find candidates, and those
are then scored exactly, with all terms. What is lost stands in the tail of the ranking (ADR 0027).
"""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from heapq import nsmallest

MAX_POSTINGS = 50_000
"""A query whose terms have fewer postings is scored for all that it finds."""
RARE_POSTINGS = 20_000
"""As many postings of the rarest terms are read for candidates."""
MOST_LIKELY = 2_000
"""As many candidates are given; what is outside of a scope is left out of them."""
RESCORED = 250
"""As many of those are scored exactly."""
MOST_HITS = 60
"""For more hits than these all is scored, since more than the head of the ranking is asked for."""

# A term with more postings finds no candidates, unless all have; they are not counted further.
_COMMON = 8_000

_POSTINGS = """
SELECT COUNT(*) FROM (SELECT 1 FROM chunk_fts WHERE chunk_fts MATCH ? LIMIT ?)
"""
_FOUND = "SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ? LIMIT ?"


def indexed_rows(db: sqlite3.Connection) -> int:
    """How many children are indexed."""
    (rows,) = db.execute("SELECT COUNT(*) FROM chunk_fts_docsize").fetchone()
    return rows


def likely_keys(db: sqlite3.Connection, terms: Sequence[str], rows: int) -> list[int]:
    """Keys of the children that are most likely the best, likeliest first.

    Likelier is what holds more of the rarest terms, each counting as in BM25 what it is worth; ties
    are in order of keys.

    Args:
        db: a connection inside a read transaction.
        terms: each as the index is asked for it alone.
        rows: how many children are indexed.

    Returns:
        None at all for a query that is cheap enough to be scored for all that it finds.
    """
    if rows * len(terms) <= MAX_POSTINGS:
        return []
    postings = sorted(
        (db.execute(_POSTINGS, (term, _COMMON)).fetchone()[0], term) for term in terms
    )
    if sum(count for count, _ in postings) <= MAX_POSTINGS:
        return []
    worth: defaultdict[int, float] = defaultdict(float)
    left = RARE_POSTINGS
    for count, term in postings:
        if worth and (count > left or count == _COMMON):
            break
        value = math.log((rows - count + 0.5) / (count + 0.5)) if 2 * count < rows else 0.0
        for (key,) in db.execute(_FOUND, (term, RARE_POSTINGS)):
            worth[key] += value
        left -= count
    return nsmallest(MOST_LIKELY, worth, key=lambda key: (-worth[key], key))
