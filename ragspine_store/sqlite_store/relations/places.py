"""What a reader sees of evidence and of nodes: the one rule of visibility, in SQL.

The fragments are put together, never filled in; all values are bound: `:clearance` is a level,
`:collections` a JSON list or NULL for all.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from ragspine_store.records import Span
from ragspine_store.relation_protocols import StoredEnd, StoredEvidence
from ragspine_store.relations import PROFILE_DOC_ID, ChunkRange, Evidence, Node, NodeType
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.sqlite_store.scope import reader_values
from ragspine_store.storage_rules.relations.nodes import OF_A_DOCUMENT

Row = Sequence[Any]  # the driver gives untyped columns

# After a table `wanted` with numbers of evidence: `seen`, the places in which nothing is hidden,
# each with the numbers of the evidence that stands in it. So a place is looked at once, however
# much evidence shares it. The profile is the place without a document.
SEEN = """
place AS MATERIALIZED (
    SELECT d.no AS doc_no, d.doc_id, d.version, d.collection, d.sensitivity,
        ifnull(v.chunk_first, -1) AS first, ifnull(v.chunk_last, -1) AS last,
        iif(v.chunk_first IS NULL, v.span_start, NULL) AS span_start,
        iif(v.chunk_first IS NULL, v.span_end, NULL) AS span_end,
        json_group_array(v.no) AS evidence
    FROM wanted w
    CROSS JOIN relation_evidence v ON v.no = w.evidence
    LEFT JOIN relation_document r ON r.no = v.doc
    LEFT JOIN document d ON d.doc_id = r.doc_id
    WHERE v.doc = 0 OR (
        label_level(ifnull(d.sensitivity, 'RESTRICTED')) <= :clearance
        AND v.floor <= :clearance
        AND (:collections IS NULL OR d.collection IN (SELECT value FROM json_each(:collections)))
    )
    GROUP BY 1, 6, 7, 8, 9
),
extent AS MATERIALIZED (
    SELECT p.*, COUNT(s.id) AS children,
        MAX(max(s.level, label_level(ifnull(n.sensitivity, 'RESTRICTED')))) AS level,
        json_group_array(DISTINCT n.sensitivity) FILTER (WHERE s.id IS NOT NULL) AS labels,
        ifnull(MIN(s.span_start), p.span_start) AS starts,
        ifnull(MAX(s.span_end), p.span_end) AS ends
    FROM place p
    LEFT JOIN chunk_span s ON s.doc_no = p.doc_no AND s.seq BETWEEN p.first AND p.last
    LEFT JOIN narrative_chunk n
        ON n.doc_id = p.doc_id AND n.version = p.version AND n.seq = s.seq
    GROUP BY p.doc_no, p.first, p.last, p.span_start, p.span_end
),
seen AS MATERIALIZED (
    SELECT x.doc_no, x.doc_id, x.collection, x.sensitivity, x.evidence, x.labels, (
        SELECT json_group_array(DISTINCT q.sensitivity)
        FROM section q INDEXED BY ix_section_label
        WHERE q.doc_no = x.doc_no AND q.sensitivity != ''
          AND q.span_start < x.ends AND q.span_end > x.starts
    ) AS section_labels
    FROM extent x
    WHERE x.children = iif(x.first < 0, 0, x.last - x.first + 1)
      AND ifnull(x.level, 0) <= :clearance
      AND NOT EXISTS (
        SELECT 1 FROM section q INDEXED BY ix_section_label
        WHERE q.doc_no = x.doc_no AND q.sensitivity != ''
          AND q.span_start < x.ends AND q.span_end > x.starts
          AND label_level(q.sensitivity) > :clearance
    )
)
"""

# The evidence that is seen.
FROM_SEEN = """
FROM seen s
CROSS JOIN json_each(s.evidence) i
CROSS JOIN relation_evidence v ON v.no = i.value
"""

# A row `a` of `relation_node` that is a part of the document `d`: the part is seen.
PART_IS_SEEN = """
(a.section IS NULL OR EXISTS (
    SELECT 1 FROM section t WHERE t.doc_no = d.no AND t.no = a.section
      AND (t.sensitivity = '' OR label_level(t.sensitivity) <= :clearance)
      AND NOT EXISTS (
        SELECT 1 FROM section q INDEXED BY ix_section_label
        WHERE q.doc_no = d.no AND q.sensitivity != ''
          AND q.span_start <= t.span_start AND q.span_end > t.span_start
          AND label_level(q.sensitivity) > :clearance
    )
))
AND (a.child IS NULL OR EXISTS (
    SELECT 1 FROM current_chunk t WHERE t.doc_no = d.no AND t.seq = a.child
      AND t.level <= :clearance AND label_level(t.sensitivity) <= :clearance
      AND NOT EXISTS (
        SELECT 1 FROM section q INDEXED BY ix_section_label
        WHERE q.doc_no = d.no AND q.sensitivity != ''
          AND q.span_start < t.span_end AND q.span_end > t.span_start
          AND label_level(q.sensitivity) > :clearance
    )
))
"""

DOCUMENT_IS_SEEN = """
label_level(ifnull(d.sensitivity, 'RESTRICTED')) <= :clearance
AND (:collections IS NULL OR d.collection IN (SELECT value FROM json_each(:collections)))
"""

_ENDS = "".join(
    (
        """
