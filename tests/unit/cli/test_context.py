import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Run = Callable[..., Result]

ARTICLE = "### 第4条：諸手当"


@pytest.fixture
def tree(run: Run, rules: Path) -> Run:
    """Runs the command line on a store whose documents are trees."""
    assert run("ingest", "rules", "--chunker", "hierarchical").exit_code == 0
    return run


def found(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_json_has_exactly_the_keys_that_others_rely_on(tree: Run) -> None:
    answer = found(tree("context", "昼食手当", "--json"))
    assert list(answer) == ["query", "blocks", "left_out", "refused"]
    assert (answer["query"], answer["left_out"], answer["refused"]) == ("昼食手当", 0, None)
    (block,) = answer["blocks"]
    assert list(block) == [
        "node_id",
        "doc_id",
        "title",
        "heading_path",
        "locator",
        "text",
        "evidence",
        "citations",
        "score",
        "span",
    ]
    assert block["text"].startswith(ARTICLE)
    assert len(block["evidence"]) == len(block["citations"]) == 4


def test_a_block_is_shown_with_title_path_place_score_text_and_what_to_cite(tree: Run) -> None:
    result = tree("context", "給与は毎月25日", "--expand", "merge")
    lines = result.stdout.splitlines()
    assert (result.exit_code, lines[:3]) == (
        0,
        ["1. 就業規則", "   就業規則 > 第1章 賃金 > 第4条：諸手当", "   rules/就業規則.md#para7"],
    )
    hit = tree("search", "給与は毎月25日", "-k", "1").stdout.splitlines()
    assert lines[3] == hit[3]
    assert float(lines[3].removeprefix("   score ")) > 0
    assert lines[4:6] == [
        "   4. 各手当は、毎月25日に支給する。",
        "   cite rules/就業規則.md#para7",
    ]


def test_enough_hits_are_merged_into_the_branch_that_holds_them(tree: Run) -> None:
    (block,) = found(tree("context", "諸手当", "--expand", "merge", "--json"))["blocks"]
    shown = found(tree("show", block["node_id"], "--json"))
    assert block["text"] == shown["text"].strip()
    # One article of two is half of their chapter.
    assert block["text"].startswith("## 第1章 賃金")
    assert block["evidence"] == shown["chunks"][:4]


def test_what_the_budget_leaves_out_is_counted(tree: Run) -> None:
    result = tree("context", "昼食手当", "--budget", "10")
    assert (result.exit_code, result.stdout) == (
        0,
        "Nothing fits the budget: the first block takes 96 tokens, so --budget 96 would hold it.\n"
        "1 block left out: the budget has no room for more.\n",
    )
    assert "1. " in tree("context", "昼食手当", "--budget", "96").stdout


def test_windows_after_the_most_that_are_given_are_counted(
    tree: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_MAX_PARENTS", "1")
    monkeypatch.setenv("RAGSPINE_SCORE_FLOOR", "0")
    shown = tree("context", "手当 退職").stdout
    assert shown.endswith("1 window left out: max_parents allows no more.\n")
    assert found(tree("context", "手当 退職", "--json"))["left_out"] == 1


def test_nothing_found_is_said(tree: Run) -> None:
    result = tree("context", "Kingfisher")
    assert result.exit_code == 0
    assert result.stdout.startswith("Nothing found: ")


def test_filters_clearance_and_collections_narrow_what_is_read(tree: Run) -> None:
    for narrow in (
        ("--filter", "doc_id=rules/policy.md"),
        ("--clearance", "PUBLIC"),
        ("--collection", "other"),
    ):
        assert found(tree("context", "昼食手当", *narrow, "--json"))["blocks"] == []
