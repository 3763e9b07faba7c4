"""Cross-references: what a document's text refers to, and how the document can be referred to."""

from ragspine_graph.extraction.references.asking import find_address
from ragspine_graph.extraction.references.finding import DocumentReferences, find_references

__all__ = ["DocumentReferences", "find_address", "find_references"]
