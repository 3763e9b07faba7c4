import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from ragspine_store.relations import NodeType

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


NO_GRAPH = {
    "nodes": dict.fromkeys((type_.value for type_ in NodeType), 0),
    "edges": {"controlled": 0, "rule": 0, "model": 0},
    "unverified": 0,
    "verified": 0,
    "rejected": 0,
    "stale": 0,
    "dangling": 0,
}


def test_a_reader_is_told_two_counts_before_a_graph_is_built(ingested: Run) -> None:
    assert ingested("status").stdout == "documents  2\nchunks     6\n"
    assert json.loads(ingested("status", "--json").stdout) == {
        "documents": 2,
        "chunks": 6,
        "relations": NO_GRAPH,
    }


def test_a_reader_is_told_counts_up_to_the_clearance(ingested: Run) -> None:
    ingested("relations", "build", "--entities", "terms,titles")
    public = ingested("status", "--clearance", "PUBLIC", "--json")
    assert json.loads(public.stdout) == {"documents": 0, "chunks": 0, "relations": NO_GRAPH}


REFERRING = "# 規程\n\n## 第1条\n\n1. 第2条による。\n2. 第9条による。\n\n## 第2条\n\n1. 二。\n"


def test_a_reader_is_told_how_much_of_the_graph_there_is(run: Run, rules: Path) -> None:
    (rules / "references.md").write_text(REFERRING, encoding="utf-8")
    run("ingest", "rules", "--chunker", "parent_child")
    run("relations", "build")
    told = json.loads(run("status", "--json").stdout)["relations"]
    assert (told["edges"]["rule"], told["nodes"]["section"], told["dangling"]) == (1, 2, 1)
    shown = run("status").stdout
    assert "edges, rule          1\n" in shown
    assert "dangling references  1\n" in shown


def test_an_operator_is_told_which_relations_are_to_be_built(run: Run, ingested: Run) -> None:
    def told() -> tuple[bool, int, list[str]]:
        operator = json.loads(run("status", "--operator", "--json").stdout)["operator"]
        return operator["relations_built"], operator["documents_to_build"], operator["warnings"]

    assert told() == (False, 2, [])
    run("relations", "build")
    assert told() == (True, 0, [])
    Path("profile.toml").write_text('[home]\nentity_code = "EX"\n', encoding="utf-8")
    Path("settings.toml").write_text('profile = "profile.toml"\n', encoding="utf-8")
    shown = run("status", "--operator", "--config", "settings.toml").stdout
    assert "documents whose relations are to be built  2\n" in shown
    assert "run relations build" in shown


def test_an_operator_is_told_what_is_missing_for_the_language_model(
    ingested: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_RELATION_EXTRACTOR", "llm")
    assert "RAGSPINE_LLM_MODEL names none" in ingested("status", "--operator").stdout
    assert "RAGSPINE_LLM_MODEL" not in ingested("status").stdout
    monkeypatch.setenv("RAGSPINE_LLM_MODEL", "some-model")
    monkeypatch.setenv("OPENAI_BASE_URL", "nonsense")
    assert "OPENAI_BASE_URL" in ingested("status", "--operator").stdout


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
        "copy_unfinished",
        "withheld",
        "relations_built",
        "documents_to_build",
        "warnings",
    ]
    assert operator["withheld"] == [{"doc_id": "rules/plan.md", "sensitivity": "RESTRICTED"}]


def test_an_operator_is_told_of_stubs_without_their_names(ingested: Run) -> None:
    shown = ingested("status", "--operator").stdout
    assert "RESTRICTED documents kept as stubs         1\n" in shown
    assert "plan.md" not in shown
