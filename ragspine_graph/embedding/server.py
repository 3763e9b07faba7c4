"""A model behind a server as an embedder: passages with patience, questions without."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from ragspine_graph.embedding.protocol import EmbeddingUsage, Vector
from ragspine_graph.provider.openai_embeddings import OpenAIEmbeddings


class ServerEmbedder:
    """A model behind an OpenAI-compatible server.

    Args:
        model: its name there.
        passages: asks for vectors of passages.
        questions: asks for those of questions; the same server, with less time.
        passage_prefix: what the model wants before each passage.
        question_prefix: what it wants before a question.
    """

    def __init__(
        self,
        model: str,
        passages: OpenAIEmbeddings,
        questions: OpenAIEmbeddings,
        *,
        passage_prefix: str = "",
        question_prefix: str = "",
    ) -> None:
        self._model = model
        self._passages = passages
        self._questions = questions
        self._passage_prefix = passage_prefix
        self._question_prefix = question_prefix

    @property
    def name(self) -> str:
        """What the settings call it."""
        return "openai"

    @property
    def model(self) -> str:
        """The model's name at the server, and a hash of what stands before each passage."""
        prefix = self._passage_prefix
        told = f"+{hashlib.sha256(prefix.encode()).hexdigest()[:8]}" if prefix else ""
        return f"openai:{self._model}{told}"

    @property
    def reads_headings(self) -> bool:
        """Yes: what such servers hold are transformers."""
        return True

    @property
    def usage(self) -> EmbeddingUsage:
        """Requests and tokens so far."""
        both = (self._passages, self._questions)
        return EmbeddingUsage(sum(one.calls for one in both), sum(one.tokens for one in both))

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors of texts that are searched, in their order."""
        return [*self._passages.embed([self._passage_prefix + text for text in texts])]

    def embed_question(self, text: str) -> Vector:
        """The vector of a question."""
        return self._questions.embed([self._question_prefix + text])[0]

    def close(self) -> None:
        """Release its connections."""
        self._passages.close()
        self._questions.close()
