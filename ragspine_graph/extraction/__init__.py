"""Extractors: rule-made and model-made relations of one document."""

from ragspine_graph.extraction.protocol import Extraction, RelationExtractor

__all__ = ["Extraction", "RelationExtractor"]
