"""Branches of the trees that hits are merged in."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from ragspine_store.protocols import Branch, BranchKey, Candidate
from ragspine_store.records import Paragraphs, Span, format_locator
from ragspine_store.sensitivity import Sensitivity

_BRANCHES = """
WITH RECURSIVE above (doc_no, doc_id, longest_child, no) AS (
    SELECT d.no, d.doc_id, d.longest_child, j.value ->> 1
    FROM json_each(:hung) j JOIN document d ON d.doc_id = j.value ->> 0
    UNION
    SELECT a.doc_no, a.doc_id, a.longest_child, t.parent
    FROM above a JOIN tree_node t ON t.doc_no = a.doc_no AND t.no = a.no
    WHERE t.parent IS NOT NULL
)
SELECT a.doc_id, t.no, t.parent, t.name, t.span_start, t.span_end, t.para_start, t.para_end,
    t.children,
    EXISTS (
        SELECT 1 FROM chunk_span s INDEXED BY ix_chunk_span_level
        WHERE s.doc_no = t.doc_no AND s.level IN (SELECT value FROM json_each(:hidden))
          AND s.span_end > t.span_start AND s.span_start < t.span_end
          AND s.span_start > t.span_start - a.longest_child
    ) OR EXISTS (
        SELECT 1 FROM section q INDEXED BY ix_section_label
        WHERE q.doc_no = t.doc_no AND q.sensitivity != ''
          AND q.span_start < t.span_end AND q.span_end > t.span_start
          AND label_level(q.sensitivity) IN (SELECT value FROM json_each(:hidden))
    )
FROM above a JOIN tree_node t ON t.doc_no = a.doc_no AND t.no = a.no
"""


def read_branches(
    db: sqlite3.Connection, candidates: Sequence[Candidate], clearance: Sensitivity
) -> dict[BranchKey, Branch]:
    """All branches above the candidates, in one statement whatever the depth."""
    hung = sorted({(c.chunk.doc_id, c.node) for c in candidates if c.node is not None})
    hidden = [int(level) for level in Sensitivity if level > clearance]
    rows = db.execute(_BRANCHES, {"hung": json.dumps(hung), "hidden": json.dumps(hidden)})
    return {
        BranchKey(doc_id, no): Branch(
            key=BranchKey(doc_id, no),
            parent=parent,
            name=name,
            span=Span(start, end),
            locator=format_locator(doc_id, Paragraphs(first, last)),
            children=children,
            hides=bool(hides),
        )
        for doc_id, no, parent, name, start, end, first, last, children, hides in rows
    }
