"""Searching children and walking up to their windows, for one reader."""

from ragspine_graph.retrieval.auto_merge import auto_merge
from ragspine_graph.retrieval.blocks import ContextBlock
from ragspine_graph.retrieval.context import ContextSettings, Shape
from ragspine_graph.retrieval.narrative_index import Expand, NarrativeIndex
from ragspine_graph.retrieval.parents import (
    ClearedParents,
    cleared_parents,
    retrieve_parent_contexts,
)
from ragspine_graph.retrieval.seams import Compressor, Passage, Reranker
from ragspine_graph.retrieval.snippet import Locator, Scores, Snippet

__all__ = [
    "ClearedParents",
    "Compressor",
    "ContextBlock",
    "ContextSettings",
    "Expand",
    "Locator",
    "NarrativeIndex",
    "Passage",
    "Reranker",
    "Scores",
    "Shape",
    "Snippet",
    "auto_merge",
    "cleared_parents",
    "retrieve_parent_contexts",
]
