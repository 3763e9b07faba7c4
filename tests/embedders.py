"""Embedders for tests: of words, without a model, alike in every process; some of them fail."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from ragspine_graph.embedding.protocol import EmbeddingUsage, Vector
from ragspine_graph.errors import ProviderError

DIMENSIONS = 48


class HashingEmbedder:
    """Each pair of characters moves a vector in a direction of its own.

    Args:
        name: its own and its model's.

    Attributes:
        passages, questions: all that it was given, in order.
        fault: raised instead of an answer, when there is one.
        fails_on: passages that hold it are answered by a fault.
    """

    def __init__(self, name: str = "hashing", dimensions: int = DIMENSIONS) -> None:
        self._name = name
        self._dimensions = dimensions
        self.passages: list[str] = []
        self.questions: list[str] = []
        self.fault: ProviderError | None = None
        self.fails_on = ""
        self.is_closed = False

    @property
    def name(self) -> str:
        return self._name

    @property
    def model(self) -> str:
        return f"{self._name}-1"

    @property
    def reads_headings(self) -> bool:
        return False

    @property
    def usage(self) -> EmbeddingUsage:
        return EmbeddingUsage()

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        if self.fault:
            raise self.fault
        if self.fails_on and any(self.fails_on in text for text in texts):
            raise ProviderError("the server was asked in vain", is_about_text=True)
        self.passages += texts
        return [self._embed(text) for text in texts]

    def embed_question(self, text: str) -> Vector:
        if self.fault:
            raise self.fault
        self.questions.append(text)
        return self._embed(text)

    def close(self) -> None:
        self.is_closed = True

    def _embed(self, text: str) -> list[float]:
        vector = [1e-3] * self._dimensions
        for pair in zip(text, text[1:] + " ", strict=True):
            digest = hashlib.sha256("".join(pair).encode()).digest()
            vector[digest[0] % self._dimensions] += 1 if digest[1] % 2 else -1
        return vector
