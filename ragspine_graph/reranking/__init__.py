"""Judges that order the best hits anew; they are shown nothing that has not passed the exit."""

from ragspine_graph.reranking.factory import ServiceReranker, make_reranker

__all__ = ["ServiceReranker", "make_reranker"]
