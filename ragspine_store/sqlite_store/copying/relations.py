"""What the file keeps of the relation graph, as values."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from ragspine_store.kept import (
    KeptAddress,
    KeptAnswer,
    KeptOrigin,
    KeptProfile,
    KeptReference,
    KeptRejection,
    KeptRelation,
    KeptRelations,
    bag,
)
from ragspine_store.records import Span
from ragspine_store.relations import (
    PROFILE_DOC_ID,
    Answer,
    AnswerKey,
    ChunkRange,
    EdgeKey,
    Evidence,
    Node,
    NodeType,
    Provenance,
    Rejection,
)
from ragspine_store.sqlite_store.meta import BUILT_RULES, find_meta, set_meta
from ragspine_store.sqlite_store.relations.rows import (
    PROFILE,
    Origin,
    add_nodes,
    edge_row,
    evidence_row,
)
from ragspine_store.sqlite_store.relations.targets import add_document, find_document
from ragspine_store.storage_rules.relations.checks import edge_hash
from ragspine_store.storage_rules.stub_key import Name

_ORIGINS = dict(zip(Origin, KeptOrigin, strict=True))
_NUMBERS = {origin: number for number, origin in _ORIGINS.items()}

# A node `{node}` is there: it is no section or child of a document, or that stands.
_IS_THERE = """
NOT EXISTS (
    SELECT 1 FROM relation_node n LEFT JOIN relation_document o ON o.no = n.doc
    LEFT JOIN document x ON x.doc_id = o.doc_id
    WHERE n.id = {node} AND (
        (n.section IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM section s WHERE s.doc_no = x.no AND s.no = n.section))
        OR (n.child IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM chunk_span s WHERE s.doc_no = x.no AND s.seq = n.child)))
)
"""
_ENDS_ARE_THERE = _IS_THERE.format(node="e.source") + " AND " + _IS_THERE.format(node="e.target")

_EVIDENCE = """
v.locator, v.quote, v.source_name, v.target_name, v.count, v.weight, v.model, v.prompt,
v.chunk_first, v.chunk_last, v.span_start, v.span_end, v.origin, v.seq
"""
# The last verdict on an edge knew of the evidence up to its number.
_RELATIONS = "".join(
    (
        "SELECT ifnull(r.doc_id, ''), ",
        _EVIDENCE,
        """,
            e.source, e.kind, e.target, e.provenance, v.is_stale, v.floor, ifnull(v.no <= (
            SELECT l.evidence FROM verdict_log l
            WHERE e.edge_hash != '' AND l.edge = e.edge_hash ORDER BY l.no DESC LIMIT 1
        ), 0)
        FROM relation_evidence v JOIN relation_edge e ON e.no = v.edge
        LEFT JOIN relation_document r ON r.no = v.doc
        WHERE
        """,
        _ENDS_ARE_THERE,
    )
)
_OF_PROFILE = _RELATIONS + " AND v.origin = :profile"
_OF_DOCUMENT = _RELATIONS + " AND v.doc = :doc AND v.origin != :profile"
_REFERENCES = "".join(
    (
        "SELECT ",
        _EVIDENCE,
        """, f.source, f.title, f.address
        FROM relation_evidence v JOIN relation_reference f ON f.evidence = v.no
        WHERE v.doc = ? AND
        """,
        _IS_THERE.format(node="f.source"),
    )
)
_REJECTIONS = "".join(
    (
        "SELECT ",
        _EVIDENCE,
        """, j.rule, j.reason, j.source, j.kind, j.target, j.quote
        FROM relation_evidence v JOIN relation_rejection j ON j.evidence = v.no WHERE v.doc = ?
        """,
    )
)
_ANSWERS = """
SELECT model, prompt, chunk, seq, answer, input_tokens, output_tokens FROM model_answer
WHERE doc = ?
"""
_LABELS = "".join(
    (
        """
        SELECT m.id, m.label FROM relation_node m WHERE m.label != '' AND EXISTS (
            SELECT 1 FROM relation_edge e WHERE e.no IN (
                SELECT no FROM relation_edge WHERE source = m.id
                UNION ALL SELECT no FROM relation_edge WHERE target = m.id)
            AND
        """,
        _ENDS_ARE_THERE,
        ")",
    )
)


def read_relations(db: sqlite3.Connection, doc_id: str) -> KeptRelations:
    """What the graph keeps of a document."""
    row = db.execute(
        "SELECT no, rules FROM relation_document WHERE doc_id = ?", (doc_id,)
    ).fetchone()
    if row is None:
        return KeptRelations(doc_id)
    doc, rules = row
    of_doc = (doc,)
    titles = db.execute("SELECT title FROM relation_title WHERE doc = ?", of_doc)
    addresses = db.execute(
        "SELECT address, position, node FROM relation_address WHERE doc = ?", of_doc
    )
    return KeptRelations(
        doc_id,
        rules,
        bag(map(_relation, db.execute(_OF_DOCUMENT, {"doc": doc, "profile": Origin.PROFILE}))),
        bag(title for (title,) in titles),
        bag(KeptAddress(*row) for row in addresses),
        bag(
            KeptReference(*row[14:], evidence=_evidence(doc_id, row))
            for row in db.execute(_REFERENCES, of_doc)
        ),
        bag(
            KeptRejection(
                _ORIGINS[Origin(row[12])],
                row[13],
                Rejection(*row[14:], evidence=_evidence(doc_id, row)),
            )
            for row in db.execute(_REJECTIONS, of_doc)
        ),
        bag(
            KeptAnswer(AnswerKey(model, prompt, chunk), seq, Answer(*answer))
            for model, prompt, chunk, seq, *answer in db.execute(_ANSWERS, of_doc)
        ),
    )


def read_profile(db: sqlite3.Connection) -> KeptProfile:
    """What the graph keeps that is no document's own."""
    return KeptProfile(
        find_meta(db, BUILT_RULES) or "",
        bag(map(_relation, db.execute(_OF_PROFILE, {"profile": Origin.PROFILE}))),
        bag((node, label) for node, label in db.execute(_LABELS)),
    )


def _relation(row: Sequence[Any]) -> KeptRelation:
    doc_id, *row = row
    source, kind, target, provenance, is_stale, floor, is_judged = row[14:]
    return KeptRelation(
        EdgeKey(source, kind, target, Provenance(provenance)),
        _ORIGINS[Origin(row[12])],
        _evidence(doc_id or PROFILE_DOC_ID, row),
        row[13],
        bool(is_stale),
        floor,
        bool(is_judged),
    )


def _evidence(doc_id: str, row: Sequence[Any]) -> Evidence:
    locator, quote, source_name, target_name, count, weight, model, prompt = row[:8]
    first, last, start, end = row[8:12]
    return Evidence(
        doc_id,
        locator,
        None if first is None else ChunkRange(first, last),
        None if start is None else Span(start, end),
        quote,
        source_name,
        target_name,
        count,
        weight,
        model,
        prompt,
    )


def write_relations(db: sqlite3.Connection, kept: KeptRelations, name: Name) -> None:
    """Write what the graph keeps of a document, of which it keeps nothing."""
    if kept == KeptRelations(kept.doc_id):
        return
    doc = add_document(db, kept.doc_id)
    db.execute("UPDATE relation_document SET rules = ? WHERE no = ?", (kept.rules, doc))
    _add_relations(db, kept.relations, name)
    db.executemany(
        "INSERT INTO relation_title (title, doc) VALUES (?, ?)",
        [(title, doc) for title in kept.titles],
    )
    db.executemany(
        "INSERT INTO relation_address (doc, address, position, node) VALUES (?, ?, ?, ?)",
        [(doc, one.address, one.position, one.node) for one in kept.addresses],
    )
    for one in kept.references:
        no = _add_evidence(db, None, KeptRelation(_NO_EDGE, KeptOrigin.RULES, one.evidence))
        db.execute(
            "INSERT INTO relation_reference (evidence, doc, source, title, address)"
            " VALUES (?, ?, ?, ?, ?)",
            (no, doc, one.source, one.title, one.address),
        )
    for one in kept.rejections:
        rejection = one.rejection
        no = _add_evidence(
            db, None, KeptRelation(_NO_EDGE, one.origin, rejection.evidence, one.seq)
        )
        db.execute(
            "INSERT INTO relation_rejection (evidence, rule, reason, source, kind, target, quote)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(no, rejection.rule, rejection.reason, rejection.source, rejection.kind),
                *(rejection.target, rejection.quote),
            ),
        )
    db.executemany(
        "INSERT OR REPLACE INTO model_answer (model, prompt, chunk, doc, seq, answer, input_tokens,"
        " output_tokens) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (*a.key, doc, a.seq, a.answer.text, a.answer.input_tokens, a.answer.output_tokens)
            for a in kept.answers
        ],
    )
    named = [one.node for one in kept.addresses] + [one.source for one in kept.references]
    add_nodes(db, [(_node(node), kept.doc_id) for node in dict.fromkeys(named)])


