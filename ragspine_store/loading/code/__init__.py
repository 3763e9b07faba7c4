"""Source code, as a tree of its classes and functions."""

from ragspine_store.loading.code.loader import CodeLoader

__all__ = ["CodeLoader"]
