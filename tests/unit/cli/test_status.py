import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("at_rest", ["stub", "text"])
def test_a_reader_sees_the_same_with_and_without_a_restricted_document(
    run: Run,
    rules: Path,
    monkeypatch: pytest.MonkeyPatch,
    at_rest: str,
    form: tuple[str, ...],
) -> None:
    monkeypatch.setenv("RAGSPINE_RESTRICTED_AT_REST", at_rest)
    with_plan, without = ("--store", "sqlite:///with.db"), ("--store", "sqlite:///without.db")
    run("ingest", "rules", *with_plan)
    (rules / "plan.md").unlink()
    run("ingest", "rules", *without)
    shown = run("status", *form, *with_plan)
    assert shown.exit_code == 0
    assert shown.stdout == run("status", *form, *without).stdout


def test_a_reader_is_told_two_counts(ingested: Run) -> None:
    assert ingested("status").stdout == "documents  2\nchunks     6\n"
    assert json.loads(ingested("status", "--json").stdout) == {"documents": 2, "chunks": 6}


def test_a_reader_is_told_counts_up_to_the_clearance(ingested: Run) -> None:
    public = ingested("status", "--clearance", "PUBLIC", "--json")
    assert json.loads(public.stdout) == {"documents": 0, "chunks": 0}


def test_an_operator_is_told_what_is_withheld(
    run: Run, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_RESTRICTED_AT_REST", "text")
    run("ingest", "rules")
    assert "withheld: rules/plan.md (RESTRICTED)\n" in run("status", "--operator").stdout
    operator = json.loads(run("status", "--operator", "--json").stdout)["operator"]
    assert list(operator) == [
        "documents",
        "chunks",
        "restricted_documents",
        "stubs",
        "restricted_parts",
        "unknown_labels",
        "missing_windows",
        "missing_branches",
        "erasure_pending",
        "withheld",
        "warnings",
    ]
    assert operator["withheld"] == [{"doc_id": "rules/plan.md", "sensitivity": "RESTRICTED"}]


def test_an_operator_is_told_of_stubs_without_their_names(ingested: Run) -> None:
    shown = ingested("status", "--operator").stdout
    assert "RESTRICTED documents kept as stubs         1\n" in shown
    assert "plan.md" not in shown
