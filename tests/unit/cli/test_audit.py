"""`audit` on the command line, over a model behind a real server."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import Result

from tests.openai_server import KEY, OpenAIServer, Received, Step, relations

Run = Callable[..., Result]

TEXT = "# Deals\n\nAcme owns Globex. Acme sells Hooli.\n\nSee Article 9.\n"
PROPOSED = [
    {"source": "Acme", "kind": "owns", "target": "Globex", "quote": "Acme owns Globex"},
    {"source": "Acme", "kind": "sells", "target": "Hooli", "quote": "Acme sells Hooli"},
    {"source": "Acme", "kind": "buys", "target": "Zed", "quote": "Acme owns Globex"},
]


def obliging(request: Received) -> Step:
    return relations(*(item for item in PROPOSED if item["quote"] in request.text))


@pytest.fixture
def audited(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs the command line on a store with what a model proposed."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "deals.md").write_text(TEXT, encoding="utf-8")
    with OpenAIServer(obliging) as server:
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("RAGSPINE_LLM_MODEL", "some-model")
        run("ingest", "docs", "--chunker", "parent_child")
        assert run("relations", "build", "--extractor", "llm").exit_code == 0
        yield run


def output(result: Result) -> str:
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def edges(run: Run, *arguments: str) -> dict[str, str]:
    """Ids of the edges that `audit list` gives, by kind."""
    listed = json.loads(output(run("audit", "list", *arguments, "--json")))["edges"]
    return {edge["kind"]: edge["id"] for edge in listed}


def test_what_waits_for_a_verdict_is_listed(audited: Run) -> None:
    shown = output(audited("audit", "list", "--state", "unverified"))
    assert "Acme —owns→ Globex\n" in shown
    assert "model-derived, unverified\n" in shown
    assert "   docs/deals.md#para2\n   | Acme owns Globex\n" in shown
    assert list(edges(audited)) == ["owns", "sells"]
    assert list(edges(audited, "--entity", "unlisted:hooli")) == ["sells"]
    assert list(edges(audited, "--model", "other")) == []


def test_edges_of_a_rule_are_listed_by_its_name(audited: Run) -> None:
    assert edges(audited, "--rule", "co_occurs_with") == {}
    result = audited("audit", "list", "--rule", "nonsense")
    assert result.exit_code == 1
    assert "expected one of mentions, co_occurs_with, refers_to" in result.stderr
    assert audited("audit", "list", "--rule", "mentions", "--state", "stale").exit_code == 1


def test_an_edge_is_shown_with_its_quote_marked_in_its_text(audited: Run) -> None:
    shown = output(audited("audit", "show", edges(audited)["owns"]))
    assert "«Acme owns Globex». Acme sells Hooli." in shown
    told = json.loads(output(audited("audit", "show", edges(audited)["owns"], "--json")))
    (piece,) = told["evidence"]
    assert (piece["quote"], piece["before"]) == ("Acme owns Globex", "# Deals\n\n")
    assert (told["derived"], told["verified"]) == ("model-derived", "unverified")


def test_a_verdict_is_given_shown_and_logged(audited: Run) -> None:
    ids = edges(audited)
    shown = output(audited("audit", "verify", ids["owns"], "--reviewer", "Kim", "--note", "read"))
    assert "model-derived, verified by Kim at " in shown
    assert "owns" in output(audited("relations", "list"))
    rejected = output(audited("audit", "reject", ids["sells"], "--reviewer", "Lee", "--json"))
    assert json.loads(rejected)["edges"][0]["verified"] == "rejected"
    assert "sells" not in output(audited("relations", "list", "--unverified"))
    log = output(audited("audit", "log"))
    assert f"verified {ids['owns']} by Kim\n   read\n" in log
    assert f"rejected {ids['sells']} by Lee\n" in log


def test_verdicts_on_many_are_given_to_all_or_none(audited: Run) -> None:
    ids = edges(audited)
    result = audited("audit", "verify", *ids.values(), "e0123456789abcdef", "--reviewer", "Kim")
    assert (result.exit_code, result.stdout) == (1, "")
    assert edges(audited, "--state", "verified") == {}
    output(audited("audit", "verify", *ids.values(), "--reviewer", "Kim"))
    assert edges(audited, "--state", "verified") == ids


def test_a_verdict_without_a_reviewer_is_a_matter_of_usage(audited: Run) -> None:
    result = audited("audit", "verify", edges(audited)["owns"])
    assert result.exit_code == 2
    assert "--reviewer" in result.stderr


def test_the_operators_log_keeps_what_is_gone_as_a_hash(audited: Run) -> None:
    output(
        audited("audit", "reject", edges(audited)["owns"], "--reviewer", "Kim", "--note", "Acme")
    )
    audited("delete", "docs/deals.md")
    assert output(audited("audit", "log")).startswith("No verdicts")
    shown = output(audited("audit", "log", "--operator"))
    assert "rejected an edge of hash " in shown
    assert "Acme" not in shown
    (entry,) = json.loads(output(audited("audit", "log", "--operator", "--json")))["entries"]
    assert (entry["edge"], entry["note"], entry["reviewer"]) == (None, None, "Kim")
    assert len(entry["edge_hash"]) > 16


def test_what_was_thrown_out_is_shown_with_its_reason(audited: Run) -> None:
    shown = output(audited("audit", "rejections"))
    assert "endpoint-not-in-quote: source or target is not in the quote\n" in shown
    assert "   Acme —buys→ Zed\n" in shown
    (one,) = json.loads(output(audited("audit", "rejections", "--json")))["rejections"]
    assert (one["rule"], one["target"]) == ("endpoint-not-in-quote", "Zed")
    assert output(audited("audit", "rejections", "--rule", "listed-name")).startswith(
        "No rejections"
    )


def test_the_export_has_a_row_for_each_place(audited: Run, tmp_path: Path) -> None:
    output(audited("audit", "export", "--out", "edges.csv"))
    with (tmp_path / "edges.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["kind"], row["derived"], row["verified"]) for row in rows] == [
        ("owns", "model-derived", "unverified"),
        ("sells", "model-derived", "unverified"),
    ]
    printed = output(audited("audit", "export", "--state", "verified"))
    assert list(csv.DictReader(io.StringIO(printed, newline=""))) == []
    assert json.loads(output(audited("audit", "export", "--json")))["edges"][0]["kind"] == "owns"


@pytest.mark.parametrize("clearance", ["PUBLIC"])
@pytest.mark.guarantee("G1")
def test_a_reader_below_sees_nothing_to_audit(audited: Run, clearance: str) -> None:
    ids = edges(audited)
    assert edges(audited, "--clearance", clearance) == {}
    for verb in (("show",), ("verify", "--reviewer", "Kim"), ("reject", "--reviewer", "Kim")):
        result = audited("audit", *verb, ids["owns"], "--clearance", clearance)
        assert (result.exit_code, result.stdout) == (1, "")
        assert (
            result.stderr == audited("audit", "show", ids["owns"], "--clearance", clearance).stderr
        )
