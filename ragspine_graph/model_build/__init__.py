"""Builds a language model's relations over a store."""

from ragspine_graph.model_build.build import build_model_relations
from ragspine_graph.model_build.report import ModelBuildReport, ModelProgress

__all__ = ["ModelBuildReport", "ModelProgress", "build_model_relations"]