def write_profile(db: sqlite3.Connection, kept: KeptProfile, name: Name) -> None:
    """Write what the graph keeps that is no document's own; it keeps none."""
    _add_relations(db, kept.relations, name)
    add_nodes(db, [(_node(node, label), "") for node, label in kept.labels])
    if kept.rules:
        set_meta(db, BUILT_RULES, kept.rules)


def clear_profile(db: sqlite3.Connection) -> None:
    """Remove what the graph keeps that is no document's own."""
    db.execute("DELETE FROM relation_evidence WHERE origin = ?", (Origin.PROFILE,))
    db.execute("DELETE FROM relation_node WHERE label != ''")


def clear_relations(db: sqlite3.Connection, doc_id: str) -> None:
    """Remove what the graph keeps of a document."""
    doc = find_document(db, doc_id)
    if doc is None:
        return
    db.execute("DELETE FROM relation_evidence WHERE doc = ? AND origin != ?", (doc, Origin.PROFILE))
    db.execute("DELETE FROM relation_title WHERE doc = ?", (doc,))
    db.execute("DELETE FROM relation_address WHERE doc = ?", (doc,))
    db.execute("DELETE FROM model_answer WHERE doc = ?", (doc,))
    db.execute("UPDATE relation_document SET rules = '' WHERE no = ?", (doc,))


