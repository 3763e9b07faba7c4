"""Servers with a rerank endpoint; the only importer of `httpx2`, which the OpenAI client uses too.

One client for two forms, the one that a server took last tried first:

- Cohere, Jina, llama.cpp, vLLM and others: `{model, query, documents, top_n}`, answered by
  `{results: [{index, relevance_score}]}`;
- Text Embeddings Inference: `{query, texts}`, answered by `[{index, score}]`, in batches, since it
  takes 32 texts at once by default.

Passing faults (408, 409, 429, 5xx, timeouts, broken connections) are tried again with growing waits
until the deadline; a Retry-After is honoured.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import httpx2
from pydantic import BaseModel, ConfigDict, Field, SecretStr, TypeAdapter, ValidationError

from ragspine_graph.errors import ProviderError
from ragspine_graph.provider.attempt import AttemptError, parse_retry_after
from ragspine_graph.reranking.passage_text import passage_text
from ragspine_graph.retrieval import Passage

_MAX_BODY_BYTES = 8 << 20
_PASSING_STATUS = frozenset({408, 409, 429})
_FORM_STATUS = frozenset({400, 422})
_ADVICE = {
    0: "check RAGSPINE_RERANK_URL, the server, and RAGSPINE_RERANK_TIMEOUT_S",
    401: "check RAGSPINE_RERANK_KEY",
    403: "check what the key allows",
    404: "check RAGSPINE_RERANK_URL and RAGSPINE_RERANK_MODEL",
}
# Text Embeddings Inference refuses more, unless it was started with another bound.
_TEXTS_AT_ONCE = 32

Form = Literal["documents", "texts"]


@dataclass(frozen=True, slots=True)
class RerankLimits:
    """How an endpoint is called; fields as the settings `rerank_…` of `ServiceConfig`.

    Attributes:
        retry_wait_s: seconds before the first retry; they double, with jitter.
    """

    timeout_s: float = 10.0
    deadline_s: float = 20.0
    attempts: int = 2
    retry_wait_s: float = 0.5


class _Scored(BaseModel):
    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    index: Annotated[int, Field(ge=0)]
    score: Annotated[float, Field(allow_inf_nan=False)]


class _Relevant(BaseModel):
    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    index: Annotated[int, Field(ge=0)]
    relevance_score: Annotated[float, Field(allow_inf_nan=False)]


class _Results(BaseModel):
    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    results: list[_Relevant]


_ANSWER: TypeAdapter[_Results | list[_Scored]] = TypeAdapter(_Results | list[_Scored])


class HttpReranker:
    """Asks a server how well each passage fits a question.

    Args:
        url: of the endpoint, whole.
        model: its name there; '' names none.
        key: sent as a bearer token; None sends none.
        limits: time and attempts.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str = "",
        key: SecretStr | None = None,
        limits: RerankLimits | None = None,
    ) -> None:
        self._url = url
        self._model = model
        self._limits = limits or RerankLimits()
        self._form: Form = "documents"
        headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
        # A redirect could carry document text to a server that nobody named.
        self._client = httpx2.Client(headers=headers, follow_redirects=False)
        self._where = f"reranker at {self._client.base_url.join(url).netloc.decode('ascii')}"

    def rerank(self, query: str, passages: Sequence[Passage]) -> Sequence[str]:
        """Chunk ids by falling score, those of equal score in their old order.

        Raises:
            ProviderError: what happened and what to do; no key and no text.
        """
        if len(passages) < 2:
            return [passage.chunk_id for passage in passages]
        end = time.monotonic() + self._limits.deadline_s
        texts = [passage_text(passage) for passage in passages]
        scores = self._scores(query, texts, end)
        best = sorted(scores, key=lambda index: (-scores[index], index))
        return [passages[index].chunk_id for index in best]

    def close(self) -> None:
        """Release its connections."""
        self._client.close()

    def _scores(self, query: str, texts: Sequence[str], end: float) -> dict[int, float]:
        """The score of each text by its place, in the form that the server takes."""
        form = self._form
        try:
            scores = self._ask_all(form, query, texts, end)
        except AttemptError as fault:
            if fault.status not in _FORM_STATUS:
                raise self._error(fault) from None
            form = "texts" if form == "documents" else "documents"
            try:
                scores = self._ask_all(form, query, texts, end)
            except AttemptError:
                # What it said to the form that it took before tells more.
                raise self._error(fault) from None
        self._form = form
        return scores

    def _ask_all(
        self, form: Form, query: str, texts: Sequence[str], end: float
    ) -> dict[int, float]:
        at_once = _TEXTS_AT_ONCE if form == "texts" else len(texts)
        scores: dict[int, float] = {}
        for start in range(0, len(texts), at_once):
            batch = texts[start : start + at_once]
            answered = self._ask(_body(form, self._model, query, batch), end)
            scores |= {start + index: score for index, score in answered if index < len(batch)}
        if not scores:
            raise AttemptError("an answer that scores no passage it was sent")
        return scores

    def _ask(self, body: dict[str, object], end: float) -> list[tuple[int, float]]:
        for attempt in range(1, self._limits.attempts + 1):
            try:
                return _parse(self._send(body, end))
            except AttemptError as fault:
                growing = self._limits.retry_wait_s * 2 ** (attempt - 1) * random.uniform(1, 1.5)
                wait_s = max(fault.retry_after_s, growing)
                is_last = attempt == self._limits.attempts
                if not fault.is_passing or is_last or time.monotonic() + wait_s >= end:
                    raise
                time.sleep(wait_s)
        raise AttemptError("no attempt allowed")

    def _send(self, body: dict[str, object], end: float) -> bytes:
        left_s = min(self._limits.timeout_s, end - time.monotonic())
        if left_s <= 0:
            raise AttemptError("no answer in time")
        until = time.monotonic() + left_s
        try:
            with self._client.stream("POST", self._url, json=body, timeout=left_s) as response:
                if not response.is_success:
                    raise _refusal(response)
                return b"".join(_bounded(response.iter_bytes(), until))
        except httpx2.TimeoutException:
            raise AttemptError("no answer in time", is_passing=True) from None
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise AttemptError(
                f"no connection, or it broke off ({type(error).__name__})", is_passing=True
            ) from None

    def _error(self, fault: AttemptError) -> ProviderError:
        advice = _ADVICE.get(fault.status, "see the log of the server")
        return ProviderError(f"{self._where}: {fault}; {advice}")


