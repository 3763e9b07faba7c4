"""Vectors of documents: each text is embedded once, whatever holds it and whenever it comes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from ragspine_graph.embedding.protocol import Embedder, pack
from ragspine_graph.embedding.texts import PartText, part_texts, stored_model
from ragspine_graph.errors import ProviderError
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.protocols import Store
from ragspine_store.retrying import retried
from ragspine_store.sealed import Cleared, unseal
from ragspine_store.vectors import PartVector

# Texts given to an embedder at once: as many as servers take, and few enough to see progress.
BATCH_SIZE = 32


class EmbeddingProgress(NamedTuple):
    """How far the embedding of one document is: texts done, of how many, and by which model."""

    done: int
    total: int
    model: str


class DocumentEmbedder:
    """Makes the vectors of documents with one or more embedders.

    Args:
        store: where vectors of texts may be known.
        embedders: in order.
    """

    def __init__(self, store: Store, embedders: Sequence[Embedder]) -> None:
        self._store = store
        self._embedders = embedders
        self._final_faults: dict[str, ProviderError] = {}
        self.embedded = 0
        """How many texts were given to embedders so far."""

    def embed(
        self,
        source: Cleared[RelationSource],
        progress: Callable[[EmbeddingProgress], None] = lambda _: None,
    ) -> list[PartVector]:
        """The vectors of a document, all of them.

        Args:
            source: the document, which passed the exit: nothing of it is RESTRICTED.
            progress: called after each batch of texts.

        Raises:
            ProviderError: an embedder gave none.
        """
        document = unseal(source)
        return [
            vector
            for embedder in self._embedders
            for vector in self._embed_with(
                embedder, part_texts(document, with_headings=embedder.reads_headings), progress
            )
        ]

    def _embed_with(
        self,
        embedder: Embedder,
        texts: Sequence[PartText],
        progress: Callable[[EmbeddingProgress], None],
    ) -> list[PartVector]:
        model = stored_model(embedder)
        by_hash = {text.text_hash: text.text for text in texts}
        values = dict(self._find_known(model, by_hash))
        unknown = [text_hash for text_hash in by_hash if text_hash not in values]
        for start in range(0, len(unknown), BATCH_SIZE):
            batch = unknown[start : start + BATCH_SIZE]
            packed = self._ask(embedder, [by_hash[text_hash] for text_hash in batch])
            values.update(zip(batch, packed, strict=True))
            progress(EmbeddingProgress(start + len(batch), len(unknown), model))
        return [
            PartVector(model, text.kind, text.seq, text.text_hash, values[text.text_hash])
            for text in texts
        ]

    def _ask(self, embedder: Embedder, texts: Sequence[str]) -> list[bytes]:
        if fault := self._final_faults.get(embedder.model):
            raise fault
        try:
            packed = [pack(vector) for vector in embedder.embed_passages(texts)]
        except ValueError as error:
            raise ProviderError(
                f"embedder {embedder.name!r}: {error}", is_about_text=True
            ) from None
        except ProviderError as error:
            if error.is_final:
                self._final_faults[embedder.model] = error
            raise
        self.embedded += len(packed)
        return packed

    @retried
    def _find_known(self, model: str, hashes: Collection[bytes]) -> Mapping[bytes, bytes]:
        with self._store.writing() as transaction:
            return transaction.find_vectors(model, hashes)