def _add_relations(db: sqlite3.Connection, relations: Sequence[KeptRelation], name: Name) -> None:
    edges = dict.fromkeys(one.key for one in relations)
    db.executemany(
        "INSERT OR IGNORE INTO relation_edge (kind, source, target, provenance, edge_id,"
        " edge_hash) VALUES (?, ?, ?, ?, ?, ?)",
        [(*edge_row(key), edge_hash(key, name)) for key in edges],
    )
    numbers: dict[EdgeKey, int] = {}
    for key in edges:
        (numbers[key],) = db.execute(
            "SELECT no FROM relation_edge"
            " WHERE kind = ? AND source = ? AND target = ? AND provenance = ?",
            edge_row(key)[:4],
        ).fetchone()
    for one in relations:
        _add_evidence(db, numbers[one.key], one)
    ends = {
        (end, one.evidence.doc_id) for one in relations for end in (one.key.source, one.key.target)
    }
    add_nodes(db, [(_node(end), doc_id) for end, doc_id in sorted(ends)])


def _add_evidence(db: sqlite3.Connection, edge: int | None, one: KeptRelation) -> int:
    """Add a piece of evidence; its number, which is below 1 when the last verdict knew of it."""
    evidence = one.evidence
    is_profile = evidence.doc_id == PROFILE_DOC_ID and one.origin is KeptOrigin.PROFILE
    doc = PROFILE if is_profile else add_document(db, evidence.doc_id)
    row = evidence_row(evidence, doc, _NUMBERS[one.origin], one.seq, evidence.chunks)
    cursor = db.execute(_INSERT_EVIDENCE, (one.is_judged, edge, one.is_stale, one.floor, *row))
    assert cursor.lastrowid is not None
    return cursor.lastrowid


_INSERT_EVIDENCE = """
INSERT INTO relation_evidence (no, edge, is_stale, floor, doc, origin, seq, chunk_first,
    chunk_last, span_start, span_end, locator, quote, source_name, target_name, count, weight,
    model, prompt)
VALUES (iif(?, (SELECT min(ifnull(MIN(no), 1), 1) - 1 FROM relation_evidence), NULL),
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_NO_EDGE = EdgeKey("", "", "", Provenance.RULE)


def _node(node_id: str, label: str = "") -> Node:
    type_, _, key = node_id.partition(":")
    return Node(NodeType(type_), key, label)
