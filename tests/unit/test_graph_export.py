"""The graph as networkx, node-link data, GraphML and CSV; names in it never act."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.egress import literal_block, render_csv, render_json
from ragspine_graph.relations.edges import (
    EDGE_COLUMNS,
    ShownEdge,
    ShownEvidence,
    ShownNodeRef,
    edge_rows,
)
from ragspine_graph.relations.export import graphml, node_link, to_networkx
from ragspine_store.records import Span
from ragspine_store.relations import EdgeKey, Provenance, Verdict

HOSTILE = [
    "=1+1",
    "@SUM(A1)",
    "\x1b[31mred",
    "a\x00b",
    "a\u202eb",
    "[red]x[/]",
    "<script>alert(1)</script>",
    "x`) DETACH DELETE n//",
    "a\ufffeb\uffff",
    'quote " and , comma\nand line',
    "]]>&amp;",
]
texts = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("=+-@\x1b\u202e\ufffe<&\"'"),
    min_size=1,
    max_size=8,
)


def edge(
    source: str,
    target: str,
    *,
    kind: str = "owns",
    quote: str = "",
    provenance: Provenance = Provenance.MODEL,
    places: int = 1,
) -> ShownEdge:
    is_model = provenance is Provenance.MODEL
    return ShownEdge(
        key=EdgeKey(f"unlisted:{source}", kind, f"unlisted:{target}", provenance),
        source=ShownNodeRef(f"unlisted:{source}", "unlisted", source),
        target=ShownNodeRef(f"unlisted:{target}", "unlisted", target),
        evidence=tuple(
            ShownEvidence("a.md", f"a.md#para{n}", quote, Span(n, n + 1), 1, False, "m", "p")
            for n in range(places)
        ),
        weight=0.5,
        verdict=Verdict.UNVERIFIED if is_model else None,
    )


def read_node_link(written: str) -> nx.MultiDiGraph[str]:
    read: Callable[..., Any] = getattr(nx, "node_link_graph")  # noqa: B009 its types are partial
    return read(json.loads(written), edges="edges")


def nodes_of(graph: nx.MultiDiGraph[str]) -> dict[str, object]:
    return {node: graph.nodes[node] for node in graph}


def read_graphml(edges: Sequence[ShownEdge]) -> nx.MultiDiGraph[str]:
    graph = nx.parse_graphml(graphml(edges), force_multigraph=True)
    assert isinstance(graph, nx.MultiDiGraph)
    return graph


def test_networkx_gets_nodes_by_id_and_edges_by_kind_and_provenance() -> None:
    edges = [edge("a", "b"), edge("a", "b", provenance=Provenance.RULE)]
    graph = to_networkx(edges)
    assert nodes_of(graph) == {
        "unlisted:a": {"type": "unlisted", "label": "a"},
        "unlisted:b": {"type": "unlisted", "label": "b"},
    }
    assert set(graph.edges(keys=True)) == {
        ("unlisted:a", "unlisted:b", ("owns", "model")),
        ("unlisted:a", "unlisted:b", ("owns", "rule")),
    }
    data = graph.edges["unlisted:a", "unlisted:b", ("owns", "model")]
    assert (data["derived"], data["verified"]) == ("model-derived", "unverified")
    assert [piece["locator"] for piece in data["evidence"]] == ["a.md#para0"]
    rule = graph.edges["unlisted:a", "unlisted:b", ("owns", "rule")]
    assert (rule["derived"], rule["verified"], "stale" in rule) == (None, None, False)


def test_node_link_data_survives_json_and_is_read_back() -> None:
    edges = [edge("a", "b", places=2), edge("b", "a", provenance=Provenance.RULE)]
    read = read_node_link(render_json(node_link(edges)))
    assert nodes_of(read) == nodes_of(to_networkx(edges))
    assert sorted(key for _, _, key in read.edges(keys=True)) == sorted(e.id for e in edges)
    (found,) = (d for _, _, d in read.edges(data=True) if d["provenance"] == "model")
    assert found["evidence"] == [piece.to_dict() for piece in edges[0].evidence]


def test_graphml_is_read_back_with_its_evidence() -> None:
    edges = [edge("a", "b", places=2, quote="a owns b"), edge("b", "c", provenance=Provenance.RULE)]
    graph = read_graphml(edges)
    assert set(graph) == {"unlisted:a", "unlisted:b", "unlisted:c"}
    data = graph.edges["unlisted:a", "unlisted:b", edges[0].id]
    assert (data["kind"], data["weight"], data["stale"]) == ("owns", 0.5, False)
    assert json.loads(data["evidence"]) == [piece.to_dict() for piece in edges[0].evidence]
    assert "derived" not in graph.edges["unlisted:b", "unlisted:c", edges[1].id]


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_no_name_acts_in_graphml(name: str) -> None:
    written = graphml([edge(name, "b", kind=name, quote=name)])
    assert not any(sign in written for sign in ("\x1b", "\x00", "\u202e", "\ufffe", "<script>"))
    (node,) = set(read_graphml([edge(name, "b")])) - {"unlisted:b"}
    assert node.replace(r"\ufffe", "\ufffe").replace(r"\uffff", "\uffff") == literal_block(
        f"unlisted:{name}"
    )


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_no_name_acts_in_csv(name: str) -> None:
    written = render_csv(EDGE_COLUMNS, edge_rows([edge(name, "b", kind=name, quote=name)]))
    assert not any(sign in written for sign in ("\x1b", "\x00", "\u202e"))
    (row,) = csv.DictReader(io.StringIO(written, newline=""))
    for column in ("kind", "source_label", "quote"):
        cell = row[column]
        assert not cell.lstrip().startswith(("=", "+", "-", "@"))
        assert cell.removeprefix("'") == literal_block(name)


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_no_name_acts_in_json(name: str) -> None:
    written = render_json(node_link([edge(name, "b", kind=name)]))
    assert not any(sign in written for sign in ("\x1b", "\x00", "\u202e"))
    assert json.loads(written)["edges"][0]["kind"] == name


@given(st.lists(st.tuples(texts, texts, texts), max_size=6))
def test_whatever_names_hold_every_form_can_be_read_back(
    named: list[tuple[str, str, str]],
) -> None:
    edges = [edge(source, target, kind=kind) for source, kind, target in dict.fromkeys(named)]
    ids = sorted(e.id for e in edges)
    assert sorted(key for _, _, key in read_graphml(edges).edges(keys=True)) == ids
    read = read_node_link(render_json(node_link(edges)))
    assert set(read) == {end.id for e in edges for end in (e.source, e.target)}
    rows = list(csv.DictReader(io.StringIO(render_csv(EDGE_COLUMNS, edge_rows(edges)), newline="")))
    assert sorted(row["id"] for row in rows) == ids


def test_csv_has_a_line_for_each_place() -> None:
    rows = list(edge_rows([edge("a", "b", places=3)]))
    column = EDGE_COLUMNS.index("locator")
    assert [row[column] for row in rows] == ["a.md#para0", "a.md#para1", "a.md#para2"]


def test_an_empty_graph_can_be_written_and_read(tmp_path: Path) -> None:
    file = tmp_path / "graph.graphml"
    file.write_text(graphml([]), encoding="utf-8")
    assert len(nx.read_graphml(file)) == 0
    assert len(read_node_link(render_json(node_link([])))) == 0
    assert render_csv(EDGE_COLUMNS, edge_rows([])).count("\r\n") == 1
