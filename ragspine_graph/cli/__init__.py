"""The command line: `ragspine-graph`."""

from ragspine_graph.cli.app import app, main

__all__ = ["app", "main"]
