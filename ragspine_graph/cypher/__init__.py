"""Cypher for readers: named queries, ad-hoc ones, and the graph in memory that answers them."""

from ragspine_graph.cypher.named import list_queries, parse_parameters, show_query
from ragspine_graph.cypher.picture import draw, render_dot, render_html
from ragspine_graph.cypher.projections import Projections
from ragspine_graph.cypher.results import CypherResult, ShownQuery
from ragspine_graph.cypher.runner import Cypher

__all__ = [
    "Cypher",
    "CypherResult",
    "Projections",
    "ShownQuery",
    "draw",
    "list_queries",
    "parse_parameters",
    "render_dot",
    "render_html",
    "show_query",
]
