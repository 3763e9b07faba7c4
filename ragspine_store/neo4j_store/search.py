"""Ranking: the only place where a score is made.

Lucene's BM25, best first; equal scores order by document id, then position, before the cut at k. A
query is written from tokens alone, each quoted, so that nothing of the engine's syntax is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from neo4j import Record

from ragspine_store.neo4j_store.candidates import ChildRow, DocumentRow, SectionRow, candidates_of
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
_ALL = 2**30
# The server counts what is being ranked as memory of each hit, so many hits come in slices.
_SLICE = 512
_TRIES = 3


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

    def slice_of(number: int, skip: int, length: int) -> Record:
        return schema_row(
            opened.row(
                "search_children",
                index=None,
                matches=matches,
                # The best of the whole need not be among the best of its parts.
                each=number if len(matches) == 1 else _ALL,
                skip=skip,
                look=length,
                limit=k,
                piece_length=PIECE_LENGTH,
                **scoped,
            )
        )

    def look_once(number: int) -> Look:
        hits: dict[int, tuple[float, str, int]] = {}
        looked, worst = 0, float("-inf")
        for skip in range(0, number, _SLICE):
            wanted = min(_SLICE, number - skip)
            row = slice_of(number, skip, wanted)
            given = [(score, ChildRow._make(child), above) for score, child, above in row["hits"]]
            for score, child, _ in given:
                hits[child.hit_key] = (-score, child.doc_id, child.seq)
            found = _ahead(row, given)
            candidates.update(found.candidates)
            passages.update(found.passages)
            looked += row["looked"]
            if row["looked"] < wanted:
                worst = float("-inf")
                break
            worst = row["worst"]
        ranked = sorted(hits, key=hits.__getitem__)
        return Look([Hit(key, -hits[key][0]) for key in ranked], looked, worst)

    def look_at(number: int) -> Look:
        return (
            look_once(number) if number <= _SLICE else _settled(opened, lambda: look_once(number))
        )

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


def _settled(opened: Opened, look: Callable[[], Look]) -> Look:
    """A look in slices that no change of the store came between; the last of a few tries.

    What is deleted between two slices moves up, and the first of the next slice out of both.
    """
    before = schema_row(opened.queries.row("find_state"))
    for left in reversed(range(_TRIES)):
        found = look()
        after = schema_row(opened.queries.row("find_state"))
        if after["state"] == before["state"] or not left:
            return found
        before = after
    raise AssertionError("the last try returns")


def _ahead(row: Record, given: Sequence[tuple[float, ChildRow, Sequence[SectionRow]]]) -> Ahead:
    documents = {document[0]: DocumentRow._make(document) for document in row["documents"]}
    children: dict[str, list[tuple[ChildRow, Sequence[SectionRow]]]] = {}
    scores: dict[int, float] = {}
    for score, child, above in given:
        children.setdefault(child.doc_id, []).append((child, above))
        scores[child.hit_key] = score
    candidates = {
        candidate.key: candidate
        for doc_id, rows in children.items()
        for candidate in candidates_of(documents[doc_id], rows, scores)
    }
    pieces: dict[Place, list[Piece]] = {}
    for doc_id, start, end, piece in row["pieces"]:
        pieces.setdefault(Place(doc_id, Span(start, end)), []).append(piece)
    others: dict[Place, list[str]] = {}
    for doc_id, start, end, label in row["others"]:
        others.setdefault(Place(doc_id, Span(start, end)), []).append(label)
    passages: dict[Place, Window] = {}
    for place, texts in pieces.items():
        document = documents[place.doc_id]
        labels = (document.sensitivity, document.root_label, *others.get(place, ()))
        if passage := passage_of(place, texts, labels):
            passages[place] = passage
    return Ahead(candidates, passages)


def _lucene_term(term: Term) -> str:
    # Tokens hold neither quotation marks nor backslashes, so nothing in them can end the string. A
    # prefix is one CJK character, for which Lucene has no scores of its own.
    return f'lead:"{term.tokens[0]}"' if term.is_prefix else f'tok:"{" ".join(term.tokens)}"'
