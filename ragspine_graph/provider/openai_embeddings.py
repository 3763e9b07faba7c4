"""Vectors from any server that speaks OpenAI's `/v1/embeddings`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress

from pydantic import BaseModel, FiniteFloat, NonNegativeInt, ValidationError

from ragspine_graph.provider.attempt import AttemptError
from ragspine_graph.provider.endpoint import Endpoint
from ragspine_graph.provider.limits import Limits
from ragspine_graph.provider.openai_client import OpenAIClient

_TOO_LONG = (
    "if its log says that a text is too long, let the server cut texts or give it more room, or "
    "choose a chunker with shorter windows"
)
_ADVICE = {
    0: "check the address of the embedding server, the server, and the time it is given",
    401: "check the key of the embedding server",
    403: "check what the key allows",
    404: "check the address of the embedding server, and RAGSPINE_EMBEDDING_MODEL",
    400: _TOO_LONG,
    413: _TOO_LONG,
    422: _TOO_LONG,
    429: "wait",
}


class _Embedding(BaseModel):
    index: NonNegativeInt
    embedding: list[FiniteFloat]


class _Usage(BaseModel):
    total_tokens: NonNegativeInt = 0


class _Embeddings(BaseModel):
    data: list[_Embedding]
    usage: object = None


class OpenAIEmbeddings:
    """A model of vectors behind an OpenAI-compatible server.

    Args:
        model: its name there.
        endpoint: address and key.
        limits: time, attempts and requests at once; budgets do not count.

    Attributes:
        calls: requests sent so far.
        tokens: that the server reported so far.
    """

    def __init__(self, model: str, endpoint: Endpoint, limits: Limits) -> None:
        self._model = model
        self._client = OpenAIClient(model, endpoint, limits, _ADVICE)
        self._dimensions: int | None = None
        self.calls = 0
        self.tokens = 0

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of texts, in their order, as the server gives them; one request.

        Raises:
            ProviderError: what happened and what to do; no key and no text.
        """
        return self._client.retrying(lambda end: self._attempt(texts, end))

    def close(self) -> None:
        """Release its connections."""
        self._client.close()

    def _attempt(self, texts: Sequence[str], end: float) -> list[list[float]]:
        left_s = self._client.left_s(end)
        self.calls += 1
        body = self._client.ask(
            lambda client, timeout_s: client.embeddings.with_streaming_response.create(
                model=self._model,
                input=list(texts),
                # The client would ask for base64, which not every server knows.
                encoding_format="float",
                timeout=timeout_s,
            ),
            left_s,
        )
        return self._parse(body, len(texts))

    def _parse(self, body: bytes, expected: int) -> list[list[float]]:
        try:
            answer = _Embeddings.model_validate_json(body)
        except ValidationError:
            raise AttemptError("an answer that holds no embeddings", is_passing=True) from None
        by_index = {item.index: item.embedding for item in answer.data}
        if sorted(by_index) != list(range(expected)) or len(answer.data) != expected:
            raise AttemptError(
                f"{len(answer.data)} embeddings for {expected} texts", is_passing=True
            )
        vectors = [by_index[index] for index in range(expected)]
        for vector in vectors:
            self._check(vector)
        with suppress(ValidationError):  # a server need not count
            self.tokens += _Usage.model_validate(answer.usage).total_tokens
        return vectors

    def _check(self, vector: Sequence[float]) -> None:
        """See that a vector has a direction, and is as long as the first one was."""
        if not math.hypot(*vector):
            raise AttemptError(
                "an embedding without a direction",
                advice="see whether the model is one that embeds",
            )
        if self._dimensions is None:
            self._dimensions = len(vector)
        if len(vector) != self._dimensions:
            raise AttemptError(
                f"an embedding of {len(vector)} numbers after one of {self._dimensions}",
                advice="see whether the server's model was changed",
            )
