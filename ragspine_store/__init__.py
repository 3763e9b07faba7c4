"""What is kept: documents, their children, and the index over them."""

from ragspine_store.chunking import (
    ChildChunk,
    Chunker,
    ParentChildChunker,
    ParentChunk,
    SentenceWindowChunker,
    chunk_document,
    make_chunker,
)
from ragspine_store.ingest import ingest_narrative
from ragspine_store.records import DocumentMeta, StoredChunk
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.sqlite_store import ChunkStore

__all__ = [
    "ChildChunk",
    "ChunkStore",
    "Chunker",
    "DocumentMeta",
    "ParentChildChunker",
    "ParentChunk",
    "Reader",
    "Sensitivity",
    "SentenceWindowChunker",
    "StoredChunk",
    "chunk_document",
    "ingest_narrative",
    "make_chunker",
]
