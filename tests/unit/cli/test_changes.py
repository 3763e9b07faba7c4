import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]
POLICY = "rules/policy.md"
HANDBOOK = "rules/就業規則.md"


def test_a_raised_label_takes_effect_at_once(ingested: Run) -> None:
    result = ingested("relabel", POLICY, "restricted")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{POLICY}: was INTERNAL, is RESTRICTED.\n"
    assert ingested("show", POLICY).exit_code == 1
    assert json.loads(ingested("search", "remotely", "--json").stdout)["snippets"] == []


def test_a_label_is_lowered_only_when_asked_to(ingested: Run) -> None:
    refused = ingested("relabel", POLICY, "PUBLIC")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "--allow-lower" in refused.stderr
    lowered = ingested("relabel", POLICY, "PUBLIC", "--allow-lower")
    assert lowered.stdout == f"{POLICY}: was INTERNAL, is PUBLIC.\n"


def test_a_raised_child_is_found_no_more_and_its_siblings_lose_their_window(
    ingested: Run,
) -> None:
    assert ingested("relabel", f"{HANDBOOK}#c1", "RESTRICTED").exit_code == 0
    assert json.loads(ingested("search", "通勤", "--json").stdout)["snippets"] == []
    sibling = json.loads(ingested("search", "昼食手当", "-k", "1", "--json").stdout)["snippets"][0]
    assert "prompt_text" not in sibling
    withheld = ingested("show", f"{HANDBOOK}#c1")
    missing = ingested("show", f"{HANDBOOK}#c8")
    assert withheld.stderr.replace("#c1", "#c8") == missing.stderr


def test_where_a_stub_is_kept_the_document_is_asked_for_again(ingested: Run) -> None:
    lowered = ingested("relabel", "rules/plan.md", "INTERNAL", "--allow-lower")
    assert "ingest the file again" in lowered.stdout


def test_relabel_has_stable_keys_in_json(ingested: Run) -> None:
    assert json.loads(ingested("relabel", POLICY, "CONFIDENTIAL", "--json").stdout) == {
        "id": POLICY,
        "before": "INTERNAL",
        "after": "CONFIDENTIAL",
        "needs_document": False,
        "erased": True,
    }


def test_an_unknown_label_is_refused_and_the_known_are_listed(ingested: Run) -> None:
    result = ingested("relabel", POLICY, "SECRET")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.endswith("expected one of PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED\n")


def test_deleted_documents_are_gone(ingested: Run) -> None:
    result = ingested("delete", POLICY, "rules/plan.md")
    assert (result.exit_code, result.stdout) == (0, "2 documents deleted.\n")
    assert ingested("show", POLICY).exit_code == 1
    operator = json.loads(ingested("status", "--operator", "--json").stdout)["operator"]
    assert (operator["documents"], operator["stubs"]) == (1, 0)


def test_documents_are_deleted_all_or_none(ingested: Run) -> None:
    result = ingested("delete", POLICY, "rules/none.md")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: no document 'rules/none.md'")
    assert ingested("show", POLICY).exit_code == 0


def test_an_id_named_twice_is_deleted_once(ingested: Run) -> None:
    assert json.loads(ingested("delete", POLICY, POLICY, "--json").stdout) == {
        "documents": 1,
        "erased": True,
    }


def test_purge_reduces_restricted_text_to_stubs(
    run: Run, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_RESTRICTED_AT_REST", "text")
    run("ingest", "rules")
    before = json.loads(run("status", "--operator", "--json").stdout)["operator"]
    result = run("purge", "--restricted")
    after = json.loads(run("status", "--operator", "--json").stdout)["operator"]
    assert result.stdout == "RESTRICTED text of 1 document erased.\n"
    assert (before["restricted_documents"], before["stubs"]) == (1, 0)
    assert (after["restricted_documents"], after["stubs"]) == (0, 1)
    assert json.loads(run("purge", "--restricted", "--json").stdout) == {
        "documents": 0,
        "erased": True,
    }


def test_purge_without_its_flag_is_a_wrong_use(ingested: Run) -> None:
    result = ingested("purge")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--restricted" in result.stderr
