"""Rows of nodes, edges and evidence, and how they are written."""

from __future__ import annotations

import enum
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ragspine_store.document_id import split_node_id
from ragspine_store.errors import RelationError
from ragspine_store.relations import (
    ChunkRange,
    EdgeKey,
    Evidence,
    Node,
    NodeType,
    Provenance,
    Relation,
)
from ragspine_store.sqlite_store.relations.targets import add_document
from ragspine_store.storage_rules.texts import can_be_stored

PROFILE = 0
"""The number that stands for the profile in the place of a document's."""

OF_A_DOCUMENT = frozenset({NodeType.DOCUMENT, NodeType.SECTION, NodeType.CHILD, NodeType.TERM})
"""Types of nodes that are a document or part of one: hidden where it is."""

# A keyed hash.
Name = Callable[[str], str]


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
        [(*edge_row(key), hash_of(key, name)) for key in keys],
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


def hash_of(key: EdgeKey, name: Name) -> str:
    """What the verdict log calls an edge; '' for one that nobody gives a verdict on."""
    if key.provenance is not Provenance.MODEL:
        return ""
    return name("\0".join((key.kind, key.source, key.target)))


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
            rows.append((node.id, "", *_part(db, node, doc_id)))
        elif node.label:
            rows.append((node.id, node.label, None, None, None))
    if rows:
        db.executemany(_INSERT_NODE, rows)


def _part(
    db: sqlite3.Connection, node: Node, doc_id: str
) -> tuple[int | None, int | None, int | None]:
    """The document's number, the section's and the child's that a node is."""
    if node.type is NodeType.TERM:
        # A name may hold an @ as well as an id may; terms are the evidence's document's.
        own = node.key.endswith(f"@{doc_id}")
        return add_document(db, doc_id if own else node.key.partition("@")[2]), None, None
    owner, fragment = split_node_id(node.key)
    if node.type is NodeType.DOCUMENT:
        return add_document(db, node.key), None, None
    letter = "s" if node.type is NodeType.SECTION else "c"
    if not (fragment.startswith(letter) and fragment[1:].isdecimal()):
        raise RelationError(
            f"a {node.type.value} with id {node.key!r}; expected an id such as 'a.md#{letter}3'"
        )
    number = int(fragment[1:])
    return (
        add_document(db, owner),
        number if node.type is NodeType.SECTION else None,
        number if node.type is NodeType.CHILD else None,
    )


def check_storable(relation: Relation, provenances: frozenset[Provenance], writer: str) -> None:
    """Refuse what a writer must not write.

    Raises:
        RelationError: the provenance is not the writer's, or a name is not valid Unicode.
    """
    if relation.provenance not in provenances:
        raise RelationError(
            f"a relation of provenance {relation.provenance.value} given to {writer}; expected "
            f"{' or '.join(sorted(p.value for p in provenances))}"
        )
    texts = (*relation.key[:3], relation.evidence.locator, relation.evidence.quote)
    if not all(map(can_be_stored, texts)):
        raise RelationError(
            f"a relation given to {writer} holds an unpaired surrogate; expected valid Unicode"
        )
