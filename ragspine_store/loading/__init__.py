"""Loaders: the bytes of one file become canonical text with its outline."""

from ragspine_store.loading.clauses import enclosing_class, enclosing_clause
from ragspine_store.loading.markdown import outline_of
from ragspine_store.loading.protocol import Loader
from ragspine_store.loading.registry import (
    ENTRY_POINT_GROUP,
    known_suffixes,
    load_document,
    load_text,
    loader_for,
)

__all__ = [
    "ENTRY_POINT_GROUP",
    "Loader",
    "enclosing_class",
    "enclosing_clause",
    "known_suffixes",
    "load_document",
    "load_text",
    "loader_for",
    "outline_of",
]
