"""The values that travel through the store, from outline to stored chunk.

Every span is a half-open range of code points into the document's canonical text. Text fields
are kept out of `repr`, so that a traceback or a log line never shows them.
"""

from ragspine_store.records.chunks import (
    Chunk,
    NodeKind,
    StoredChunk,
    TreeNode,
)
from ragspine_store.records.documents import (
    META_KEYS,
    Block,
    BlockKind,
    DocumentMeta,
    LoadedDocument,
    Outline,
    Section,
)
from ragspine_store.records.places import (
    OffsetMap,
    Pages,
    Paragraphs,
    Span,
    format_locator,
    pages_of,
)
from ragspine_store.records.stored import (
    DocumentState,
    Hit,
    Origin,
    PartState,
    PreparedDocument,
)

__all__ = [
    "META_KEYS",
    "Block",
    "BlockKind",
    "Chunk",
    "DocumentMeta",
    "DocumentState",
    "Hit",
    "LoadedDocument",
    "NodeKind",
    "OffsetMap",
    "Origin",
    "Outline",
    "Pages",
    "Paragraphs",
    "PartState",
    "PreparedDocument",
    "Section",
    "Span",
    "StoredChunk",
    "TreeNode",
    "format_locator",
    "pages_of",
]
