"""Cypher for readers: named queries, ad-hoc ones, and the graph in memory that answers them."""

from ragspine_graph.cypher.results import CypherResult
from ragspine_graph.cypher.runner import Cypher, Projections

__all__ = ["Cypher", "CypherResult", "Projections"]
