"""The provider against a real server on loopback, scripted for every fault."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from pydantic import SecretStr

from ragspine_graph.errors import BudgetSpentError, ProviderError
from ragspine_graph.provider import ModelRequest, Provider, Usage
from ragspine_graph.provider.endpoint import Endpoint
from ragspine_graph.provider.limits import Limits
from ragspine_graph.provider.openai_provider import OpenAIProvider
from ragspine_store.relations import Answer
from tests.openai_server import KEY, OpenAIServer, Received, Step, busy, refusal, reply

SECRET_TEXT = "the merger with Acme is signed"
SCHEMA = {"type": "object"}
REQUEST = ModelRequest("Find relations.", SECRET_TEXT, "c0ffee", SCHEMA, 64)
FAST = Limits(timeout_s=5.0, deadline_s=10.0, attempts=3, retry_wait_s=0.001)


OPENED: list[OpenAIProvider] = []


@pytest.fixture(autouse=True)
def clean_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No proxy on the way to loopback, and no connection left open."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield
    while OPENED:
        OPENED.pop().close()


def make(server: OpenAIServer, limits: Limits = FAST, key: str | None = KEY) -> OpenAIProvider:
    endpoint = Endpoint(base_url=server.base_url, api_key=SecretStr(key) if key else None)
    provider = OpenAIProvider("some-model", endpoint, limits)
    OPENED.append(provider)
    return provider


def test_an_answer_comes_with_its_tokens() -> None:
    with OpenAIServer(reply("{}")) as server:
        provider = make(server)
        assert provider.complete(REQUEST) == Answer("{}", 100, 20)
    assert provider.usage == Usage(1, 100, 20, 0)
    assert isinstance(provider, Provider)


def test_a_request_carries_model_rules_text_schema_and_key() -> None:
    with OpenAIServer(reply("{}")) as server:
        make(server).complete(REQUEST)
    (received,) = server.received
    assert received.path == "/v1/chat/completions"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.body == {
        "model": "some-model",
        "messages": [
            {"role": "system", "content": "Find relations."},
            {"role": "user", "content": SECRET_TEXT},
        ],
        "temperature": 0,
        "max_completion_tokens": 64,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        },
    }


def test_a_server_without_keys_needs_none() -> None:
    with OpenAIServer(reply("{}")) as server:
        make(server, key=None).complete(REQUEST)
    assert server.received[0].headers["authorization"] == "Bearer none"


TRUNCATED = Step(body=reply("{}").body[:40], declares=4000)
GARBAGE = Step(body=b"<html>502 Bad Gateway</html>", headers={"Content-Type": "text/html"})
PASSING = {
    "429": busy("0"),
    "429 without Retry-After": refusal(429),
    "408": refusal(408),
    "409": refusal(409),
    "500": refusal(500),
    "503": refusal(503),
    "connection closed": Step(closes=True),
    "body broken off": TRUNCATED,
    "body that is no JSON": GARBAGE,
    "body that is null": Step(body=b"null"),
    "half a JSON": Step(body=reply("{}").body[:40]),
    "empty choices": Step(body=b'{"choices": []}'),
    "no choices": Step(body=b"{}"),
    "choices null": Step(body=b'{"choices": null}'),
    "content null": reply(None),
    "content empty": reply(""),
    "content a list": reply([{"type": "text", "text": "{}"}]),
}


@pytest.mark.parametrize("step", PASSING.values(), ids=PASSING.keys())
def test_a_passing_fault_is_tried_again(step: Step) -> None:
    with OpenAIServer(step, reply("{}")) as server:
        assert make(server).complete(REQUEST).text == "{}"
    assert len(server.received) == 2


@pytest.mark.parametrize("step", PASSING.values(), ids=PASSING.keys())
def test_a_lasting_fault_ends_with_the_last_attempt(step: Step) -> None:
    with OpenAIServer(step) as server:
        provider = make(server)
        with pytest.raises(ProviderError, match="after 3 attempts") as raised:
            provider.complete(REQUEST)
    assert len(server.received) == provider.usage.calls == 3
    assert not raised.value.is_final


def test_a_request_that_takes_too_long_is_tried_again() -> None:
    with OpenAIServer(Step(hangs=True), reply("{}")) as server:
        assert make(server, replace(FAST, timeout_s=0.3)).complete(REQUEST).text == "{}"


def test_an_answer_that_only_drips_is_given_up_in_time() -> None:
    dripping = Step(body=reply("{}").body, drips=0.05)
    with OpenAIServer(dripping) as server:
        provider = make(server, replace(FAST, timeout_s=0.3, attempts=1))
        with pytest.raises(ProviderError, match="no answer in time"):
            provider.complete(REQUEST)


def test_a_refused_connection_is_named_with_its_host() -> None:
    with OpenAIServer(reply("{}")) as server:
        provider = make(server)
    with pytest.raises(ProviderError, match=r"at 127\.0\.0\.1:\d+: no connection after 3 attempts"):
        provider.complete(REQUEST)


@pytest.mark.parametrize("status", [400, 403, 413, 422])
def test_a_text_that_is_refused_is_not_tried_again_and_others_may_be(status: int) -> None:
    refused = pytest.raises(ProviderError, match=f"HTTP {status}")
    with OpenAIServer(refusal(status)) as server, refused as raised:
        make(server).complete(REQUEST)
    assert raised.value.is_about_text
    assert not raised.value.is_final


FINAL = {"401": 401, "404": 404}


@pytest.mark.parametrize("status", FINAL.values(), ids=FINAL.keys())
def test_a_wrong_key_model_or_address_is_final_and_not_tried_again(status: int) -> None:
    final = pytest.raises(ProviderError, match=f"HTTP {status}; check OPENAI_")
    with OpenAIServer(refusal(status)) as server, final as raised:
        make(server).complete(REQUEST)
    assert raised.value.is_final
    assert len(server.received) == 1


def test_an_account_without_credit_is_final() -> None:
    final = pytest.raises(ProviderError, match="insufficient_quota")
    with OpenAIServer(refusal(429, code="insufficient_quota")) as server, final as raised:
        make(server).complete(REQUEST)
    assert raised.value.is_final
    assert len(server.received) == 1


def test_a_redirect_is_not_followed() -> None:
    with OpenAIServer(reply("{}")) as elsewhere:
        moved = Step(status=307, headers={"Location": f"{elsewhere.base_url}/chat/completions"})
        with OpenAIServer(moved) as server, pytest.raises(ProviderError, match="HTTP 307"):
            make(server).complete(REQUEST)
    assert elsewhere.received == []


def test_a_retry_after_within_the_deadline_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("tenacity.nap.time.sleep", waits.append)
    with OpenAIServer(busy("7"), reply("{}")) as server:
        assert make(server).complete(REQUEST).text == "{}"
    assert waits == [7.0]


def test_a_retry_after_may_be_a_date(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("tenacity.nap.time.sleep", waits.append)
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=8), usegmt=True)
    with OpenAIServer(busy(later), reply("{}")) as server:
        make(server).complete(REQUEST)
    assert 5.0 < waits[0] <= 8.0


@pytest.mark.parametrize("header", ["", "soon", "nan", "-5", "inf", "1e9", "9" * 400])
def test_a_retry_after_of_no_use_is_as_none(header: str) -> None:
    with OpenAIServer(busy(header), reply("{}")) as server:
        assert make(server).complete(REQUEST).text == "{}"


def test_a_retry_after_beyond_the_deadline_is_not_waited_for() -> None:
    given_up = pytest.raises(ProviderError, match="it asks to wait for 3600 s; wait, or lower")
    with OpenAIServer(busy("3600"), reply("{}")) as server, given_up:
        make(server).complete(REQUEST)
    assert len(server.received) == 1


def test_attempts_end_with_the_deadline() -> None:
    with OpenAIServer(refusal(500)) as server:
        provider = make(server, replace(FAST, attempts=20, retry_wait_s=0.2, deadline_s=0.5))
        with pytest.raises(ProviderError, match="HTTP 500"):
            provider.complete(REQUEST)
    assert 1 <= len(server.received) < 5


def without_schemas(request: Received) -> Step:
    return refusal(400) if "response_format" in request.body else reply("{}")


def test_a_refused_schema_is_left_out_once_and_from_then_on() -> None:
    with OpenAIServer(without_schemas) as server:
        provider = make(server)
        assert [provider.complete(REQUEST).text for _ in range(3)] == ["{}"] * 3
    assert ["response_format" in request.body for request in server.received] == [
        True,
        False,
        False,
        False,
    ]
    assert provider.usage.calls == 4


def picky(request: Received) -> Step:
    """A server that knows neither a temperature nor the newer name of the limit."""
    for name in ("temperature", "max_completion_tokens"):
        if name in request.body:
            return refusal(400, f"Unsupported parameter: '{name}'", param=name)
    return reply("{}")


def test_other_settings_that_a_server_refuses_are_left_out_or_renamed() -> None:
    with OpenAIServer(picky) as server:
        assert make(server).complete(REQUEST).text == "{}"
    last = server.received[-1].body
    assert "temperature" not in last
    assert last["max_tokens"] == 64
    assert "response_format" in last


def test_a_server_that_refuses_everything_is_asked_twice_a_call() -> None:
    with OpenAIServer(refusal(400)) as server:
        provider = make(server)
        for _ in range(2):
            with pytest.raises(ProviderError, match="HTTP 400"):
                provider.complete(REQUEST)
    assert ["response_format" in request.body for request in server.received] == [
        True,
        False,
        True,
        False,
    ]


ODD_USAGE = {
    "missing": None,
    "a string": "many",
    "negative": {"prompt_tokens": -1, "completion_tokens": 5},
    "of wrong types": {"prompt_tokens": "x", "completion_tokens": None},
    "a list": [1, 2],
}


@pytest.mark.parametrize("usage", ODD_USAGE.values(), ids=ODD_USAGE.keys())
def test_an_answer_without_usage_is_used_and_counted(usage: object) -> None:
    with OpenAIServer(reply("{}", usage=usage)) as server:
        provider = make(server)
        assert provider.complete(REQUEST) == Answer("{}")
    assert provider.usage == Usage(1, 0, 0, 1)


def test_a_refusal_of_the_model_is_its_answer() -> None:
    body = b'{"choices": [{"message": {"role": "assistant", "refusal": "I cannot"}}]}'
    with OpenAIServer(Step(body=body)) as server:
        assert make(server).complete(REQUEST).text == "I cannot"


def test_a_model_that_thinks_until_the_limit_is_not_asked_again() -> None:
    body = b'{"choices": [{"finish_reason": "length", "message": {"content": ""}}]}'
    no_room = pytest.raises(ProviderError, match="raise RAGSPINE_LLM_MAX_OUTPUT_TOKENS")
    with OpenAIServer(Step(body=body)) as server, no_room:
        make(server).complete(REQUEST)
    assert len(server.received) == 1


def test_an_answer_of_unbounded_length_is_not_read() -> None:
    too_long = pytest.raises(ProviderError, match="an answer of more than 8388608 bytes")
    with OpenAIServer(Step(body=b" " * (9 << 20))) as server, too_long:
        make(server).complete(REQUEST)
    assert len(server.received) == 1


def test_a_budget_of_calls_is_never_exceeded() -> None:
    with OpenAIServer(reply("{}")) as server:
        provider = make(server, replace(FAST, max_calls=5, concurrency=4))
        with ThreadPoolExecutor(8) as pool:
            outcomes = list(pool.map(outcome_of, [provider] * 20))
    assert len(server.received) == provider.usage.calls == 5
    assert outcomes.count("answer") == 5
    assert outcomes.count("budget of 5 calls is used up") == 15


def outcome_of(provider: Provider) -> str:
    try:
        provider.complete(REQUEST)
    except BudgetSpentError as error:
        return str(error).removeprefix("the ").partition(";")[0]
    return "answer"


def test_retries_count_as_calls() -> None:
    with OpenAIServer(refusal(500)) as server:
        provider = make(server, replace(FAST, max_calls=2))
        with pytest.raises(BudgetSpentError, match="run again to go on"):
            provider.complete(REQUEST)
    assert len(server.received) == 2


def test_a_budget_of_tokens_stops_before_a_call_that_might_exceed_it() -> None:
    budget = REQUEST.token_bound + 300
    with OpenAIServer(reply("{}", usage=(100, 20))) as server:
        provider = make(server, replace(FAST, max_tokens=budget))
        with ThreadPoolExecutor(4) as pool:
            outcomes = list(pool.map(outcome_of, [provider] * 10))
    # 120 tokens a call: after the third, 360 and one more bound would pass the budget.
    assert outcomes.count("answer") == len(server.received) == 3
    assert provider.usage.input_tokens + provider.usage.output_tokens <= budget


def test_an_answer_without_usage_counts_as_the_most_it_can_have_taken() -> None:
    with OpenAIServer(reply("{}", usage=None)) as server:
        provider = make(server, replace(FAST, max_tokens=2 * REQUEST.token_bound))
        outcomes = [outcome_of(provider) for _ in range(3)]
    assert outcomes[:2] == ["answer", "answer"]
    assert "tokens are used" in outcomes[2]


def test_only_so_many_requests_are_under_way_at_once() -> None:
    together = threading.Barrier(2, timeout=10)
    with OpenAIServer(reply("{}", before=together.wait)) as server:
        provider = make(server, replace(FAST, concurrency=2, timeout_s=20, deadline_s=20))
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(provider.complete, [REQUEST] * 6))
    assert server.most_at_once == 2


TELLING: dict[str, Callable[[], Step]] = {
    "401": lambda: refusal(401, f"Incorrect API key {KEY} for {SECRET_TEXT}", code=KEY),
    "400": lambda: refusal(400, f"cannot read {SECRET_TEXT}", param=SECRET_TEXT, code=SECRET_TEXT),
    "500": lambda: Step(status=500, body=f"{SECRET_TEXT} {KEY}".encode()),
    "garbage": lambda: Step(body=f"{SECRET_TEXT} {KEY}".encode()),
    "empty": lambda: Step(body=b'{"choices": []}'),
    "closed": lambda: Step(closes=True),
}


@pytest.mark.parametrize("make_step", TELLING.values(), ids=TELLING.keys())
def test_no_error_and_no_log_line_holds_a_key_or_a_text(
    make_step: Callable[[], Step], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with OpenAIServer(make_step()) as server:
        provider = make(server)
        with pytest.raises(ProviderError) as raised:
            provider.complete(REQUEST)
    shown = "".join(traceback.format_exception(raised.value))
    shown += f"{provider!r} {REQUEST!r} {vars(raised.value)} {caplog.text}"
    assert caplog.records
    assert KEY not in shown
    assert SECRET_TEXT not in shown
