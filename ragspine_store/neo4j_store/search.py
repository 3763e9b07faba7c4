"""Ranking: the only place where a score is made.

Lucene's BM25, best first; equal scores order by document id, then position, before the cut at k. A
query is written from tokens alone, each quoted, so that nothing of the engine's syntax is reached.
"""

from __future__ import annotations

from ragspine_store.neo4j_store.connection import Opened
from ragspine_store.neo4j_store.rows import document_node
from ragspine_store.protocols import Scope
from ragspine_store.query import Query, Term
from ragspine_store.records import Hit
from ragspine_store.storage_rules.looking import Look, best_hits
from ragspine_store.storage_rules.texts import can_be_stored, fold_heading


def ranked_hits(opened: Opened, query: Query, scope: Scope, k: int) -> list[Hit]:
    """The k best children inside the scope; withheld ones take no slot."""
    filters = {key: list(filter(can_be_stored, scope.filters[key])) for key in scope.filters}
    sections = filters.pop("section", None)
    collections = scope.reader.collections
    match = " OR ".join(map(_lucene_term, query.terms))

    def look_at(number: int) -> Look:
        row = opened.queries.row(
            "search_children",
            index=opened.index,
            match=match,
            look=number,
            state=opened.state,
            clearance=int(scope.reader.clearance),
            collections=None if collections is None else sorted(filter(can_be_stored, collections)),
            filters=filters,
            sections=None if sections is None else [_section_node(name) for name in sections],
            headings=[fold_heading(name) for name in sections or ()],
        )
        assert row is not None
        hits = sorted(row["hits"], key=lambda hit: (-hit[1], *hit[2:]))
        found = [Hit(key, score) for key, score, _, _ in hits]
        return Look(found, row["looked"], float("-inf") if row["worst"] is None else row["worst"])

    return best_hits(look_at, scope, k)


def _section_node(name: str) -> str:
    """Id of the node that a section's id names; section 0 is the document itself."""
    return document_node(name.removesuffix("#s0")) if name.endswith("#s0") else f"section:{name}"


def _lucene_term(term: Term) -> str:
    # Tokens hold neither quotation marks nor backslashes, so nothing in them can end the string. A
    # prefix is one CJK character.
    return f"{term.tokens[0]}*" if term.is_prefix else f'"{" ".join(term.tokens)}"'
