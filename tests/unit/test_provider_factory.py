"""Which provider the settings name, and what is said when there is none."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr

from ragspine_graph.config import ServiceConfig
from ragspine_graph.errors import ConfigError
from ragspine_graph.provider import find_gap, make_provider
from ragspine_graph.provider.endpoint import Endpoint
from tests.openai_server import KEY

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def clean_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


LOCAL = Endpoint(base_url="http://127.0.0.1:8080/v1")


def test_a_model_and_an_address_make_a_provider() -> None:
    config = ServiceConfig.load(llm_model="some-model", llm_concurrency=3)
    provider = make_provider(config, LOCAL)
    assert provider is not None
    assert (provider.model, provider.concurrency) == ("some-model", 3)
    provider.close()


def test_a_model_and_a_key_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("RAGSPINE_LLM_MODEL", "some-model")
    provider = make_provider(ServiceConfig.load())
    assert provider is not None
    provider.close()


GAPS = {
    "no model": ("", LOCAL, "RAGSPINE_LLM_MODEL names none"),
    "no server": ("m", Endpoint(), "neither OPENAI_BASE_URL nor OPENAI_API_KEY is set"),
}


@pytest.mark.parametrize(("model", "endpoint", "said"), GAPS.values(), ids=GAPS.keys())
def test_what_is_missing_is_said_in_the_log(
    model: str, endpoint: Endpoint, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    config = ServiceConfig.load(llm_model=model)
    with caplog.at_level(logging.WARNING):
        assert make_provider(config, endpoint) is None
    assert find_gap(config, endpoint) in caplog.messages
    assert said in caplog.text


URLS = [
    f"https://user:{KEY}@example.com/v1",
    f"https://{KEY}@example.com/v1",
    f"https://example.com/v1?key={KEY}",
    f"https://example.com/v1#{KEY}",
    f"example.com/{KEY}",
    f"ftp://example.com/{KEY}",
    f"https:///{KEY}",
    f"http://example.com:port/{KEY}",
    f"http://[::1/{KEY}",
]


@pytest.mark.parametrize("url", URLS)
def test_an_address_that_may_hold_a_key_is_refused_without_showing_it(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(ConfigError, match="'OPENAI_BASE_URL': expected a URL such as") as raised:
        Endpoint.load()
    assert KEY not in str(raised.value)


@pytest.mark.parametrize("key", [f"{KEY}\n", f" {KEY}", f"{KEY}é", f"{KEY}\u200b"], ids=ascii)
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ConfigError, match="'OPENAI_API_KEY': expected a key of") as raised:
        Endpoint.load()
    assert KEY not in str(raised.value)


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    monkeypatch.setenv("OPENAI_API_KEY", "")
    assert Endpoint.load() == Endpoint()


def test_an_endpoint_never_shows_its_key() -> None:
    endpoint = Endpoint(base_url="https://example.com/v1", api_key=SecretStr(KEY))
    assert KEY not in f"{endpoint!r} {endpoint} {endpoint.model_dump()}"


WITHOUT_EXTRA = """\
import sys
sys.modules["openai"] = None
from ragspine_graph.config import ServiceConfig
from ragspine_graph.provider import make_provider
from ragspine_graph.provider.endpoint import Endpoint
make_provider(ServiceConfig.load(llm_model="m"), Endpoint(base_url="http://127.0.0.1/v1"))
"""


def test_without_the_extra_the_error_names_it() -> None:
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRA],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 1
    assert 'run pip install "ragspine-graph[llm]"' in result.stderr.splitlines()[-1]
