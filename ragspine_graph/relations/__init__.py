"""Reading the relation graph for one reader, what the reads give, and its forms elsewhere."""

from ragspine_graph.relations.reads import Relations

__all__ = ["Relations"]
