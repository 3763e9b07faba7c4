"""`relations build` with a language model behind a real server."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator

import pytest
from typer.testing import Result

from tests.openai_server import KEY, OpenAIServer, Received, Step, refusal, relations

Run = Callable[..., Result]

PROPOSED = {
    "source": "Employees",
    "target": "two days a week",
    "kind": "work_remotely",
    "quote": "Employees may work remotely two days a week",
}
WITH_MODEL = ("relations", "build", "--extractor", "llm")


def obliging(request: Received) -> Step:
    return relations(PROPOSED) if PROPOSED["quote"] in request.text else relations()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Generator[list[Step | None]]:
    """A server the settings name; it obliges unless a step stands in the list."""
    instead: list[Step | None] = [None]
    with OpenAIServer(lambda request: instead[0] or obliging(request)) as server:
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("RAGSPINE_LLM_MODEL", "some-model")
        monkeypatch.setenv("RAGSPINE_LLM_RETRY_WAIT_S", "0.001")
        yield instead


def report_of(result: Result) -> dict[str, object]:
    return json.loads(result.stdout)["model"]


def test_what_the_model_proposes_waits_for_a_verdict(
    ingested: Run, server: list[Step | None]
) -> None:
    result = ingested(*WITH_MODEL, "--json")
    assert result.exit_code == 0, result.stderr
    report = report_of(result)
    assert (report["relations"], report["failed"], report["stopped"]) == (1, 0, "")
    listed = json.loads(ingested("relations", "list", "--unverified", "--json").stdout)
    assert PROPOSED["quote"] in json.dumps(listed)
    assert PROPOSED["quote"] not in ingested("relations", "list", "--json").stdout


@pytest.mark.parametrize("status", [400, 401, 500])
def test_when_every_call_fails_the_exit_code_is_three(
    ingested: Run, server: list[Step | None], status: int
) -> None:
    server[0] = refusal(status, f"no, {KEY}")
    result = ingested(*WITH_MODEL, "--json")
    assert result.exit_code == 3
    assert KEY not in result.output
    assert f"HTTP {status}" in " ".join(json.loads(result.stdout)["model"]["failures"])


@pytest.mark.parametrize("status", [400, 401, 500])
def test_a_failure_is_told_once_with_its_reason(
    ingested: Run, server: list[Step | None], status: int
) -> None:
    server[0] = refusal(status, f"no, {KEY}")
    result = ingested(*WITH_MODEL)
    assert result.exit_code == 3
    assert KEY not in result.output
    assert " ".join(result.output.split()).count(f"HTTP {status}") == 1


def test_a_budget_that_is_spent_is_told_and_no_failure(
    ingested: Run, server: list[Step | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_LLM_MAX_CALLS", "1")
    result = ingested(*WITH_MODEL)
    assert result.exit_code == 0
    assert "the budget of 1 calls is used up; run again to go on" in result.output
    monkeypatch.delenv("RAGSPINE_LLM_MAX_CALLS")
    report = report_of(ingested(*WITH_MODEL, "--json"))
    assert (report["cached"], report["unasked"]) == (1, 0)


def test_without_a_model_it_says_what_is_missing_and_builds_the_rest(ingested: Run) -> None:
    result = ingested(*WITH_MODEL)
    assert result.exit_code == 0
    assert "RAGSPINE_LLM_MODEL names none" in result.output
