"""The seam between an ingest, which knows no embedder, and what embeds its documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragspine_graph.embedding.documents import DocumentEmbedder, EmbeddingProgress
from ragspine_graph.errors import ProviderError
from ragspine_graph.security.exits import clear_prepared
from ragspine_store.errors import EmbeddingError
from ragspine_store.ingest_draft import Embed
from ragspine_store.records import PreparedDocument
from ragspine_store.sensitivity import Reader
from ragspine_store.vectors import PartVector


def embedding_for_ingest(
    embedder: DocumentEmbedder, progress: Callable[[EmbeddingProgress], None]
) -> Embed:
    """What an ingest calls for the vectors of each document.

    Args:
        embedder: makes them.
        progress: called after each batch of texts.
    """

    def embed(document: PreparedDocument) -> Sequence[PartVector]:
        source = clear_prepared(document, Reader())
        if source is None:
            return ()
        try:
            return embedder.embed(source, progress)
        except ProviderError as error:
            raise EmbeddingError(f"not embedded, and so not ingested: {error}") from None

    return embed
