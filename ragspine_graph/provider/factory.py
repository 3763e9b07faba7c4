"""From settings to a provider."""

from __future__ import annotations

import logging

from ragspine_graph.config import ServiceConfig
from ragspine_graph.errors import ConfigError
from ragspine_graph.provider.endpoint import Endpoint
from ragspine_graph.provider.limits import Limits
from ragspine_graph.provider.protocol import Provider

_logger = logging.getLogger(__name__)


def find_gap(config: ServiceConfig, endpoint: Endpoint | None = None) -> str | None:
    """What is missing for a provider, in one sentence; None when nothing is.

    Args:
        config: the settings.
        endpoint: the server; None reads the environment.

    Raises:
        ConfigError: the server's address or the key is malformed.

    >>> find_gap(ServiceConfig.load(), Endpoint())
    'no language model: RAGSPINE_LLM_MODEL names none'
    """
    endpoint = endpoint or Endpoint.load()
    if not config.llm_model:
        return "no language model: RAGSPINE_LLM_MODEL names none"
    if endpoint.base_url is None and endpoint.api_key is None:
        return "no language model: neither OPENAI_BASE_URL nor OPENAI_API_KEY is set"
    return None


def make_provider(config: ServiceConfig, endpoint: Endpoint | None = None) -> Provider | None:
    """The provider that the settings name; None, said in the log, when something is missing.

    Args:
        config: the settings.
        endpoint: the server; None reads the environment.

    Raises:
        ConfigError: the server's address or the key is malformed, or the extra `llm` is missing.
    """
    endpoint = endpoint or Endpoint.load()
    gap = find_gap(config, endpoint)
    if gap is not None:
        _logger.warning("%s", gap)
        return None
    try:
        from ragspine_graph.provider import openai_provider  # noqa: PLC0415 the extra llm
    except ModuleNotFoundError as error:
        if error.name not in ("openai", "tenacity"):
            raise
        raise ConfigError(
            f"RAGSPINE_LLM_MODEL {config.llm_model!r} given, and what talks to models is not "
            'installed; expected the extra llm: run pip install "ragspine-graph[llm]"'
        ) from None
    return openai_provider.OpenAIProvider(
        config.llm_model,
        endpoint,
        Limits(
            timeout_s=config.llm_timeout_s,
            deadline_s=config.llm_deadline_s,
            attempts=config.llm_attempts,
            retry_wait_s=config.llm_retry_wait_s,
            concurrency=config.llm_concurrency,
            max_calls=config.llm_max_calls,
            max_tokens=config.llm_max_tokens,
        ),
    )
