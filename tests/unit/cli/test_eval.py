import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Run = Callable[..., Result]

QUESTIONS = (
    {"id": "lunch", "kind": "item", "question": "試用期間の昼食手当", "answers": ["本採用以降"]},
    {"id": "remote", "question": "work remotely", "gold_ids": ["rules/policy.md"]},
    {"id": "gone", "kind": "item", "question": "手当", "gold_ids": ["rules/plan.md"]},
    {"id": "none", "question": "canteen"},
)


@pytest.fixture
def asked(ingested: Run, tmp_path: Path) -> Run:
    """Runs the command line where there are a store and a file of questions."""
    write(tmp_path, *QUESTIONS)
    return ingested


def write(folder: Path, *questions: object) -> None:
    lines = [json.dumps(question, ensure_ascii=False) for question in questions]
    (folder / "set.jsonl").write_text("\n".join(lines), encoding="utf-8")


def found(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_json_has_exactly_the_keys_that_others_rely_on(asked: Run) -> None:
    answer = found(asked("eval", "set.jsonl", "--json", "--misses", "5"))
    assert list(answer) == [
        *("questions", "k", "budget", "expand", "confidence", "seed", "groups", "unanswerable"),
        *("refused", "unknown_gold", "against", "differences", "misses", "timings_ms"),
    ]
    assert (answer["questions"], answer["k"], answer["unknown_gold"]) == (4, [1, 5, 10], 1)
    assert answer["unanswerable"] == {"questions": 1, "refused": 0, "nothing_found": 1}
    assert (answer["against"], answer["differences"], answer["timings_ms"]) == (None, None, None)
    everything, *kinds = answer["groups"]
    assert list(everything) == ["kind", "questions", "figures"]
    assert [group["kind"] for group in (everything, *kinds)] == [None, "", "item"]
    assert list(everything["figures"]["recall@5"]) == ["mean", "low", "high"]
    assert everything["figures"]["recall@5"]["mean"] == pytest.approx(2 / 3)
    (miss,) = answer["misses"]
    assert list(miss) == ["id", "question", "kind", "problem", "gold", "above"]
    assert miss["gold"] == [{"gold": "rules/plan.md", "rank": None, "known": False}]
    assert list(miss["above"][0]) == ["chunk_id", "locator"]


def test_figures_are_printed_by_kind_with_intervals(asked: Run) -> None:
    lines = asked("eval", "set.jsonl").stdout.splitlines()
    assert lines[0].split() == ["all", "(3)", "(no", "kind)", "(1)", "item", "(2)"]
    assert next(line for line in lines if line.startswith("MRR@10")).split()[1:4] == [
        *("0.667", "[0.000,", "1.000]"),
    ]
    assert lines[-2:] == [
        "1 question without gold, counted apart: 1 found nothing.",
        "1 gold item names nothing that this reader may see, or a span of a format that has none.",
    ]


def test_what_was_missed_is_listed_on_request(asked: Run) -> None:
    assert "rules/plan.md" not in asked("eval", "set.jsonl").stdout
    shown = asked("eval", "set.jsonl", "--misses", "1").stdout
    assert "gone  手当\n   not found: rules/plan.md\n   above it: 1. rules/就業規則.md#c" in shown
    assert "試用期間" not in shown


def test_cut_offs_are_chosen(asked: Run) -> None:
    answer = found(asked("eval", "set.jsonl", "-k", "3", "-k", "2", "--json"))
    assert list(answer["groups"][0]["figures"])[:3] == ["recall@2", "recall@3", "mrr@3"]
    assert asked("eval", "set.jsonl", "-k", "0").stderr == (
        "error: k = 0 given; expected numbers from 1 to 1,000\n"
    )


def test_two_configurations_are_compared_on_the_same_questions(asked: Run, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text("top_k_children = 1\n", encoding="utf-8")
    answer = found(asked("eval", "set.jsonl", "--against", "small.toml", "--json"))
    ours, theirs, apart = (
        next(group["figures"] for group in groups if group["kind"] is None)["context_characters"]
        for groups in (answer["groups"], answer["against"]["groups"], answer["differences"])
    )
    assert list(apart) == ["mean", "half_width", "p"]
    assert apart["mean"] == pytest.approx(ours["mean"] - theirs["mean"])
    printed = asked("eval", "set.jsonl", "--against", "small.toml").stdout.splitlines()
    assert printed[0] == "all: 3 questions"
    assert printed[1].split() == ["this", "against", "difference", "half-width", "p"]


def test_two_stores_are_compared_where_each_file_names_one(asked: Run, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(
        'store = "sqlite:///other.db"\nchunker = "sentence_window"\n', encoding="utf-8"
    )
    assert asked("ingest", "rules/policy.md", "--config", "other.toml").exit_code == 0
    answer = found(asked("eval", "set.jsonl", "--against", "other.toml", "--json"))
    assert answer["differences"][0]["figures"]["recall@5"]["mean"] == pytest.approx(1 / 3)


def test_a_page_is_written(asked: Run, tmp_path: Path) -> None:
    result = asked("eval", "set.jsonl", "--html", "page.html")
    assert result.exit_code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("<svg") == 12


def test_times_are_told_last_and_only_on_request(asked: Run) -> None:
    assert list(found(asked("eval", "set.jsonl", "--timings", "--json"))["timings_ms"]) == [
        *("search_p50", "search_p95", "context_p50", "context_p95"),
    ]
    lines = asked("eval", "set.jsonl", "--timings").stdout.splitlines()
    assert [line.split()[0] for line in lines[-4:]] == [
        *("search_p50", "search_p95", "context_p50", "context_p95"),
    ]
    assert asked("eval", "set.jsonl").stdout == asked("eval", "set.jsonl").stdout


def test_questions_without_gold_alone_give_no_figures(asked: Run, tmp_path: Path) -> None:
    write(tmp_path, {"question": "canteen"}, {"question": "手当"})
    result = asked("eval", "set.jsonl", "--timings", "--html", "page.html")
    assert result.stdout.startswith(
        "2 questions without gold, counted apart: 1 found nothing.\n\nsearch_p50"
    )


def test_refused_questions_are_counted(
    asked: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "profile.toml").write_text(
        '[external_entities]\n"Kestrel" = "Kestrel"\n', encoding="utf-8"
    )
    monkeypatch.setenv("RAGSPINE_PROFILE", "profile.toml")
    write(tmp_path, {"question": "Kestrel?", "answers": ["x"]})
    shown = asked("eval", "set.jsonl").stdout
    assert shown.endswith("1 question refused: they name an external party.\n")
    assert found(asked("eval", "set.jsonl", "--json"))["refused"] == 1


def test_a_wrong_line_is_one_line_on_stderr(asked: Run, tmp_path: Path) -> None:
    write(tmp_path, {"question": "first"}, {"question": "the secret", "gold": "x"})
    result = asked("eval", "set.jsonl")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(
        "error: questions 'set.jsonl', line 2, key 'gold': unknown key; expected one of question,"
    )
    assert "the secret" not in result.stderr