def _body(form: Form, model: str, query: str, texts: Sequence[str]) -> dict[str, object]:
    named = {"model": model} if model else {}
    if form == "texts":
        # Too long a text is an error there, where others cut it.
        return {**named, "query": query, "texts": texts, "truncate": True}
    return {**named, "query": query, "documents": texts, "top_n": len(texts)}


def _refusal(response: httpx2.Response) -> AttemptError:
    # Nothing of what the server says is used: it may repeat a key or a text.
    status = response.status_code
    return AttemptError(
        f"HTTP {status}",
        status=status,
        is_passing=status in _PASSING_STATUS or status >= 500,
        retry_after_s=parse_retry_after(response.headers.get("retry-after", "")),
    )


def _bounded(pieces: Iterator[bytes], until: float) -> Iterator[bytes]:
    """A body piece by piece; the client's own timeout is for each piece of it."""
    size = 0
    for piece in pieces:
        size += len(piece)
        if time.monotonic() > until:
            raise AttemptError("no answer in time", is_passing=True)
        if size > _MAX_BODY_BYTES:
            raise AttemptError(f"an answer of more than {_MAX_BODY_BYTES} bytes")
        yield piece


def _parse(body: bytes) -> list[tuple[int, float]]:
    """Places and scores in either form of answer."""
    try:
        answer = _ANSWER.validate_json(body)
    except ValidationError:
        raise AttemptError("an answer that is no ranking", is_passing=True) from None
    if isinstance(answer, _Results):
        return [(each.index, each.relevance_score) for each in answer.results]
    return [(each.index, each.score) for each in answer]
