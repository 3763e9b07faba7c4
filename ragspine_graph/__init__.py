"""What is retrieved, screened and served from a `ragspine_store`."""

from ragspine_graph.building import build_relation_graph
from ragspine_graph.config import ServiceConfig
from ragspine_graph.jobs import NarrativeJob, run_job
from ragspine_graph.knowledge_base import KnowledgeBase
from ragspine_graph.retrieval import NarrativeIndex, cleared_parents, retrieve_parent_contexts
from ragspine_store.sensitivity import Reader, Sensitivity

__all__ = [
    "KnowledgeBase",
    "NarrativeIndex",
    "NarrativeJob",
    "Reader",
    "Sensitivity",
    "ServiceConfig",
    "build_relation_graph",
    "cleared_parents",
    "retrieve_parent_contexts",
    "run_job",
]
