import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]


def test_a_document_is_shown_as_an_outline_with_counts_and_label(ingested: Run) -> None:
    shown = ingested("show", "rules/就業規則.md").stdout
    assert shown.splitlines()[0] == "就業規則  #s1"
    rows = [line.split() for line in shown.splitlines()]
    assert ["label", "INTERNAL"] in rows
    assert ["sections", "4"] in rows
    assert ["children", "5,", "from", "rules/就業規則.md#c0", "to", "rules/就業規則.md#c4"] in rows
    assert shown.endswith("\n\n  第1章 賃金  #s2\n    第4条：諸手当  #s3\n    第5条：退職  #s4\n")
    assert shown.count("就業規則") == 1 + shown.count("rules/就業規則.md")
    assert "通勤手当" not in shown


def test_a_section_is_shown_with_its_path_and_text(ingested: Run) -> None:
    shown = ingested("show", "rules/就業規則.md#s3").stdout
    assert shown.startswith("就業規則 > 第1章 賃金 > 第4条：諸手当\n")
    assert "2. 正社員に対しては、月額20,000円までの通勤手当を支給する。\n" in shown
    assert "退職する者" not in shown


def test_a_title_that_no_section_carries_is_shown_above_them(run: Run, tmp_path: Path) -> None:
    (tmp_path / "memo.txt").write_text("第1条　目的\n\n手当を定める。\n", encoding="utf-8")
    run("ingest", "memo.txt", "--root", ".")
    assert run("show", "memo.txt").stdout.startswith("memo\ndocument ")
    assert run("show", "memo.txt#s1").stdout.startswith("memo\n第1条　目的\nsection ")


def test_a_child_is_shown_with_its_citation_and_window(ingested: Run) -> None:
    lines = ingested("show", "rules/就業規則.md#c2").stdout.splitlines()
    assert "stands at   rules/就業規則.md#para6" in lines
    assert "3. 試用期間中の昼食手当の適用は、本採用以降とする。" in lines
    assert "   window rules/就業規則.md#para3-7" in lines


def test_a_range_of_paragraphs_is_shown_with_its_text(ingested: Run) -> None:
    shown = ingested("show", "rules/就業規則.md#para5-6").stdout
    assert "通勤手当" in shown
    assert "毎月25日" not in shown


@pytest.mark.parametrize("fragment", ["", "#s3", "#c2", "#para5-6"])
def test_json_has_the_same_keys_for_every_kind(ingested: Run, fragment: str) -> None:
    node_id = f"rules/就業規則.md{fragment}"
    shown = json.loads(ingested("show", node_id, "--json").stdout)
    assert list(shown) == [
        "id",
        "kind",
        "doc_id",
        "title",
        "collection",
        "sensitivity",
        "source_locator",
        "heading_path",
        "text",
        "span",
        "raw_span",
        "parent_id",
        "parent_locator",
        "prompt_text",
        "sections",
        "chunks",
    ]
    assert shown["id"] == node_id


@pytest.mark.parametrize("at_rest", ["stub", "text"])
@pytest.mark.parametrize("fragment", ["", "#s1", "#c0", "#para1"])
def test_a_restricted_id_is_answered_like_one_that_does_not_exist(
    run: Run, rules: Path, monkeypatch: pytest.MonkeyPatch, at_rest: str, fragment: str
) -> None:
    monkeypatch.setenv("RAGSPINE_RESTRICTED_AT_REST", at_rest)
    run("ingest", "rules", "--chunker", "parent_child")
    withheld = run("show", f"rules/plan.md{fragment}")
    missing = run("show", f"rules/none.md{fragment}")
    assert withheld.exit_code == missing.exit_code == 1
    assert withheld.stdout == missing.stdout == ""
    assert withheld.stderr.replace("plan", "none") == missing.stderr
    assert withheld.stderr.count("\n") == 1


def test_a_reader_is_shown_nothing_above_the_clearance(ingested: Run) -> None:
    assert ingested("show", "rules/policy.md", "--clearance", "PUBLIC").exit_code == 1
    assert ingested("show", "rules/policy.md", "--collection", "other").exit_code == 1
