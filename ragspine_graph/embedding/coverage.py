"""Whether a store holds all vectors of the configured models: with some, a rank says little."""

from __future__ import annotations

from collections.abc import Sequence

from ragspine_graph.errors import NotEmbeddedError
from ragspine_store.protocols import StoreReader
from ragspine_store.sensitivity import Reader


class Coverage:
    """Checks a store when it has changed.

    Args:
        models: names that vectors are kept under.
    """

    def __init__(self, models: Sequence[str]) -> None:
        self._models = models
        self._complete_at: int | None = None

    def check_writing(self, transaction: StoreReader) -> None:
        """See that what is ingested now leaves no store half embedded.

        Raises:
            NotEmbeddedError: vectors are missing already, or would be from now on.
        """
        self.check(transaction)
        if not self._models and (counts := transaction.vector_counts()):
            raise NotEmbeddedError(
                f"the store holds vectors of the model {counts[0].model!r}, and RAGSPINE_EMBEDDERS "
                "names no embedder: name the one it was ingested with, or run reindex to drop them"
            )

    def check(self, transaction: StoreReader) -> None:
        """See that every child that is not RESTRICTED has a vector of each model.

        Raises:
            NotEmbeddedError: one has none.
        """
        if not self._models:
            return
        counter = transaction.change_counter()
        if counter == self._complete_at:
            return
        _, children = transaction.visible_counts(Reader())
        embedded = {count.model: count.children for count in transaction.vector_counts()}
        for model in self._models:
            if embedded.get(model, 0) < children:
                raise NotEmbeddedError(
                    f"the store lacks vectors of the model {model!r}, which RAGSPINE_EMBEDDERS "
                    "asks for: run reindex, or name the embedders that it was ingested with"
                )
        self._complete_at = counter
