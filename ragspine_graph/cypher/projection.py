"""The graph that one reader sees, as rows for an engine: documents, relations, references.

Everything in it has passed an exit; what the reader may not see is not in it at all, so no query
can find, count or step over it. Names of labels, types and properties are the scheme's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ragspine_graph.security.exits import clear_edge, clear_reference, clear_tree
from ragspine_store.graph_scheme import (
    ENTITY,
    HAS_REFERENCE,
    NODE_LABELS,
    REFERENCE,
    TREE,
    Properties,
    entity_properties,
    label_of,
    least_clearance,
    place_properties,
    relationship_type,
)
from ragspine_store.protocols import Candidate, DocumentView, SectionView, StoreReader
from ragspine_store.relation_protocols import EdgeFilter, StoredEdge, StoredReference
from ragspine_store.relations import Node, NodeType
from ragspine_store.sealed import Cleared, unseal
from ragspine_store.sensitivity import Reader, stored_label

DOCUMENT = NODE_LABELS[NodeType.DOCUMENT]
SECTION = NODE_LABELS[NodeType.SECTION]
CHILD = NODE_LABELS[NodeType.CHILD]


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node: its label beside `Ragspine`, and its properties, `id` among them."""

    label: str
    properties: Properties = field(repr=False)


@dataclass(frozen=True, slots=True)
class RelationshipRow:
    """A relationship between two nodes that come before it, each by its label and id."""

    type: str
    source_label: str
    source: str
    target_label: str
    target: str
    properties: Properties = field(default_factory=Properties, repr=False)


def project(transaction: StoreReader, reader: Reader) -> Iterator[NodeRow | RelationshipRow]:
    """The graph as this reader sees it: nodes come before their relationships."""
    for state in transaction.relation_states():
        view = transaction.find_document(state.doc_id)
        cleared = clear_tree(view, reader) if view else None
        if view and cleared:
            # When a document was written is its own, whichever of its children may be seen.
            written_at = max((child.chunk.ingested_at for child in view.chunks), default="")
            yield from _document_rows(cleared, written_at)
    entities: set[str] = set()
    for stored in transaction.edges(EdgeFilter(reader)):
        if edge := clear_edge(stored, reader):
            yield from _edge_rows(edge, entities)
    for no, reference in enumerate(transaction.dangling(reader)):
        if cleared_reference := clear_reference(reference, reader):
            yield from _reference_rows(cleared_reference, no)


def _document_rows(
    cleared: Cleared[DocumentView], written_at: str
) -> Iterator[NodeRow | RelationshipRow]:
    view = unseal(cleared)
    document = Node(NodeType.DOCUMENT, view.doc_id).id
    common: Properties = {"doc_id": view.doc_id, "collection": view.collection}
    yield NodeRow(
        DOCUMENT,
        {
            "id": document,
            **common,
            **_label_properties([view.sensitivity]),
            "title": view.title,
            "version": view.version,
            "ingested_at": written_at,
        },
    )
    sections = {section.no: section for section in view.sections}
    for section in view.sections:
        if section.parent is None:
            continue
        node = Node(NodeType.SECTION, f"{view.doc_id}#s{section.no}").id
        yield NodeRow(
            SECTION,
            {
                "id": node,
                **common,
                **_label_properties([view.sensitivity, *_labels_above(section, sections)]),
                "no": section.no,
                "level": section.level,
                "heading": section.heading,
            },
        )
        above = sections[section.parent]
        is_top = above.parent is None
        parent = document if is_top else Node(NodeType.SECTION, f"{view.doc_id}#s{above.no}").id
        yield RelationshipRow(TREE, DOCUMENT if is_top else SECTION, parent, SECTION, node)
    for child in view.chunks:
        yield from _child_rows(child, document, common)


def _child_rows(
    child: Candidate, document: str, common: Properties
) -> Iterator[NodeRow | RelationshipRow]:
    row = child.chunk
    node = Node(NodeType.CHILD, row.chunk_id).id
    labels = [child.document_label, row.sensitivity, *(a.sensitivity for a in child.ancestors)]
    yield NodeRow(
        CHILD,
        {
            "id": node,
            **common,
            **_label_properties([label for label in labels if label]),
            "seq": row.seq,
            "text": row.text,
            "source_locator": row.source_locator,
        },
    )
    if child.ancestors:
        section = Node(NodeType.SECTION, child.ancestors[-1].section_id).id
        yield RelationshipRow(TREE, SECTION, section, CHILD, node)
    else:
        yield RelationshipRow(TREE, DOCUMENT, document, CHILD, node)


def _edge_rows(
    cleared: Cleared[StoredEdge], entities: set[str]
) -> Iterator[NodeRow | RelationshipRow]:
    edge = unseal(cleared)
    for end in (edge.source, edge.target):
        if label_of(end.node) == ENTITY and end.node.id not in entities:
            entities.add(end.node.id)
            yield NodeRow(ENTITY, entity_properties(end))
    for place in edge.evidence:
        yield RelationshipRow(
            relationship_type(edge.key),
            label_of(edge.source.node),
            edge.source.node.id,
            label_of(edge.target.node),
            edge.target.node.id,
            place_properties(edge, place),
        )


def _reference_rows(
    cleared: Cleared[StoredReference], no: int
) -> Iterator[NodeRow | RelationshipRow]:
    stored = unseal(cleared)
    reference, place = stored.reference, stored.evidence
    node = f"reference:{no}"
    yield NodeRow(
        REFERENCE,
        {
            "id": node,
            "doc_id": place.evidence.doc_id,
            "collection": place.collection,
            "clearance": least_clearance(place.labels),
            "title": reference.title,
            "address": reference.address,
            "locator": place.evidence.locator,
            "quote": place.evidence.quote,
        },
    )
    source = reference.source
    yield RelationshipRow(HAS_REFERENCE, label_of(source), source.id, REFERENCE, node)


def _label_properties(labels: list[str]) -> Properties:
    strictest = max(map(stored_label, labels))
    return {"sensitivity": strictest.name, "clearance": int(strictest)}


def _labels_above(section: SectionView, sections: dict[int, SectionView]) -> Iterator[str]:
    """The labels of a section and of all above it that have one of their own."""
    at: SectionView | None = section
    while at is not None:
        if at.sensitivity:
            yield at.sensitivity
        at = None if at.parent is None else sections[at.parent]
