"""Ranking: the only place where a score is made.

Lucene's BM25, best first; equal scores order by document id, then position, before the cut at k. A
query is written from tokens alone, each quoted, so that nothing of the engine's syntax is reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from neo4j import Record

from ragspine_store.neo4j_store.candidates import Properties, candidates_of
from ragspine_store.neo4j_store.scope import scope_values
from ragspine_store.neo4j_store.texts import Piece, passage_of
from ragspine_store.neo4j_store.transaction import Opened, schema_row
from ragspine_store.protocols import Candidate, Place, Scope, Window
from ragspine_store.query import Query, Term
from ragspine_store.records import Hit, Span
from ragspine_store.storage_rules.looking import Look, best_hits
from ragspine_store.storage_rules.texts import PIECE_LENGTH

# Lucene refuses more alternatives than 1,024 in a query; its results have to fit an array.
_MOST = 1_000
_EVERYTHING = 2**30
# The server counts what is being ranked as memory of each hit, so many hits come in slices.
_SLICE = 512


@dataclass(frozen=True, slots=True)
class Ahead:
    """What a search read with its hits.

    Attributes:
        candidates: rows of hits, by key.
        passages: texts of their windows.
    """

    candidates: Mapping[int, Candidate] = field(default_factory=dict[int, Candidate])
    passages: Mapping[Place, Window] = field(default_factory=dict[Place, Window])


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of a search, best first, and what was read with them."""

    hits: list[Hit]
    ahead: Ahead


def search(opened: Opened, query: Query, scope: Scope, k: int) -> Found:
    """The k best children inside the scope; withheld ones take no slot."""
    scoped = scope_values(scope)
    matches = _matches(query)
    candidates: dict[int, Candidate] = {}
    passages: dict[Place, Window] = {}

    def slice_of(skip: int, number: int) -> Record:
        return schema_row(
            opened.row(
                "search_children",
                index=None,
                matches=matches,
                skip=skip,
                look=number,
                limit=k,
                piece_length=PIECE_LENGTH,
                **scoped,
            )
        )

    def look_at(number: int) -> Look:
        # The best of the whole need not be among the best of its parts.
        is_whole = len(matches) > 1
        hits: dict[int, tuple[float, str, int]] = {}
        looked, worst = 0, float("-inf")
        for skip in (0,) if is_whole else range(0, number, _SLICE):
            wanted = _EVERYTHING if is_whole else min(_SLICE, number - skip)
            row = slice_of(skip, wanted)
            ahead = _ahead(row)
            candidates.update(ahead.candidates)
            passages.update(ahead.passages)
            for hit in row["hits"]:
                child = hit["row"]
                hits[child["hit_key"]] = (-hit["score"], child["doc_id"], child["seq"])
            looked += row["looked"]
            if row["worst"] is None or row["looked"] < wanted:
                worst = float("-inf")
                break
            worst = row["worst"]
        ranked = sorted(hits, key=hits.__getitem__)
        found = [Hit(key, -hits[key][0]) for key in ranked]
        return Look(found, 0 if is_whole else looked, worst)

    best = best_hits(look_at, scope, k)
    return Found(best, Ahead(candidates, passages))


def rescored(opened: Opened, query: Query, keys: Sequence[int]) -> dict[int, float]:
    """The scores of children for a query, of those that it finds, as a search gives them."""
    if not keys:
        return {}
    rows = opened.rows(
        "rescore_children", index=None, matches=_matches(query), keys=sorted(set(keys))
    )
    return {row["key"]: row["score"] for row in rows}


def _matches(query: Query) -> list[str]:
    terms = query.terms
    return [lucene_query(terms[at : at + _MOST]) for at in range(0, len(terms), _MOST)]


def lucene_query(terms: Sequence[Term]) -> str:
    """What the full-text index is asked: any of the terms."""
    return " OR ".join(map(_lucene_term, terms))


def _ahead(row: Record) -> Ahead:
    documents: dict[str, Properties] = {d["doc_id"]: d for d in row["documents"]}
    children: dict[str, list[Properties]] = {doc_id: [] for doc_id in documents}
    scores: dict[int, float] = {}
    for hit in row["hits"]:
        children[hit["row"]["doc_id"]].append(hit)
        scores[hit["row"]["hit_key"]] = hit["score"]
    found = (
        candidate
        for doc_id, document in documents.items()
        for candidate in candidates_of({"document": document, "children": children[doc_id]}, scores)
    )
    pieces: dict[Place, list[Piece]] = {}
    for doc_id, start, end, piece in row["pieces"]:
        pieces.setdefault(Place(doc_id, Span(start, end)), []).append(piece)
    others: dict[Place, list[str]] = {}
    for doc_id, start, end, label in row["others"]:
        others.setdefault(Place(doc_id, Span(start, end)), []).append(label)
    passages = {
        place: passage
        for place, texts in pieces.items()
        if (passage := passage_of(place, texts, documents[place.doc_id], others.get(place, [])))
    }
    return Ahead({candidate.key: candidate for candidate in found}, passages)


def _lucene_term(term: Term) -> str:
    # Tokens hold neither quotation marks nor backslashes, so nothing in them can end the string. A
    # prefix is one CJK character, for which Lucene has no scores of its own.
    return f'lead:"{term.tokens[0]}"' if term.is_prefix else f'tok:"{" ".join(term.tokens)}"'
