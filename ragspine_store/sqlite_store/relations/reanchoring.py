"""Finds what a model found again when its document's text has changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field

from ragspine_store.records import PreparedDocument
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.sqlite_store.relations.cascade import clear_rules, forget_nodes
from ragspine_store.sqlite_store.relations.rows import Origin
from ragspine_store.sqlite_store.relations.targets import find_document
from ragspine_store.storage_rules.relations.quotes import FoundPiece, anchor, answered_children

# With the strictest label of what each rests on; RESTRICTED when a child is missing.
_MODEL_EVIDENCE = """
SELECT v.no, v.edge, v.model, v.prompt, v.quote, ifnull(v.chunk_first, 0), max(
    v.floor,
    label_level(d.sensitivity),
    iif(v.chunk_first IS NULL, 0, (
        SELECT iif(COUNT(*) = v.chunk_last - v.chunk_first + 1,
            MAX(max(c.level, label_level(c.sensitivity), ifnull((
                SELECT MAX(label_level(q.sensitivity))
                FROM section q INDEXED BY ix_section_label
                WHERE q.doc_no = d.no AND q.sensitivity != ''
                  AND q.span_start < c.span_end AND q.span_end > c.span_start
            ), 0))), :restricted)
        FROM current_chunk c
        WHERE c.doc_no = d.no AND c.seq BETWEEN v.chunk_first AND v.chunk_last
    ))
)
FROM relation_evidence v
JOIN relation_document r ON r.no = v.doc JOIN document d ON d.doc_id = r.doc_id
WHERE v.doc = :doc AND v.origin = :origin AND v.edge IS NOT NULL
ORDER BY v.no
"""

_ANSWERED = """
SELECT a.rowid, c.text FROM model_answer a
JOIN relation_document r ON r.no = a.doc JOIN document d ON d.doc_id = r.doc_id
JOIN current_chunk c ON c.doc_no = d.no AND c.seq = a.seq WHERE a.doc = ?
"""


@dataclass(frozen=True, slots=True)
class Detached:
    """What models found in a document, between its old text and its new one.

    Attributes:
        doc: the document's number in the graph.
        evidence: in the order it came.
        answered: keys of cached answers, each with the text of its child.
    """

    doc: int
    evidence: Sequence[FoundPiece]
    answered: Sequence[tuple[int, str]] = field(repr=False)


def detach_relations(db: sqlite3.Connection, doc_id: str) -> Detached | None:
    """Take away what rests on a document's text, before it is replaced; None without any."""
    doc = find_document(db, doc_id)
    if doc is None:
        return None
    wanted = {"doc": doc, "origin": Origin.MODEL, "restricted": Sensitivity.RESTRICTED}
    detached = Detached(
        doc,
        [FoundPiece(*row) for row in db.execute(_MODEL_EVIDENCE, wanted).fetchall()],
        db.execute(_ANSWERED, (doc,)).fetchall(),
    )
    clear_rules(db, doc)
    # Rejections rest on the text too; the answer that a model gave about it brings them back.
    db.execute("DELETE FROM relation_evidence WHERE doc = ? AND edge IS NULL", (doc,))
    parts = db.execute(
        "SELECT id FROM relation_node WHERE doc = ? AND (section IS NOT NULL OR child IS NOT NULL)",
        (doc,),
    ).fetchall()
    forget_nodes(db, [node for (node,) in parts])
    return detached


def attach_relations(
    db: sqlite3.Connection, detached: Detached | None, document: PreparedDocument
) -> None:
    """Find what models found again in the new text of its document."""
    if detached is None:
        return
    _attach_answers(db, detached, document)
    anchored = anchor(detached.evidence, document)
    db.executemany("DELETE FROM relation_evidence WHERE no = ?", [(no,) for no in anchored.gone])
    db.executemany(
        "UPDATE relation_evidence SET is_stale = 1, floor = ?, seq = NULL, chunk_first = NULL,"
        " chunk_last = NULL, span_start = NULL, span_end = NULL WHERE no = ?",
        [(floor, no) for no, floor in anchored.stale.items()],
    )
    db.executemany(
        "UPDATE relation_evidence SET is_stale = 0, floor = 0, seq = ?, chunk_first = ?,"
        " chunk_last = ?, span_start = ?, span_end = ?, locator = ? WHERE no = ?",
        [
            (chunks.first, *chunks, *span, locator, no)
            for no, (chunks, span, locator) in anchored.moved.items()
        ],
    )


def _attach_answers(db: sqlite3.Connection, detached: Detached, document: PreparedDocument) -> None:
    kept = answered_children(detached.answered, document)
    db.executemany(
        "UPDATE model_answer SET seq = ? WHERE rowid = ?", [(seq, key) for key, seq in kept.items()]
    )
    answers = db.execute("SELECT rowid FROM model_answer WHERE doc = ?", (detached.doc,)).fetchall()
    db.executemany(
        "DELETE FROM model_answer WHERE rowid = ?", [key for key in answers if key[0] not in kept]
    )
