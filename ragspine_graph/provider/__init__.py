"""The seam to a language model: a request in, an answer out, within a budget."""

from ragspine_graph.provider.factory import find_gap, make_provider
from ragspine_graph.provider.protocol import ModelRequest, Provider, Usage
from ragspine_graph.provider.recorded import RecordedProvider

__all__ = ["ModelRequest", "Provider", "RecordedProvider", "Usage", "find_gap", "make_provider"]
