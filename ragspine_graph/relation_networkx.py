"""Relations as networkx knows graphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import networkx as nx

from ragspine_store.relations import (
    EDGE_META_DERIVED,
    EDGE_META_VERIFIED,
    PROVENANCE_MODEL_DERIVED,
    PROVENANCE_UNVERIFIED,
    EdgeKey,
    Evidence,
    Node,
    Provenance,
    Relation,
)
from ragspine_store.sealed import Screened, unseal_screened


class PlacedNode(NamedTuple):
    """A node with its lineage: the document and the place that name it first."""

    node: Node
    doc_id: str
    locator: str


def to_networkx(
    relations: Iterable[Screened[Relation]], nodes: Iterable[PlacedNode] = ()
) -> nx.MultiDiGraph[str]:
    """Relations as a graph; those that agree in their key are one edge.

    Nodes, by id, carry `type`, `label`, `source_doc_id` and `source_locator`. Edges, by (kind,
    provenance), carry `kind`, `provenance`, `count` over all their evidence, `source_doc_id` and
    `source_locator` of the first piece, and `evidence` with all pieces where there are several;
    `weight` where one is measured, the greatest; `derived` and `verified` on a model's edge alone.

    Args:
        relations: screened; nodes and edges come in their order.
        nodes: to come first, whether or not an edge leads to them.
    """
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for node, doc_id, locator in nodes:
        _add_node(graph, node.id, node, "", doc_id, locator)
    edges: dict[EdgeKey, list[Evidence]] = {}
    for screened in relations:
        relation = unseal_screened(screened)
        key, piece = relation.key, relation.evidence
        pieces = edges.get(key)
        if pieces is not None:
            pieces.append(piece)
            continue
        edges[key] = [piece]
        for node_id, node, name in (
            (key.source, relation.source, piece.source_name),
            (key.target, relation.target, piece.target_name),
        ):
            if node_id not in graph:
                _add_node(graph, node_id, node, name, piece.doc_id, piece.locator)
    for key, pieces in edges.items():
        keyed = (key.kind, key.provenance.value)
        graph.add_edge(key.source, key.target, keyed, **_edge(key, pieces))
    return graph


def _add_node(
    graph: nx.MultiDiGraph[str], node_id: str, node: Node, name: str, doc_id: str, locator: str
) -> None:
    graph.add_node(
        node_id,
        type=node.type.value,
        label=node.label or name or node.key,
        source_doc_id=doc_id,
        source_locator=locator,
    )


def _edge(key: EdgeKey, pieces: Sequence[Evidence]) -> dict[str, object]:
    first = pieces[0]
    data: dict[str, object] = {
        "kind": key.kind,
        "provenance": key.provenance.value,
        "source_doc_id": first.doc_id,
        "source_locator": first.locator,
        "count": first.count,
    }
    weight = first.weight
    if len(pieces) > 1:
        data["count"] = sum(piece.count for piece in pieces)
        data["evidence"] = [_piece(piece) for piece in pieces]
        weight = max(piece.weight for piece in pieces)
    elif first.quote:
        data["evidence"] = [_piece(first)]
    if weight:
        data["weight"] = weight
    if key.provenance is Provenance.MODEL:
        data[EDGE_META_DERIVED] = PROVENANCE_MODEL_DERIVED
        data[EDGE_META_VERIFIED] = PROVENANCE_UNVERIFIED
    return data


def _piece(piece: Evidence) -> dict[str, object]:
    shown: dict[str, object] = {"doc_id": piece.doc_id, "locator": piece.locator}
    if piece.quote:
        shown["quote"] = piece.quote
    return shown
