"""Ranking: the only place where a score is made.

BM25 over the index, best first; equal scores order by document id, then position, before the cut
at k. A score is positive, higher is better.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping

from ragspine_store.protocols import Scope
from ragspine_store.query import Query, Term
from ragspine_store.records import Hit
from ragspine_store.sensitivity import Reader
from ragspine_store.sqlite_store import pruning
from ragspine_store.sqlite_store.indexing import key_token
from ragspine_store.sqlite_store.scope import reader_values
from ragspine_store.storage_rules.looking import Look, best_hits
from ragspine_store.storage_rules.texts import fold_heading

# The inner query ranks on scores alone, which the engine does fast; only the rows it gives are
# joined to their labels and filters.
_FROM_INDEX = """
    SELECT rowid AS id, bm25(chunk_fts, 1.0, 0.0) AS score FROM chunk_fts
    WHERE chunk_fts MATCH :match ORDER BY score LIMIT :look
"""
_FROM_LIST = "SELECT value ->> 0 AS id, value ->> 1 AS score FROM json_each(:scored)"
_IN_SCOPE = """
WITH ranked AS MATERIALIZED ({ranked}), wanted_section AS MATERIALIZED (
    SELECT q.doc_no, q.span_start, q.span_end
    FROM json_each(:sections) v JOIN section q JOIN document d ON d.no = q.doc_no
    WHERE v.value ->> 0 = d.doc_id || '#s' || q.no
       OR (q.no > 0 AND v.value ->> 1 = fold_heading(q.heading))
)
SELECT c.id, r.score, (SELECT COUNT(*) FROM ranked), (SELECT MAX(score) FROM ranked)
FROM ranked r
JOIN current_chunk c ON c.id = r.id
WHERE c.level <= :clearance
  AND label_level(c.sensitivity) <= :clearance AND label_level(c.document_label) <= :clearance
  AND (:collections IS NULL OR c.collection IN (SELECT value FROM json_each(:collections)))
  AND NOT EXISTS (
    SELECT 1 FROM section q INDEXED BY ix_section_label
    WHERE q.doc_no = c.doc_no AND q.sensitivity != ''
      AND q.span_start <= c.span_start AND c.span_end <= q.span_end
      AND label_level(q.sensitivity) > :clearance
  )
  AND NOT EXISTS (
    SELECT 1 FROM json_each(:filters) f
    WHERE NOT EXISTS (
        SELECT 1 FROM json_each(f.value) v
        WHERE v.value = CASE f.key
            WHEN 'doc_id' THEN c.doc_id WHEN 'collection' THEN c.collection
            WHEN 'topic' THEN c.topic WHEN 'entity' THEN c.entity
            WHEN 'geography' THEN c.geography WHEN 'period' THEN c.period
            WHEN 'language' THEN c.language END
    )
  )
  AND (:sections IS NULL OR EXISTS (
    SELECT 1 FROM wanted_section q
    WHERE q.doc_no = c.doc_no AND q.span_start <= c.span_start AND c.span_end <= q.span_end
  ))
ORDER BY r.score, c.doc_id, c.seq
"""
_RANKED = _IN_SCOPE.format(ranked=_FROM_INDEX)
_LISTED = _IN_SCOPE.format(ranked=_FROM_LIST)
_RESCORED = "SELECT rowid, bm25(chunk_fts, 1.0, 0.0) FROM chunk_fts WHERE chunk_fts MATCH ?"
# The engine reads one row of a disjunction by asking each alternative; in groups it asks fewer.
_GROUP = 16


def ranked_hits(db: sqlite3.Connection, query: Query, scope: Scope, k: int) -> list[Hit]:
    """The k best children inside the scope; withheld ones take no slot."""
    parameters = _parameters(scope)
    rows = pruning.indexed_rows(db)
    if k <= pruning.MOST_HITS:
        likely = pruning.likely_keys(db, [_alone(term) for term in query.terms], rows)
        hits = _best_of(db, likely, query, scope, parameters)[:k] if likely else []
        if len(hits) == k:
            return hits
    parameters["match"] = _match(query)

    def look_at(number: int) -> Look:
        parameters["look"] = number
        rows = db.execute(_RANKED, parameters).fetchall()
        hits = [Hit(key, -score) for key, score, _, _ in rows]
        looked, worst = (rows[0][2], rows[0][3]) if rows else _looked(db, parameters)
        return Look(hits, looked, -worst)

    return best_hits(look_at, scope, k)


def rescored(db: sqlite3.Connection, query: Query, keys: Iterable[int]) -> dict[int, float]:
    """The scores of children for a query, of those that it finds, as a search gives them."""
    tokens = sorted({f'"{key_token(key)}"' for key in keys})
    if not tokens:
        return {}
    groups = (" OR ".join(tokens[at : at + _GROUP]) for at in range(0, len(tokens), _GROUP))
    # What is excluded is in no row; it keeps the engine from making one group of all.
    among = " OR ".join(f'(({group}) NOT "#")' for group in groups)
    rows = db.execute(_RESCORED, (f"({{key}} : ({among})) AND ({_match(query)})",))
    return {key: -score for key, score in rows}


def _best_of(
    db: sqlite3.Connection,
    likely: list[int],
    query: Query,
    scope: Scope,
    parameters: dict[str, object],
) -> list[Hit]:
    """Of candidates, likeliest first, those inside the scope, best first."""
    if len(likely) > pruning.RESCORED and (scope.filters or scope.reader != Reader()):
        visible = set(_listed(db, parameters, dict.fromkeys(likely, 0.0)))
        likely = [key for key in likely if key in visible]
    scores = rescored(db, query, likely[: pruning.RESCORED])
    return [Hit(key, scores[key]) for key in _listed(db, parameters, scores)]


def _listed(
    db: sqlite3.Connection, parameters: dict[str, object], scores: Mapping[int, float]
) -> list[int]:
    """The keys of those that are inside the scope, best first."""
    scored = json.dumps([(key, -score) for key, score in scores.items()])
    return [key for key, *_ in db.execute(_LISTED, {**parameters, "scored": scored})]


def _parameters(scope: Scope) -> dict[str, object]:
    filters = dict(scope.filters)
    sections = filters.pop("section", None)
    return {
        **reader_values(scope.reader),
        "filters": json.dumps(filters),
        "sections": (
            None
            if sections is None
            else json.dumps([[section, fold_heading(section)] for section in sections])
        ),
    }


def _looked(db: sqlite3.Connection, parameters: dict[str, object]) -> tuple[int, float]:
    row = db.execute(
        "SELECT COUNT(*) FROM (SELECT 1 FROM chunk_fts WHERE chunk_fts MATCH :match LIMIT :look)",
        parameters,
    ).fetchone()
    return row[0], float("inf")


def _match(query: Query) -> str:
    return f"{{tok}} : ({' OR '.join(map(_fts_term, query.terms))})"


def _alone(term: Term) -> str:
    return f"{{tok}} : {_fts_term(term)}"


def _fts_term(term: Term) -> str:
    # Tokens hold no quotation mark, so nothing in them can end the string.
    return f'"{" ".join(term.tokens)}"' + (" *" if term.is_prefix else "")
