from __future__ import annotations

import logging

import pytest

from ragspine_graph.config import ServiceConfig
from ragspine_graph.config.extractor_spec import parse_extractor_spec, parse_sources
from ragspine_graph.errors import ConfigError
from ragspine_graph.extraction import DeterministicRelationExtractor, make_relation_extractor
from ragspine_graph.extraction.llm import LLMRelationExtractor
from ragspine_graph.provider import RecordedProvider


@pytest.mark.parametrize(
    "spec",
    [
        "deterministic",
        "rule",
        "cooccurrence",
        "co-occurrence",
        "co_occurrence",
        " Co-Occurrence ",
        "deterministic(window=section, top_n=3, sources=profile+terms)",
        "rule()",
    ],
)
def test_names_of_the_deterministic_extractor(spec: str) -> None:
    assert isinstance(make_relation_extractor(spec), DeterministicRelationExtractor)


@pytest.mark.parametrize("spec", ["llm", "on", "LLM"])
def test_names_of_the_extractor_that_asks_a_model(spec: str) -> None:
    provider = RecordedProvider("some-model", {})
    assert isinstance(make_relation_extractor(spec, provider=provider), LLMRelationExtractor)


@pytest.mark.parametrize("spec", ["llm", "on"])
def test_without_a_provider_no_model_is_asked_and_the_log_says_so(
    spec: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert make_relation_extractor(spec) is None
    assert "no language model is set up" in caplog.text


def test_none_and_nothing_mean_no_extractor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGSPINE_RELATION_EXTRACTOR", raising=False)
    assert make_relation_extractor() is None
    assert make_relation_extractor("none") is None
    assert make_relation_extractor("  ") is None


def test_the_environment_names_the_extractor_when_nothing_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RAGSPINE_RELATION_EXTRACTOR", "co-occurrence(window=document)")
    assert isinstance(make_relation_extractor(), DeterministicRelationExtractor)
    assert make_relation_extractor("none") is None
    assert ServiceConfig.load().relation_extractor == "co-occurrence(window=document)"


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        (
            "magic",
            "'magic' given; expected one of none, deterministic, rule, cooccurrence, llm, on",
        ),
        ("none(top_n=3)", "takes none"),
        ("llm(window=section)", "takes none"),
        ("rule(top_n=0)", "top_n=0 given"),
        ("rule(top_n=many)", "top_n=many given"),
        ("rule(window=page)", "window 'page' given"),
        ("rule(sources=hearsay)", "'hearsay' given; expected some of metadata, profile"),
        ("rule(size=3)", "setting 'size=3' given"),
        ("rule(top_n=3, top_n=4)", "setting 'top_n=4' given"),
        ("rule(top_n=3", "expected one of"),
    ],
)
def test_what_is_unknown_is_a_value_error_that_lists_the_known(spec: str, says: str) -> None:
    with pytest.raises(ValueError, match=r"expected|takes none") as caught:
        make_relation_extractor(spec)
    assert says in str(caught.value)
    assert isinstance(caught.value, ConfigError)


def test_settings_stand_in_the_spec() -> None:
    parsed = parse_extractor_spec("rule(window=sentences:3, top_n=7, sources=terms+profile)")
    assert (parsed.window, parsed.top_n, parsed.sources) == (
        "sentences:3",
        7,
        ("terms", "profile"),
    )


def test_sources_are_named_once_each_and_none_is_none() -> None:
    assert parse_sources("Profile, terms,profile") == ("profile", "terms")
    assert parse_sources("none") == ()
    with pytest.raises(ConfigError, match="'none' given"):
        parse_sources("none,profile")
