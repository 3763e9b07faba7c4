"""The document that relations are written for, as it is in the store now."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from ragspine_store.records import Span
from ragspine_store.relations import ChunkRange
from ragspine_store.sensitivity import Sensitivity, stored_label
from ragspine_store.storage_rules.relations.targets import ALL_CHILDREN, TargetParts

_CHILDREN = """
SELECT c.seq, c.span_start, c.span_end,
    c.level < :restricted AND label_level(c.sensitivity) < :restricted
    AND NOT EXISTS (
        SELECT 1 FROM section q INDEXED BY ix_section_label
        WHERE q.doc_no = c.doc_no AND q.sensitivity != ''
          AND q.span_start < c.span_end AND q.span_end > c.span_start
          AND label_level(q.sensitivity) >= :restricted
    )
FROM current_chunk c WHERE c.doc_no = (SELECT no FROM document WHERE doc_id = :doc_id)
    AND c.seq BETWEEN :first AND :last
ORDER BY c.seq
"""

_CLOSED = """
SELECT q.span_start, q.span_end FROM section q INDEXED BY ix_section_label
WHERE q.doc_no = (SELECT no FROM document WHERE doc_id = :doc_id) AND q.sensitivity != ''
  AND label_level(q.sensitivity) >= :restricted
"""


@dataclass(frozen=True, slots=True)
class Target(TargetParts):
    """A document that is not RESTRICTED, and which of its parts, as far as read, are not.

    Attributes:
        doc: its number in the graph.
        doc_id: its id.
    """

    doc: int
    doc_id: str


def find_target(
    db: sqlite3.Connection, doc_id: str, version: int, within: ChunkRange = ALL_CHILDREN
) -> Target | None:
    """The document, unless it is gone, RESTRICTED or of another version.

    Args:
        db: inside a write transaction.
        doc_id: its id.
        version: the one that was read.
        within: the children that are asked about.
    """
    row = db.execute(
        "SELECT no, version, sensitivity FROM document WHERE doc_id = ?", (doc_id,)
    ).fetchone()
    if row is None or row[1] != version or stored_label(row[2]) is Sensitivity.RESTRICTED:
        return None
    return read_target(db, add_document(db, doc_id), doc_id, within)


def read_target(
    db: sqlite3.Connection, doc: int, doc_id: str, within: ChunkRange = ALL_CHILDREN
) -> Target:
    """The document of this number in the graph, with its parts."""
    first, last = within
    wanted = {
        "doc_id": doc_id,
        "restricted": Sensitivity.RESTRICTED,
        "first": first,
        "last": last,
    }
    children = db.execute(_CHILDREN, wanted).fetchall()
    return Target(
        doc=doc,
        doc_id=doc_id,
        children=[(seq, start, end) for seq, start, end, _ in children],
        open_children=[seq for seq, _, _, is_open in children if is_open],
        closed=[Span(start, end) for start, end in db.execute(_CLOSED, wanted)],
    )


def find_document(db: sqlite3.Connection, doc_id: str) -> int | None:
    """The number of a document in the graph; None when nothing names it."""
    row = db.execute("SELECT no FROM relation_document WHERE doc_id = ?", (doc_id,)).fetchone()
    return row[0] if row else None


def add_document(db: sqlite3.Connection, doc_id: str) -> int:
    """The number of a document in the graph, a new one when nothing has named it so far."""
    found = find_document(db, doc_id)
    if found is not None:
        return found
    cursor = db.execute("INSERT INTO relation_document (doc_id) VALUES (?)", (doc_id,))
    assert cursor.lastrowid is not None
    return cursor.lastrowid
