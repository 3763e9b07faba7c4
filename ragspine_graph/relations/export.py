"""The relation graph in the forms of other tools: networkx, node-link data, GraphML."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable

import networkx as nx

from ragspine_graph.egress import Json, literal_block
from ragspine_graph.relations.edges import ShownEdge

# Two code points that are no characters, and that XML cannot hold.
_NO_XML = {0xFFFE: r"\ufffe", 0xFFFF: r"\uffff"}


def to_networkx(edges: Iterable[ShownEdge]) -> nx.MultiDiGraph[str]:
    """Edges as networkx knows them.

    Nodes are keyed by id and carry `type` and `label`; edges are keyed by (kind, provenance) and
    carry what `ShownEdge.to_dict` gives.
    """
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for edge in edges:
        _add_ends(graph, edge, str)
        key = (edge.key.kind, edge.key.provenance.value)
        graph.add_edge(edge.source.id, edge.target.id, key=key, **_attributes(edge))
    return graph


def node_link(edges: Iterable[ShownEdge]) -> Json:
    """Edges as node-link data, which `networkx.node_link_graph(data, edges="edges")` reads.

    Edges are keyed by their id, since a key in JSON is no pair.
    """
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for edge in edges:
        _add_ends(graph, edge, str)
        graph.add_edge(edge.source.id, edge.target.id, key=edge.id, **_attributes(edge))
    return nx.node_link_data(graph, edges="edges")


def graphml(edges: Iterable[ShownEdge]) -> str:
    """Edges as GraphML, keyed by their id; evidence is JSON in one attribute: there are no lists.

    XML has no way to write most control characters; each is shown as the escape that names it.
    """
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for edge in edges:
        _add_ends(graph, edge, _text)
        values = {
            name: value if isinstance(value, (bool, int, float)) else _text(_flat(value))
            for name, value in _attributes(edge).items()
            if value is not None
        }
        graph.add_edge(_text(edge.source.id), _text(edge.target.id), key=edge.id, **values)
    written = io.BytesIO()
    nx.write_graphml_xml(graph, written)
    return written.getvalue().decode()


def _add_ends(graph: nx.MultiDiGraph[str], edge: ShownEdge, written: Callable[[str], str]) -> None:
    for node in (edge.source, edge.target):
        graph.add_node(written(node.id), type=node.type, label=written(node.label))


def _attributes(edge: ShownEdge) -> Json:
    """What an edge carries besides its ends."""
    return {k: v for k, v in edge.to_dict().items() if k not in ("source", "target")}


def _flat(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _text(text: str) -> str:
    return literal_block(text).translate(_NO_XML)
