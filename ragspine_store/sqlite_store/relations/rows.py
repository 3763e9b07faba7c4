"""Rows of nodes, edges and evidence, and how they are written."""

from __future__ import annotations

import enum
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ragspine_store.relations import ChunkRange, EdgeKey, Evidence, Node, Relation
from ragspine_store.sqlite_store.relations.targets import add_document
from ragspine_store.storage_rules.relations.checks import edge_hash
from ragspine_store.storage_rules.relations.nodes import OF_A_DOCUMENT, place_of_node
from ragspine_store.storage_rules.stub_key import Name

PROFILE = 0
"""The number that stands for the profile in the place of a document's."""


class Origin(enum.IntEnum):
    """Who gave a piece of evidence, and gives it anew in place of what stands."""

    PROFILE = 0
    RULES = 1
    MODEL = 2


class PlacedRelation(NamedTuple):
    """A relation with its evidence's document and children as numbers."""

    relation: Relation
    doc: int
    chunks: ChunkRange | None


_INSERT_EVIDENCE = """
INSERT INTO relation_evidence (edge, doc, origin, seq, chunk_first, chunk_last, span_start,
    span_end, locator, quote, source_name, target_name, count, weight, model, prompt)
VALUES ((SELECT no FROM relation_edge
         WHERE kind = ? AND source = ? AND target = ? AND provenance = ?),
        ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

_INSERT_NODE = """
INSERT INTO relation_node (id, label, doc, section, child) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET label = excluded.label
WHERE excluded.label != '' AND label != excluded.label
"""


def add_relations(
    db: sqlite3.Connection, relations: Sequence[PlacedRelation], origin: Origin, seq: int | None
) -> None:
    """Add evidence to edges that stand already."""
    db.executemany(
        _INSERT_EVIDENCE,
        [
            (*edge_row(r.key)[:4], *evidence_row(r.evidence, doc, origin, seq, chunks))
            for r, doc, chunks in relations
        ],
    )


def add_edges(db: sqlite3.Connection, relations: Sequence[PlacedRelation], name: Name) -> None:
    """Add the edges of relations, and the nodes at their ends that need a row."""
    keys = dict.fromkeys(r.relation.key for r in relations)
    db.executemany(
        "INSERT OR IGNORE INTO relation_edge (kind, source, target, provenance, edge_id,"
        " edge_hash) VALUES (?, ?, ?, ?, ?, ?)",
        [(*edge_row(key), edge_hash(key, name)) for key in keys],
    )
    nodes = {
        node.id: (node, r.relation.evidence.doc_id)
        for r in relations
        for node in (r.relation.source, r.relation.target)
    }
    add_nodes(db, nodes.values())


def edge_row(key: EdgeKey) -> tuple[str, str, str, str, str]:
    """Kind, source, target, provenance and id, as they are stored."""
    return key.kind, key.source, key.target, key.provenance.value, key.edge_id


def evidence_row(
    evidence: Evidence, doc: int, origin: Origin, seq: int | None, chunks: ChunkRange | None
) -> tuple[object, ...]:
    """The columns of a piece of evidence from `doc` on."""
    return (
        doc,
        origin,
        seq,
        *(chunks or (None, None)),
        *(evidence.span or (None, None)),
        evidence.locator,
        evidence.quote,
        evidence.source_name,
        evidence.target_name,
        evidence.count,
        evidence.weight,
        evidence.model,
        evidence.prompt,
    )


def add_evidence(
    db: sqlite3.Connection,
    evidence: Evidence,
    doc: int,
    origin: Origin,
    seq: int | None,
    chunks: ChunkRange | None,
) -> int:
    """Add what a reference or rejection rests on; its number."""
    cursor = db.execute(
        "INSERT INTO relation_evidence (doc, origin, seq, chunk_first, chunk_last, span_start,"
        " span_end, locator, quote, source_name, target_name, count, weight, model, prompt)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        evidence_row(evidence, doc, origin, seq, chunks),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def add_nodes(db: sqlite3.Connection, nodes: Iterable[tuple[Node, str]]) -> None:
    """Add the nodes that need a row: parts of documents, and those that the profile labels.

    Args:
        db: inside a write transaction.
        nodes: each with the document its evidence stands in.
    """
    rows: list[tuple[str, str, int | None, int | None, int | None]] = []
    for node, doc_id in nodes:
        if node.type in OF_A_DOCUMENT:
            owner, section, child = place_of_node(node, doc_id)
            rows.append((node.id, "", add_document(db, owner), section, child))
        elif node.label:
            rows.append((node.id, node.label, None, None, None))
    if rows:
        db.executemany(_INSERT_NODE, rows)