SELECT a.id, a.label, a.doc_id, d.collection, d.sensitivity,
    CASE WHEN a.section IS NOT NULL THEN
        (SELECT t.heading FROM section t WHERE t.doc_no = d.no AND t.no = a.section)
    WHEN a.child IS NOT NULL THEN
        ifnull(nullif((
            SELECT t.heading FROM chunk_span c
            JOIN section t ON t.doc_no = c.doc_no AND t.no = c.section
            WHERE c.doc_no = d.no AND c.seq = a.child
        ), ''), d.title) || ' #c' || a.child
    WHEN a.id = 'document:' || d.doc_id THEN d.title END,
    CASE WHEN a.section IS NOT NULL THEN
        (SELECT json_group_array(DISTINCT q.sensitivity)
         FROM section t JOIN section q INDEXED BY ix_section_label
            ON q.doc_no = d.no AND q.sensitivity != ''
            AND q.span_start <= t.span_start AND (q.span_end > t.span_start OR q.no = t.no)
         WHERE t.doc_no = d.no AND t.no = a.section)
    WHEN a.child IS NOT NULL THEN
        (SELECT json_group_array(DISTINCT label) FROM (
            SELECT t.sensitivity AS label FROM current_chunk t
            WHERE t.doc_no = d.no AND t.seq = a.child
            UNION ALL SELECT q.sensitivity FROM current_chunk t
            JOIN section q INDEXED BY ix_section_label
                ON q.doc_no = d.no AND q.sensitivity != ''
                AND q.span_start < t.span_end AND q.span_end > t.span_start
            WHERE t.doc_no = d.no AND t.seq = a.child))
    END
FROM (
    SELECT j.value AS id, a.label, r.doc_id, a.section, a.child
    FROM json_each(:ids) j
    CROSS JOIN relation_node a ON a.id = j.value
    LEFT JOIN relation_document r ON r.no = a.doc
    UNION SELECT j.value, '', substr(j.value, length('document:') + 1), NULL, NULL
    FROM json_each(:ids) j WHERE substr(j.value, 1, length('document:')) = 'document:'
) a
LEFT JOIN document d ON d.doc_id = a.doc_id
WHERE a.doc_id IS NULL OR (
""",
        DOCUMENT_IS_SEEN,
        " AND ",
        PART_IS_SEEN,
        ")",
    )
)

# The columns that `stored_evidence` reads, of `seen s` and its evidence `v`.
EVIDENCE_COLUMNS = """
s.doc_id, s.collection, s.sensitivity, s.labels, s.section_labels,
v.chunk_first, v.chunk_last, v.span_start, v.span_end, v.locator, v.quote, v.source_name,
v.target_name, v.count, v.weight, v.model, v.prompt, v.is_stale, v.floor
"""


def stored_evidence(row: Row) -> StoredEvidence:
    """A piece of evidence from its columns."""
    doc_id, collection, label, labels, section_labels, *rest = row
    first, last, start, end, *described, is_stale, floor = rest
    evidence = Evidence(
        PROFILE_DOC_ID if doc_id is None else doc_id,
        described[0],
        None if first is None else ChunkRange(first, last),
        None if start is None else Span(start, end),
        *described[1:],
    )
    if doc_id is None:
        return StoredEvidence(evidence, "", (), bool(is_stale))
    found = [label, *_parsed(labels), *_parsed(section_labels)]
    if floor:
        found.append(Sensitivity(floor).name)
    return StoredEvidence(evidence, collection, tuple(dict.fromkeys(found)), bool(is_stale))


def read_ends(db: sqlite3.Connection, reader: Reader, ids: Iterable[str]) -> dict[str, StoredEnd]:
    """The nodes of these ids that the reader sees."""
    ids = list(dict.fromkeys(ids))
    rows = db.execute(_ENDS, {**reader_values(reader), "ids": json.dumps(ids)})
    stored = {row[0]: row[1:] for row in rows}
    found: dict[str, StoredEnd] = {}
    for node_id in ids:
        type_, _, key = node_id.partition(":")
        of_type = NodeType(type_)
        row = stored.get(node_id)
        if row is not None and row[1] is not None:
            label, _, collection, document_label, heading, labels = row
            found[node_id] = StoredEnd(
                Node(of_type, key, heading or label),
                collection,
                tuple(dict.fromkeys([document_label, *_parsed(labels)])),
            )
        elif of_type not in OF_A_DOCUMENT:
            found[node_id] = StoredEnd(Node(of_type, key, row[0] if row else ""))
    return found


def _parsed(labels: str | None) -> list[str]:
    return json.loads(labels) if labels else []
