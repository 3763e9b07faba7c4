"""Ranking: the only place where a score is made.

BM25 over the index, best first; equal scores order by document id, then position, before the cut
at k. A score is positive, higher is better.
"""

from __future__ import annotations

import json
import sqlite3

from ragspine_store.protocols import Scope
from ragspine_store.query import Query, Term
from ragspine_store.records import Hit
from ragspine_store.storage_rules.looking import Look, best_hits
from ragspine_store.storage_rules.texts import fold_heading

# The inner query ranks on scores alone, which the engine does fast; only the rows it gives are
# joined to their labels and filters.
_RANKED = """
WITH ranked AS MATERIALIZED (
    SELECT rowid AS id, rank AS score FROM chunk_fts WHERE chunk_fts MATCH :match
    ORDER BY rank LIMIT :look
), wanted_section AS MATERIALIZED (
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


def ranked_hits(db: sqlite3.Connection, query: Query, scope: Scope, k: int) -> list[Hit]:
    """The k best children inside the scope; withheld ones take no slot."""
    filters = dict(scope.filters)
    sections = filters.pop("section", None)
    reader = scope.reader
    parameters: dict[str, object] = {
        "match": " OR ".join(_fts_term(term) for term in query.terms),
        "clearance": int(reader.clearance),
        "collections": (
            None if reader.collections is None else json.dumps(sorted(reader.collections))
        ),
        "filters": json.dumps(filters),
        "sections": (
            None
            if sections is None
            else json.dumps([[section, fold_heading(section)] for section in sections])
        ),
    }

    def look_at(number: int) -> Look:
        parameters["look"] = number
        rows = db.execute(_RANKED, parameters).fetchall()
        hits = [Hit(key, -score) for key, score, _, _ in rows]
        looked, worst = (rows[0][2], rows[0][3]) if rows else _looked(db, parameters)
        return Look(hits, looked, -worst)

    return best_hits(look_at, scope, k)


def _looked(db: sqlite3.Connection, parameters: dict[str, object]) -> tuple[int, float]:
    row = db.execute(
        "SELECT COUNT(*) FROM (SELECT 1 FROM chunk_fts WHERE chunk_fts MATCH :match LIMIT :look)",
        parameters,
    ).fetchone()
    return row[0], float("inf")


def _fts_term(term: Term) -> str:
    # Tokens hold no quotation mark, so nothing in them can end the string.
    return f'"{" ".join(term.tokens)}"' + (" *" if term.is_prefix else "")
