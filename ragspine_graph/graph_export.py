"""The relation graph in the forms of other tools: networkx, node-link data, GraphML."""

from __future__ import annotations

import json
from collections.abc import Iterable

import networkx as nx

from ragspine_graph.egress import literal_block
from ragspine_graph.graph_results import Json, ShownEdge


def to_networkx(edges: Iterable[ShownEdge]) -> nx.MultiDiGraph[str]:
    """Edges as networkx knows them.

    Nodes are keyed by id and carry `type` and `label`; edges are keyed by (kind, provenance) and
    carry what `ShownEdge.to_dict` gives.
    """
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for edge in edges:
        for node in (edge.source, edge.target):
            graph.add_node(node.id, type=node.type, label=node.label)
        key = (edge.key.kind, edge.key.provenance.value)
        graph.add_edge(edge.source.id, edge.target.id, key=key, **attributes(edge))
    return graph


def node_link(edges: Iterable[ShownEdge]) -> Json:
    """Edges as node-link data, which `networkx.node_link_graph(data, edges="edges")` reads."""
    return nx.node_link_data(to_networkx(edges), edges="edges")


def graphml(edges: Iterable[ShownEdge]) -> str:
    """Edges as GraphML; evidence is JSON in one attribute, since GraphML has no lists."""
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for edge in edges:
        for node in (edge.source, edge.target):
            graph.add_node(_text(node.id), type=node.type, label=_text(node.label))
        values = attributes(edge)
        flat = {
            name: value if isinstance(value, (bool, int, float)) else _text(_flat(value))
            for name, value in values.items()
            if value is not None
        }
        graph.add_edge(_text(edge.source.id), _text(edge.target.id), key=edge.id, **flat)
    return "\n".join(nx.generate_graphml(graph)) + "\n"


def attributes(edge: ShownEdge) -> Json:
    """What an edge carries besides its ends."""
    return {k: v for k, v in edge.to_dict().items() if k not in ("source", "target")}


def _flat(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _text(text: str) -> str:
    """XML has no way to write most control characters; each is shown as the escape naming it."""
    return literal_block(text)
