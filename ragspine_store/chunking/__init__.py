"""Cutting a document into the children that are searched."""

from ragspine_store.chunking.auto import AutoChunker
from ragspine_store.chunking.factory import make_chunker
from ragspine_store.chunking.hierarchical import HierarchicalChunker
from ragspine_store.chunking.narrative import chunk_document
from ragspine_store.chunking.paragraphs import ParagraphIndex
from ragspine_store.chunking.parent_child import ParentChildChunker
from ragspine_store.chunking.protocol import Chunker, TreeChunker
from ragspine_store.chunking.schemas import ChildChunk, ParentChunk
from ragspine_store.chunking.sentence_window import SentenceWindowChunker
from ragspine_store.chunking.windows import cut_parents

__all__ = [
    "AutoChunker",
    "ChildChunk",
    "Chunker",
    "HierarchicalChunker",
    "ParagraphIndex",
    "ParentChildChunker",
    "ParentChunk",
    "SentenceWindowChunker",
    "TreeChunker",
    "chunk_document",
    "cut_parents",
    "make_chunker",
]
