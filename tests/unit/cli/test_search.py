import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from ragspine_graph.cli.window import MAX_SHOWN_CHARS

Run = Callable[..., Result]


def found(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_json_has_exactly_the_keys_that_others_rely_on(ingested: Run) -> None:
    answer = found(ingested("search", "昼食手当", "--json"))
    assert list(answer) == ["query", "snippets", "locators", "refused"]
    assert (answer["query"], answer["refused"]) == ("昼食手当", None)
    assert list(answer["snippets"][0]) == [
        "text",
        "doc_id",
        "title",
        "source_locator",
        "chunk_id",
        "topic",
        "entity",
        "geography",
        "period",
        "language",
        "sensitivity",
        "scores",
        "prompt_text",
        "parent_locator",
    ]
    assert [list(locator) for locator in answer["locators"]] == [
        ["heading_path", "paragraphs", "span", "raw_span"]
    ] * len(answer["snippets"])


def test_the_raw_span_of_a_hit_is_its_place_in_the_file(ingested: Run, rules: Path) -> None:
    answer = found(ingested("search", "昼食手当", "--json"))
    start, end = answer["locators"][0]["raw_span"]
    text = (rules / "就業規則.md").read_text(encoding="utf-8")
    assert text[start:end] == answer["snippets"][0]["text"]


def test_a_hit_is_shown_with_title_path_citation_score_text_and_window(ingested: Run) -> None:
    lines = ingested("search", "昼食手当", "-k", "1").stdout.splitlines()
    assert lines[:3] == [
        "1. 就業規則",
        "   就業規則 > 第1章 賃金 > 第4条：諸手当",
        "   rules/就業規則.md#para6",
    ]
    assert float(lines[3].removeprefix("   score ")) > 0
    assert lines[4:7] == [
        "   3. 試用期間中の昼食手当の適用は、本採用以降とする。",
        "   window rules/就業規則.md#para3-7",
        "   | ### 第4条：諸手当",
    ]


def test_a_window_that_hits_share_is_shown_once(ingested: Run) -> None:
    shown = ingested("search", "通勤手当 昼食手当").stdout
    assert shown.count("window rules/就業規則.md#para3-7") == 1
    assert shown.count("| ### 第4条：諸手当") == 1
    assert "window as in hit 1" in shown


def test_expansion_changes_nothing_but_the_window(ingested: Run) -> None:
    with_window = found(ingested("search", "手当", "--json"))
    without = found(ingested("search", "手当", "--expand", "none", "--json"))
    assert with_window["snippets"][0]["prompt_text"]
    for snippet in with_window["snippets"]:
        del snippet["prompt_text"], snippet["parent_locator"]
    assert with_window == without
    assert "window" not in ingested("search", "手当", "--expand", "none").stdout


def test_a_long_window_is_shortened_for_the_eye_only(run: Run, tmp_path: Path) -> None:
    paragraphs = [f"Paragraph number {n} of a long section.\n\n" for n in range(60)]
    (tmp_path / "long.md").write_text("# Long\n\n" + "".join(paragraphs), encoding="utf-8")
    run("ingest", "long.md", "--root", ".", "--chunker", "parent_child")
    window = found(run("search", "number 59", "--json"))["snippets"][0]["prompt_text"]
    assert "number 59" in window
    shown = run("search", "number 59", "-k", "1").stdout
    kept = [line.removeprefix("   | ") for line in shown.splitlines() if line[:4] == "   |"]
    kept_chars = len("\n".join("" if line == "   |" else line for line in kept))
    assert MAX_SHOWN_CHARS / 2 <= kept_chars <= MAX_SHOWN_CHARS
    assert f"({len(window) - kept_chars:,} more characters; --json gives the whole window)" in shown


def test_k_limits_the_hits(ingested: Run) -> None:
    assert len(found(ingested("search", "手当", "-k", "2", "--json"))["snippets"]) == 2


def test_a_key_given_twice_means_any_of_its_values(ingested: Run) -> None:
    policy, handbook = "doc_id=rules/policy.md", "doc_id=rules/就業規則.md"
    query = ("search", "手当 remotely", "--json")
    one = found(ingested(*query, "--filter", policy))
    both = found(ingested(*query, "--filter", policy, "--filter", handbook))
    assert {s["doc_id"] for s in one["snippets"]} == {"rules/policy.md"}
    assert {s["doc_id"] for s in both["snippets"]} == {"rules/policy.md", "rules/就業規則.md"}


def test_different_keys_must_all_hold(ingested: Run) -> None:
    filters = ("--filter", "doc_id=rules/policy.md", "--filter", "section=第4条：諸手当")
    assert found(ingested("search", "手当 remotely", "--json", *filters))["snippets"] == []


def test_a_reader_finds_nothing_above_the_clearance(run: Run, rules: Path) -> None:
    run("ingest", "rules/policy.md", "--sensitivity", "CONFIDENTIAL")
    assert found(run("search", "remotely", "--json"))["snippets"]
    assert not found(run("search", "remotely", "--clearance", "internal", "--json"))["snippets"]


def test_a_reader_finds_nothing_outside_of_the_collections(run: Run, rules: Path) -> None:
    run("ingest", "rules/policy.md", "--collection", "hr")
    query = ("search", "remotely", "--json", "--collection")
    assert found(run(*query, "hr", "--collection", "it"))["snippets"]
    assert not found(run(*query, "it"))["snippets"]


def test_no_hit_is_said_in_a_sentence_and_is_no_error(ingested: Run) -> None:
    result = ingested("search", "nowhere")
    assert result.exit_code == 0
    assert result.stdout == "Nothing found: no text that this reader may see holds these words.\n"


def test_a_restricted_document_is_answered_like_none(ingested: Run) -> None:
    withheld = ingested("search", "Kingfisher", "--json").stdout
    assert withheld.replace("Kingfisher", "QUERY") == (
        ingested("search", "nowhere", "--json").stdout.replace("nowhere", "QUERY")
    )
    assert "plan.md" not in ingested("search", "通勤手当 secret").stdout


@pytest.mark.parametrize(
    "query", ["", "!", '"', "手" * 10_000], ids=["empty", "!", "quote", "long"]
)
def test_what_cannot_be_searched_is_one_clear_line(ingested: Run, query: str) -> None:
    result = ingested("search", query)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: the query ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("query", ["AND", "C++", "~x", "/b", "a:b", "(手当", "*手当", "NEAR(a b)"])
def test_no_character_of_a_query_is_an_operator(ingested: Run, query: str) -> None:
    assert ingested("search", query).exit_code == 0


def test_an_unknown_filter_key_lists_the_known(ingested: Run) -> None:
    result = ingested("search", "手当", "--filter", "author=x")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "error: unknown filter key 'author'; expected one of topic, entity, geography, period, "
        "language, doc_id, section, collection\n"
    )


def test_a_filter_without_a_value_is_a_wrong_use(ingested: Run) -> None:
    result = ingested("search", "手当", "--filter", "topic")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "expected key=value" in result.stderr
