"""Rows of nodes and of places, as they are sent to the server."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any, NamedTuple

from ragspine_store.graph_scheme import relationship_type
from ragspine_store.relations import (
    EDGE_META_DERIVED,
    EDGE_META_VERIFIED,
    PROVENANCE_MODEL_DERIVED,
    PROVENANCE_UNVERIFIED,
    ChunkRange,
    Evidence,
    Node,
    NodeType,
    Provenance,
    Relation,
)
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.storage_rules.relations.checks import edge_hash
from ragspine_store.storage_rules.relations.nodes import OF_A_DOCUMENT, place_of_node
from ragspine_store.storage_rules.stub_key import Name
from ragspine_store.storage_rules.texts import fold_heading


class Origin(enum.Enum):
    """Who gave a piece of evidence, and gives it anew in place of what stands."""

    PROFILE = "profile"
    RULES = "rules"
    MODEL = "model"


class PlacedRelation(NamedTuple):
    """A relation with the children that its evidence stands in, and how strict those are."""

    relation: Relation
    chunks: ChunkRange | None
    level: Sensitivity


Properties = dict[str, Any]  # what the driver takes and gives


class PlaceRow(NamedTuple):
    """One place that states an edge: a relationship of a type between two nodes."""

    source: str
    target: str
    type: str
    properties: Properties

    @property
    def edge_hash(self) -> str:
        """What the verdict log calls the edge of a model; '' for another."""
        return self.properties.get("edge_hash", "")


class EndRow(NamedTuple):
    """A node at the end of an edge that may have to be made.

    Attributes:
        id: of the node.
        label: which kind of node it becomes.
        properties: of a new one.
        shown: of any.
    """

    id: str
    label: str
    properties: Properties
    shown: Properties


def evidence_properties(
    evidence: Evidence, chunks: ChunkRange | None, origin: Origin, seq: int | None
) -> Properties:
    """What is kept of a piece of evidence."""
    first, last = chunks or (None, None)
    start, end = evidence.span or (None, None)
    return {
        "doc_id": evidence.doc_id,
        "origin": origin.value,
        "seq": seq,
        "chunk_first": first,
        "chunk_last": last,
        "span_start": start,
        "span_end": end,
        "locator": evidence.locator,
        "quote": evidence.quote,
        "source_name": evidence.source_name,
        "target_name": evidence.target_name,
        "count": evidence.count,
        "weight": evidence.weight,
        "model": evidence.model,
        "prompt": evidence.prompt,
    }


def place_row(
    placed: PlacedRelation, origin: Origin, seq: int | None, collection: str | None, name: Name
) -> PlaceRow:
    """The relationship for one place that states an edge, and between which nodes it is."""
    relation = placed.relation
    key = relation.key
    properties: Properties = {
        **evidence_properties(relation.evidence, placed.chunks, origin, seq),
        "edge_id": key.edge_id,
        "kind": key.kind,
        "provenance": key.provenance.value,
        "stale": False,
        "clearance": int(placed.level),
        "collection": collection,
    }
    if key.provenance is Provenance.MODEL:
        properties |= {
            EDGE_META_DERIVED: PROVENANCE_MODEL_DERIVED,
            EDGE_META_VERIFIED: PROVENANCE_UNVERIFIED,
            "edge_hash": edge_hash(key, name),
            "is_judged": False,
        }
    return PlaceRow(key.source, key.target, relationship_type(key), properties)


def end_rows(nodes: Iterable[tuple[Node, str]]) -> list[EndRow]:
    """The nodes at the ends of edges that may have to be made, by id, each once.

    Sections and children stand in the store, or nobody can see them.

    Args:
        nodes: each with the document that its evidence stands in.

    Raises:
        RelationError: the key of a section or child names none.
    """
    rows: dict[str, EndRow] = {}
    for node, doc_id in nodes:
        row = _end_row(node, doc_id)
        if row is not None and (node.label or node.id not in rows):
            rows[node.id] = row
    return [rows[node_id] for node_id in sorted(rows)]


def _end_row(node: Node, doc_id: str) -> EndRow | None:
    if node.type in OF_A_DOCUMENT:
        owner = place_of_node(node, doc_id).doc_id
        if node.type is NodeType.DOCUMENT:
            return EndRow(node.id, "MissingDocument", {"doc_id": owner}, {})
        if node.type is not NodeType.TERM:
            return None
        # Whoever sees its document sees it; that is noted next.
        properties: Properties = {
            "entity_type": node.type.value,
            "name": node.key.removesuffix(owner).removesuffix("@"),
            "doc_id": owner,
            "clearance": int(Sensitivity.RESTRICTED),
        }
        return EndRow(node.id, "Term", properties, {})
    properties = {
        "entity_type": node.type.value,
        "name": node.key,
        "clearance": int(Sensitivity.PUBLIC),
    }
    shown: Properties = {}
    if node.label:
        shown = {"shown": node.label, "name": node.label, "folded": fold_heading(node.label)}
    return EndRow(node.id, "Entity", properties, shown)
