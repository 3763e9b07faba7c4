"""The client of rerank endpoints against a real server on loopback."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterator

import pytest
from pydantic import SecretStr

from ragspine_graph.errors import ProviderError
from ragspine_graph.reranking.http import HttpReranker, RerankLimits
from ragspine_graph.reranking.passage_text import MAX_PASSAGE_CHARS
from ragspine_graph.retrieval import Passage
from tests.openai_server import (
    KEY,
    OpenAIServer,
    Received,
    Step,
    bare_scores,
    busy,
    refusal,
    relevance,
)

SECRET_TEXT = "the merger with Acme is signed"
QUESTION = "who signed the secret treaty?"
PASSAGES = (
    Passage("a#c0", "first"),
    Passage("a#c1", SECRET_TEXT, ("Rules", "Plan")),
    Passage("a#c2", "third"),
)
FAST = RerankLimits(timeout_s=5.0, deadline_s=10.0, attempts=2, retry_wait_s=0.001)

OPENED: list[HttpReranker] = []


@pytest.fixture(autouse=True)
def clean_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No proxy on the way to loopback, and no connection left open."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield
    while OPENED:
        OPENED.pop().close()


def make(
    server: OpenAIServer, limits: RerankLimits = FAST, *, model: str = "", key: str | None = None
) -> HttpReranker:
    reranker = HttpReranker(
        server.rerank_url, model=model, key=SecretStr(key) if key else None, limits=limits
    )
    OPENED.append(reranker)
    return reranker


ANSWERS: dict[str, Callable[..., Step]] = {"results": relevance, "bare": bare_scores}


@pytest.mark.parametrize("form", [*ANSWERS])
def test_passages_come_by_falling_score(form: str) -> None:
    with OpenAIServer(ANSWERS[form]((0, -1.5), (2, 0.25), (1, 3))) as server:
        assert make(server).rerank("who?", PASSAGES) == ["a#c1", "a#c2", "a#c0"]


def test_equal_scores_keep_their_order_and_unknown_places_are_ignored() -> None:
    with OpenAIServer(relevance((9, 5.0), (2, 0.5), (1, 0.5))) as server:
        assert make(server).rerank("who?", PASSAGES) == ["a#c1", "a#c2"]


def test_a_request_carries_question_headings_texts_model_and_key() -> None:
    with OpenAIServer(relevance((0, 1.0))) as server:
        make(server, model="judge-1", key=KEY).rerank("who?", PASSAGES)
    (received,) = server.received
    assert received.path == "/v1/rerank"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.body == {
        "model": "judge-1",
        "query": "who?",
        "documents": ["first", f"Rules > Plan\n{SECRET_TEXT}", "third"],
        "top_n": 3,
    }


def test_without_model_and_key_none_is_sent() -> None:
    with OpenAIServer(relevance((0, 1.0))) as server:
        make(server).rerank("who?", PASSAGES)
    (received,) = server.received
    assert "authorization" not in received.headers
    assert "model" not in received.body


def only_texts(request: Received) -> Step:
    """A server that takes 32 texts at once and knows no documents."""
    if "texts" not in request.body or len(request.passages) > 32:
        return refusal(422, f"unknown {SECRET_TEXT}")
    return bare_scores(*((i, float(text)) for i, text in enumerate(request.passages)))


def test_a_server_that_wants_texts_gets_them_in_batches_and_from_then_on_at_once() -> None:
    many = [Passage(f"a#c{n}", str(n)) for n in range(50)]
    with OpenAIServer(only_texts) as server:
        reranker = make(server)
        assert reranker.rerank("who?", many) == [f"a#c{n}" for n in reversed(range(50))]
        assert ["texts" in each.body for each in server.received] == [False, True, True]
        reranker.rerank("who?", PASSAGES[:0] + tuple(many[:2]))
    assert len(server.received) == 4


def test_long_passages_are_cut() -> None:
    with OpenAIServer(relevance((0, 1.0))) as server:
        make(server).rerank("who?", [Passage("a#c0", "x" * 9_999), Passage("a#c1", "y")])
    assert [len(text) for text in server.received[0].passages] == [MAX_PASSAGE_CHARS, 1]


@pytest.mark.parametrize("passages", [(), PASSAGES[:1]], ids=["none", "one"])
def test_nothing_is_asked_where_there_is_nothing_to_order(passages: tuple[Passage, ...]) -> None:
    with OpenAIServer(refusal(500)) as server:
        assert make(server).rerank("who?", passages) == [p.chunk_id for p in passages]
    assert server.received == []


PASSING = {
    "busy": busy("0.01"),
    "error": refusal(503),
    "closed": Step(closes=True),
    "broken off": Step(body=b'{"resu', declares=999),
    "no ranking": Step(body=b'{"data": []}'),
    "no JSON": Step(body=b"<html>"),
    "no number": Step(body=b'[{"index": 0, "score": NaN}]'),
}


@pytest.mark.parametrize("name", [*PASSING])
def test_a_passing_fault_is_tried_again(name: str) -> None:
    with OpenAIServer(PASSING[name], relevance((2, 1.0))) as server:
        assert make(server).rerank("who?", PASSAGES) == ["a#c2"]
    assert len(server.received) == 2


FAULTS: dict[str, tuple[Step, RerankLimits, str]] = {
    "error": (refusal(500, SECRET_TEXT), FAST, "HTTP 500"),
    "unauthorised": (refusal(401, KEY), FAST, "HTTP 401; check RAGSPINE_RERANK_KEY"),
    "missing": (refusal(404), FAST, "HTTP 404; check RAGSPINE_RERANK_URL"),
    "refused": (refusal(422, SECRET_TEXT), FAST, "HTTP 422"),
    "redirect": (Step(302, {"Location": "http://127.0.0.1:9/"}), FAST, "HTTP 302"),
    "none scored": (relevance((7, 1.0)), FAST, "scores no passage"),
    "hangs": (Step(hangs=True), RerankLimits(0.2, 0.3, 2, 0.001), "no answer in time"),
    "drips": (
        Step(body=b" " * 999, drips=0.05),
        RerankLimits(0.2, 0.3, 2, 0.001),
        "no answer in time",
    ),
    "too long": (Step(body=b" " * (9 << 20)), FAST, "more than"),
    "asks to wait": (busy("3600"), FAST, "HTTP 429"),
}


@pytest.mark.parametrize("name", [*FAULTS])
def test_a_lasting_fault_is_one_error_without_key_and_text(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    step, limits, said = FAULTS[name]
    with OpenAIServer(step) as server, pytest.raises(ProviderError) as caught:
        make(server, limits, key=KEY).rerank(QUESTION, PASSAGES)
    told = "".join(traceback.format_exception(caught.value)) + caplog.text
    assert said in str(caught.value)
    assert [trace for trace in (KEY, SECRET_TEXT, QUESTION) if trace in told] == []


def test_no_server_at_all_is_an_error_that_names_the_place() -> None:
    with OpenAIServer(refusal(500)) as server:
        url = server.rerank_url
    reranker = HttpReranker(url, limits=FAST)
    OPENED.append(reranker)
    with pytest.raises(ProviderError, match=r"reranker at 127\.0\.0\.1:\d+: no connection"):
        reranker.rerank("who?", PASSAGES)
