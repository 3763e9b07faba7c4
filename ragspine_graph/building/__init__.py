"""Building the relation graph: in memory, in a store by rules, and as the settings say."""

from ragspine_graph.building.builder import GraphBuilder, GraphBuildReport, GraphState
from ragspine_graph.building.relation_graph import build_relation_graph
from ragspine_graph.building.rules import BuildProgress, RuleBuildReport

__all__ = [
    "BuildProgress",
    "GraphBuildReport",
    "GraphBuilder",
    "GraphState",
    "RuleBuildReport",
    "build_relation_graph",
]
