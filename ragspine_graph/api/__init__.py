"""The HTTP API: FastAPI under `/v1`, for programs that hold a key."""

from ragspine_graph.api.app import create_app

__all__ = ["create_app"]
