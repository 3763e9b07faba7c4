"""From settings to a reranker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ragspine_graph.config import ServiceConfig
from ragspine_graph.errors import ConfigError, ProviderError
from ragspine_graph.provider import find_gap, make_provider
from ragspine_graph.reranking.llm import LLMReranker
from ragspine_graph.retrieval import Passage, Reranker


class ServiceReranker(Reranker, Protocol):
    """A reranker that holds connections."""

    def close(self) -> None:
        """Release them."""
        ...


class MissingReranker:
    """Stands where the settings ask for a judge that they do not say enough of.

    Args:
        gap: what is missing.
    """

    def __init__(self, gap: str) -> None:
        self._gap = gap

    def rerank(self, query: str, passages: Sequence[Passage]) -> Sequence[str]:
        """Judges nothing.

        Raises:
            ProviderError: always; it says what is missing.
        """
        raise ProviderError(self._gap)

    def close(self) -> None:
        """Nothing to release."""


def make_reranker(config: ServiceConfig) -> ServiceReranker | None:
    """The reranker that the settings name; None for none.

    Where something is missing that it needs, each question is told so in its notes.

    Raises:
        ConfigError: the address or key of the model's server is malformed, or the extra `llm` is
            missing.
    """
    match config.reranker:
        case "none":
            return None
        case "llm":
            return _make_judge(config)
        case "http":
            return _make_client(config)


def _make_judge(config: ServiceConfig) -> ServiceReranker:
    # A question is waiting: what bounds its judge are the settings of reranking.
    bounded = config.model_copy(
        update={
            "llm_timeout_s": config.rerank_timeout_s,
            "llm_deadline_s": config.rerank_deadline_s,
            "llm_attempts": config.rerank_attempts,
        }
    )
    gap = find_gap(bounded)
    provider = None if gap else make_provider(bounded)
    if provider is None:
        return MissingReranker(gap or "no language model")
    return LLMReranker(provider, max_output_tokens=config.llm_max_output_tokens)


def _make_client(config: ServiceConfig) -> ServiceReranker:
    if not config.rerank_url:
        return MissingReranker("no reranker: RAGSPINE_RERANK_URL names no endpoint")
    try:
        from ragspine_graph.reranking import http  # noqa: PLC0415 the extra llm
    except ModuleNotFoundError as error:
        if error.name != "httpx2":
            raise
        raise ConfigError(
            "RAGSPINE_RERANKER 'http' given, and what talks to servers is not installed; "
            'expected the extra llm: run pip install "ragspine-graph[llm]"'
        ) from None
    return http.HttpReranker(
        config.rerank_url,
        model=config.rerank_model,
        key=config.rerank_key,
        limits=http.RerankLimits(
            timeout_s=config.rerank_timeout_s,
            deadline_s=config.rerank_deadline_s,
            attempts=config.rerank_attempts,
        ),
    )
