"""Vectors from a real server on loopback, scripted for every fault."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from ragspine_graph import ServiceConfig
from ragspine_graph.embedding.factory import make_embedders
from ragspine_graph.embedding.protocol import Embedder, EmbeddingUsage
from ragspine_graph.errors import ConfigError, ProviderError
from ragspine_graph.provider.endpoint import Endpoint
from ragspine_graph.provider.limits import Limits
from ragspine_graph.provider.openai_embeddings import OpenAIEmbeddings
from tests.openai_server import KEY, OpenAIServer, Received, Step, busy, embeddings, refusal

SECRET_TEXT = "the merger with Acme is signed"
FAST = Limits(timeout_s=5.0, deadline_s=10.0, attempts=3, retry_wait_s=0.001)
OPENED: list[OpenAIEmbeddings | Embedder] = []


@pytest.fixture(autouse=True)
def clean_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No proxy on the way to loopback, no server of the developer's, no connection left open."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    yield
    while OPENED:
        OPENED.pop().close()


def make(server: OpenAIServer) -> OpenAIEmbeddings:
    endpoint = Endpoint(base_url=server.base_url, api_key=SecretStr(KEY))
    OPENED.append(made := OpenAIEmbeddings("some-model", endpoint, FAST))
    return made


def embedder_for(server: OpenAIServer, **settings: Any) -> Embedder:
    given: dict[str, Any] = {"embedding_base_url": server.base_url, **settings}
    config = ServiceConfig.load(
        embedders="openai", embedding_model="some-model", llm_retry_wait_s=0.001, **given
    )
    (embedder,) = make_embedders(config)
    OPENED.append(embedder)
    return embedder


def test_vectors_come_in_the_order_of_the_texts() -> None:
    with OpenAIServer(embeddings([1, 0], [0, 1], order=(1, 0))) as server:
        made = make(server)
        assert made.embed(["a", "b"]) == [[1, 0], [0, 1]]
    (received,) = server.received
    assert received.path == "/v1/embeddings"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.body == {
        "model": "some-model",
        "input": ["a", "b"],
        "encoding_format": "float",
    }
    assert (made.calls, made.tokens) == (1, 7)


PASSING = {
    "429": busy("0"),
    "503": refusal(503),
    "connection closed": Step(closes=True),
    "no JSON": Step(body=b"<html>"),
    "no data": Step(body=b"{}"),
    "too few": embeddings([1, 0]),
    "too many": embeddings([1, 0], [1, 0], [1, 0]),
    "an index twice": Step(
        body=json.dumps({"data": [{"index": 0, "embedding": [1]}] * 2}).encode()
    ),
    "a number that is none": Step(
        body=b'{"data": [{"index": 0, "embedding": [NaN]}, {"index": 1, "embedding": [1]}]}'
    ),
}


@pytest.mark.parametrize("step", PASSING.values(), ids=PASSING.keys())
def test_a_passing_fault_is_tried_again(step: Step) -> None:
    with OpenAIServer(step, embeddings([1, 0], [0, 1])) as server:
        assert make(server).embed(["a", "b"]) == [[1, 0], [0, 1]]
    assert len(server.received) == 2


LASTING = {
    "400": (refusal(400, SECRET_TEXT), "too long", False),
    "401": (refusal(401), "check the key", True),
    "404": (refusal(404), "RAGSPINE_EMBEDDING_MODEL", True),
    "zeros": (embeddings([0.0, 0.0], [0.0, 1.0]), "without a direction", False),
    "another length": (embeddings([1.0, 0.0], [1.0]), "1 numbers after one of 2", False),
    "a redirect": (Step(status=307, headers={"Location": "http://127.0.0.1:9/"}), "307", False),
}


@pytest.mark.guarantee("G1")
@pytest.mark.parametrize(("step", "said", "is_final"), LASTING.values(), ids=LASTING.keys())
def test_a_lasting_fault_says_what_to_do_and_repeats_no_text(
    step: Step, said: str, *, is_final: bool
) -> None:
    with OpenAIServer(step) as server, pytest.raises(ProviderError, match=said) as raised:
        make(server).embed([SECRET_TEXT, "b"])
    assert len(server.received) == 1
    assert raised.value.is_final is is_final
    assert "Acme" not in str(raised.value)
    assert KEY not in str(raised.value)


def test_a_server_need_not_count_tokens() -> None:
    with OpenAIServer(embeddings([1, 0], usage=None)) as server:
        made = make(server)
        made.embed(["a"])
    assert (made.calls, made.tokens) == (1, 0)


def test_prefixes_stand_before_texts_and_in_the_name_of_the_model() -> None:
    with OpenAIServer(embeddings([1, 0])) as server:
        plain = embedder_for(server)
        prefixed = embedder_for(
            server, embedding_passage_prefix="passage: ", embedding_question_prefix="query: "
        )
        prefixed.embed_passages(["a"])
        prefixed.embed_question("b")
    assert [received.body["input"] for received in server.received] == [
        ["passage: a"],
        ["query: b"],
    ]
    assert plain.model == "openai:some-model"
    assert prefixed.model.startswith("openai:some-model+")
    assert prefixed.usage == EmbeddingUsage(2, 14)


def test_a_question_is_asked_once_and_waits_no_longer_than_it_may() -> None:
    with OpenAIServer(Step(hangs=True)) as server:
        embedder = embedder_for(server, embedding_question_timeout_s=0.2)
        with pytest.raises(ProviderError, match="no answer in time"):
            embedder.embed_question("a")
    assert len(server.received) == 1


def test_the_key_of_openai_goes_to_no_other_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def answer(received: Received) -> Step:
        return embeddings([1, 0])

    with OpenAIServer(answer) as server:
        embedder_for(server).embed_question("a")
        embedder_for(server, embedding_api_key="sk-other").embed_question("a")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        embedder_for(server, embedding_base_url="").embed_question("a")
    sent = [received.headers["authorization"] for received in server.received]
    assert sent == ["Bearer none", "Bearer sk-other", f"Bearer {KEY}"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "RAGSPINE_EMBEDDING_MODEL"),
        ({"embedding_model": "some-model"}, "OPENAI_BASE_URL"),
    ],
    ids=["no model", "no server"],
)
def test_a_server_that_is_not_named_is_an_error_that_says_what_to_set(
    settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        make_embedders(ServiceConfig.load(embedders="openai", **settings))
