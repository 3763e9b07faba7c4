"""Cutting a document into the children that are searched."""

from ragspine_store.chunking.factory import make_chunker
from ragspine_store.chunking.narrative import chunk_document
from ragspine_store.chunking.paragraphs import ParagraphIndex
from ragspine_store.chunking.parent_child import ParentChildChunker, cut_parents
from ragspine_store.chunking.protocol import Chunker
from ragspine_store.chunking.schemas import ChildChunk, ParentChunk
from ragspine_store.chunking.sentence_window import SentenceWindowChunker

__all__ = [
    "ChildChunk",
    "Chunker",
    "ParagraphIndex",
    "ParentChildChunker",
    "ParentChunk",
    "SentenceWindowChunker",
    "chunk_document",
    "cut_parents",
    "make_chunker",
]
