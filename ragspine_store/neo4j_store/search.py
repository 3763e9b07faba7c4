"""Ranking: the only place where a score is made.

Lucene's BM25, best first; equal scores order by document id, then position, before the cut at k. A
query is written from tokens alone, each quoted, so that nothing of the engine's syntax is reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from neo4j import Record

from ragspine_store.neo4j_store.candidates import DocumentRows, Properties
from ragspine_store.neo4j_store.rows import document_node
from ragspine_store.neo4j_store.texts import passage_of
from ragspine_store.neo4j_store.transaction import Opened, schema_row
from ragspine_store.protocols import Candidate, Place, Scope, Window
from ragspine_store.query import Query, Term
from ragspine_store.records import Hit, Span
from ragspine_store.storage_rules.looking import Look, best_hits
from ragspine_store.storage_rules.texts import PIECE_LENGTH, can_be_stored, fold_heading

# Lucene refuses more alternatives than 1,024 in a query; its results have to fit an array.
_MOST = 1_000
_EVERYTHING = 2**30


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
    filters = {key: list(filter(can_be_stored, scope.filters[key])) for key in scope.filters}
    sections = filters.pop("section", None)
    collections = scope.reader.collections
    terms = query.terms
    matches = [lucene_query(terms[at : at + _MOST]) for at in range(0, len(terms), _MOST)]
    ahead = Ahead()

    def look_at(number: int) -> Look:
        nonlocal ahead
        row = schema_row(
            opened.row(
                "search_children",
                index=None,
                matches=matches,
                # The best of the whole need not be among the best of its parts.
                look=number if len(matches) == 1 else _EVERYTHING,
                limit=k,
                clearance=int(scope.reader.clearance),
                collections=(
                    None if collections is None else sorted(filter(can_be_stored, collections))
                ),
                filters=filters,
                sections=None if sections is None else list(map(_section_node, sections)),
                headings=list(map(fold_heading, sections or ())),
                piece_length=PIECE_LENGTH,
            )
        )
        ahead = _ahead(row)
        found = [Hit(hit["row"]["hit_key"], hit["score"]) for hit in row["hits"]]
        if len(matches) > 1 or row["worst"] is None:
            return Look(found, 0, float("-inf"))
        return Look(found, row["looked"], row["worst"])

    return Found(best_hits(look_at, scope, k), ahead)


def lucene_query(terms: Sequence[Term]) -> str:
    """What the full-text index is asked: any of the terms."""
    return " OR ".join(map(_lucene_term, terms))


def _ahead(row: Record) -> Ahead:
    documents: dict[str, Properties] = {d["doc_id"]: d for d in row["documents"]}
    rows = {doc_id: DocumentRows(document) for doc_id, document in documents.items()}
    candidates: dict[int, Candidate] = {}
    passages: dict[Place, Window] = {}
    for hit in row["hits"]:
        values: Properties = hit["row"]
        doc_id: str = values["doc_id"]
        candidates[values["hit_key"]] = rows[doc_id].candidate(hit, hit["score"])
        if values["window_end"] is not None:
            place = Place(doc_id, Span(values["window_start"], values["window_end"]))
            passage = passage_of(place, hit["window"], documents[doc_id])
            if passage is not None:
                passages[place] = passage
    return Ahead(candidates, passages)


def _section_node(name: str) -> str:
    """Id of the node that a section's id names; section 0 is the document itself."""
    return document_node(name.removesuffix("#s0")) if name.endswith("#s0") else f"section:{name}"


def _lucene_term(term: Term) -> str:
    # Tokens hold neither quotation marks nor backslashes, so nothing in them can end the string. A
    # prefix is one CJK character, for which Lucene has no scores of its own.
    return f'lead:"{term.tokens[0]}"' if term.is_prefix else f'tok:"{" ".join(term.tokens)}"'
