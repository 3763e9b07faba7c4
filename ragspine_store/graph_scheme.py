"""The graph's labels, relationship types and properties, as docs/graph-scheme.md describes them.

Whatever writes a graph takes its names from here, so that none comes from a document or a model.
"""

from __future__ import annotations

from collections.abc import Iterable

from ragspine_store.relation_protocols import StoredEdge, StoredEnd, StoredEvidence
from ragspine_store.relations import (
    CO_OCCURS_WITH,
    COMPETES_WITH,
    DERIVES,
    EDGE_META_DERIVED,
    EDGE_META_VERIFIED,
    MENTIONS,
    PARENT_OF,
    PROFILE_DOC_ID,
    PROVENANCE_MODEL_DERIVED,
    REFERS_TO,
    EdgeKey,
    Node,
    NodeType,
    Provenance,
)
from ragspine_store.sensitivity import Sensitivity, stored_label

Properties = dict[str, object]

NODE_LABELS = {
    NodeType.DOCUMENT: "Document",
    NodeType.SECTION: "Section",
    NodeType.CHILD: "Child",
}
ENTITY = "Entity"
REFERENCE = "Reference"
TREE = "PARENT_OF"
HAS_REFERENCE = "HAS_REFERENCE"
MODEL_RELATION = "MODEL_RELATION"
RULE_RELATION = "RULE_RELATION"

_TYPES = {
    PARENT_OF: "ENTITY_PARENT_OF",
    DERIVES: "DERIVES",
    COMPETES_WITH: "COMPETES_WITH",
    MENTIONS: "MENTIONS",
    CO_OCCURS_WITH: "CO_OCCURS_WITH",
    REFERS_TO: "REFERS_TO",
}
RELATIONSHIP_TYPES = (*_TYPES.values(), RULE_RELATION, MODEL_RELATION)
"""The types whose relationships state edges; those of the tree and of references do not."""


def label_of(node: Node) -> str:
    """The label of a node of the relation graph, beside `Ragspine`.

    >>> label_of(Node(NodeType.TERM, "会社@rules.md"))
    'Entity'
    """
    return NODE_LABELS.get(node.type, ENTITY)


def relationship_type(key: EdgeKey) -> str:
    """The type of the relationships that state an edge; a free kind is a property alone.

    >>> relationship_type(EdgeKey("entity:A", "x`) DELETE n//", "entity:B", Provenance.MODEL))
    'MODEL_RELATION'
    """
    if key.provenance is Provenance.MODEL:
        return MODEL_RELATION
    return _TYPES.get(key.kind, RULE_RELATION)


def least_clearance(labels: Iterable[str]) -> int:
    """The least clearance that sees what stands under all of these labels, as stored.

    >>> least_clearance(["INTERNAL", "CONFIDENTIAL"]), least_clearance([])
    (2, 0)
    """
    return int(max(map(stored_label, labels), default=Sensitivity.PUBLIC))


def entity_properties(end: StoredEnd) -> Properties:
    """The properties of an entity's node; those of a term tell its document.

    >>> term = StoredEnd(Node(NodeType.TERM, "会社@rules.md"), "hr", ("INTERNAL",))
    >>> entity_properties(term)["name"]
    '会社'
    """
    node = end.node
    name, _, doc_id = node.key.rpartition("@") if node.type is NodeType.TERM else (node.key, "", "")
    properties: Properties = {
        "id": node.id,
        "entity_type": node.type.value,
        "name": node.label or name,
        "clearance": least_clearance(end.labels),
    }
    if node.type is NodeType.TERM:
        properties |= {"doc_id": doc_id, "collection": end.collection}
    return properties


def place_properties(edge: StoredEdge, place: StoredEvidence) -> Properties:
    """The properties of the relationship for one place that states an edge."""
    piece = place.evidence
    properties: Properties = {
        "edge_id": edge.key.edge_id,
        "kind": edge.key.kind,
        "provenance": edge.key.provenance.value,
        "doc_id": piece.doc_id,
        "locator": piece.locator,
        "quote": piece.quote,
        "source_name": piece.source_name,
        "target_name": piece.target_name,
        "count": piece.count,
        "weight": piece.weight,
        "stale": place.is_stale,
        "model": piece.model,
        "prompt": piece.prompt,
        "clearance": least_clearance(place.labels),
    }
    if piece.doc_id != PROFILE_DOC_ID:
        properties["collection"] = place.collection
    if edge.verdict is not None:
        properties[EDGE_META_DERIVED] = PROVENANCE_MODEL_DERIVED
        properties[EDGE_META_VERIFIED] = edge.verdict.value
    if edge.entry is not None:
        properties |= {
            "reviewer": edge.entry.reviewer,
            "reviewed_at": edge.entry.at,
            "note": edge.entry.note,
        }
    return properties
