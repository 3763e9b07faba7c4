"""Relations as networkx knows graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx as nx

from ragspine_store.relations import (
    EDGE_META_DERIVED,
    EDGE_META_VERIFIED,
    PROVENANCE_MODEL_DERIVED,
    PROVENANCE_UNVERIFIED,
    Evidence,
    Node,
    Provenance,
    Relation,
)
from ragspine_store.sealed import Screened, unseal_screened

EdgeData = dict[str, Any]


class RelationDrawing:
    """A graph that relations are added to; those that agree in their key become one edge.

    Nodes, by id, carry `type`, `label`, `source_doc_id` and `source_locator`. Edges, by (kind,
    provenance), carry `kind`, `provenance`, `source_doc_id` and `source_locator` of their first
    evidence, and `count` over all of it; `evidence` lists the pieces where there are several or one
    is quoted; `weight` is the greatest, where one is measured; `derived` and `verified` stand on a
    model's edges alone.

    Attributes:
        graph: what was added so far.
    """

    def __init__(self) -> None:
        self.graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()

    def add_node(self, node: Node, doc_id: str, locator: str, name: str = "") -> None:
        """Add a node with its lineage, in place of what was said of it before.

        Args:
            node: the node.
            doc_id: the document that names it first.
            locator: where it does.
            name: how it is written there, for a node without a label.
        """
        self.graph.add_node(
            node.id,
            type=node.type.value,
            label=node.label or name or node.key,
            source_doc_id=doc_id,
            source_locator=locator,
        )

    def add(self, screened: Screened[Relation], further: Sequence[str] = ()) -> None:
        """Add a relation with its evidence.

        Args:
            screened: the relation.
            further: locators in the document of its evidence, where the same stands once more.
        """
        relation = unseal_screened(screened)
        graph, piece = self.graph, relation.evidence
        source, target = relation.source.id, relation.target.id
        provenance = relation.provenance.value
        key = (relation.kind, provenance)
        known: EdgeData | None = None
        if graph.has_successor(source, target):
            known = graph.get_edge_data(source, target, key)
        if known is not None:
            _add_piece(known, piece)
        else:
            if source not in graph:
                self.add_node(relation.source, piece.doc_id, piece.locator, piece.source_name)
            if target not in graph:
                self.add_node(relation.target, piece.doc_id, piece.locator, piece.target_name)
            graph.add_edge(source, target, key, **_edge(relation, provenance))
        if further:
            data: EdgeData = graph.get_edge_data(source, target, key)
            _all_evidence(data).extend(
                {"doc_id": piece.doc_id, "locator": locator} for locator in further
            )
            data["count"] += len(further)


def _edge(relation: Relation, provenance: str) -> EdgeData:
    piece = relation.evidence
    data: EdgeData = {
        "kind": relation.kind,
        "provenance": provenance,
        "source_doc_id": piece.doc_id,
        "source_locator": piece.locator,
        "count": piece.count,
    }
    if piece.weight:
        data["weight"] = piece.weight
    if piece.quote:
        data["evidence"] = [_shown(piece)]
    if relation.provenance is Provenance.MODEL:
        data[EDGE_META_DERIVED] = PROVENANCE_MODEL_DERIVED
        data[EDGE_META_VERIFIED] = PROVENANCE_UNVERIFIED
    return data


def _add_piece(data: EdgeData, piece: Evidence) -> None:
    _all_evidence(data).append(_shown(piece))
    data["count"] += piece.count
    if piece.weight > data.get("weight", 0):
        data["weight"] = piece.weight


def _all_evidence(data: EdgeData) -> list[dict[str, str]]:
    if "evidence" not in data:
        first = {"doc_id": data["source_doc_id"], "locator": data["source_locator"]}
        data["evidence"] = [first]
    return data["evidence"]


def _shown(piece: Evidence) -> dict[str, str]:
    shown = {"doc_id": piece.doc_id, "locator": piece.locator}
    if piece.quote:
        shown["quote"] = piece.quote
    return shown
