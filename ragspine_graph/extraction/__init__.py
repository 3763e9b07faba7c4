"""Extractors: rule-made and model-made relations of one document."""

from ragspine_graph.extraction.deterministic import DeterministicRelationExtractor
from ragspine_graph.extraction.entities import EntitySource, Mention
from ragspine_graph.extraction.factory import make_relation_extractor
from ragspine_graph.extraction.mentions import MentionExtractor
from ragspine_graph.extraction.protocol import Extraction, RelationExtractor

__all__ = [
    "DeterministicRelationExtractor",
    "EntitySource",
    "Extraction",
    "Mention",
    "MentionExtractor",
    "RelationExtractor",
    "make_relation_extractor",
]
