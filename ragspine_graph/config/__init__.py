"""The settings of the service, and how they name a store and an extractor."""

from ragspine_graph.config.settings import ServiceConfig

__all__ = ["ServiceConfig"]
