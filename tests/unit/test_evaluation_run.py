"""Asking a set of questions of a store: what finds gold, and what is made of it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragspine_graph import KnowledgeBase, Reader, Sensitivity, ServiceConfig
from ragspine_graph.errors import RequestError
from ragspine_graph.evaluation import (
    EvaluationSettings,
    Outcome,
    Question,
    compare,
    evaluate,
    parse_questions,
    summarise,
)

PAY = """\
# Pay

## Article 1 Salary

1. The salary is paid on the 25th of each month.
2. The bonus is paid in June.

## Article 2 Allowance

1. A commuting allowance is paid up to 20,000 yen.
2. A lunch allowance is paid
   after probation.

## Article 3 Overtime

1. Overtime is settled hourly.
2. Night work counts double.
"""
LEAVE = "# Leave\n\nTwenty days of leave a year.\n"
MERGED = EvaluationSettings(expand="merge")


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("evaluation")
    rules = folder / "rules"
    rules.mkdir()
    (rules / "pay.md").write_text(PAY, encoding="utf-8")
    (rules / "leave.md").write_text(LEAVE, encoding="utf-8")
    config = ServiceConfig.load(chunker="hierarchical")
    with KnowledgeBase.open(folder / "rules.db", config) as knowledge:
        knowledge.ingest(rules)
        yield knowledge


def ask(
    knowledge: KnowledgeBase, settings: EvaluationSettings = MERGED, /, **line: object
) -> Outcome:
    (outcome,) = evaluate(knowledge, questions(line), settings)
    return outcome


def questions(*lines: dict[str, object]) -> tuple[Question, ...]:
    return parse_questions(map(json.dumps, lines), origin="test")


def span(text: str) -> dict[str, object]:
    start = PAY.index(text)
    return {"doc_id": "rules/pay.md", "start": start, "end": start + len(text)}


@pytest.mark.parametrize(
    ("gold", "found"),
    [
        ({"gold_ids": ["rules/pay.md"]}, (1,)),
        ({"gold_ids": ["rules/pay.md#s3"]}, (1,)),
        ({"gold_ids": ["rules/pay.md#c2"]}, (1,)),
        ({"gold_ids": ["rules/pay.md#s2", "rules/leave.md", "rules/none.md"]}, (3, None, None)),
        ({"gold_spans": [span("A commuting allowance")]}, (1,)),
        ({"gold_spans": [span("allowance is paid\n   after probation.")]}, (2,)),
        ({"gold_spans": [span("20,000 yen.\n2. A lunch")]}, (None,)),
        ({"gold_spans": [{"doc_id": "rules/pay.md", "start": 0, "end": 99_999}]}, (None,)),
        ({"answers": ["UP TO ２０,０００", "paid after probation", "in July"]}, (1, 2, None)),
    ],
    ids=[
        *("document", "section", "child", "several ids", "span", "span of two lines"),
        *("span of two children", "span beyond the file", "answers"),
    ],
)
def test_gold_is_found_by_the_first_hit_that_holds_it(
    knowledge: KnowledgeBase, gold: dict[str, object], found: tuple[int | None, ...]
) -> None:
    assert ask(knowledge, question="commuting allowance paid", **gold).ranks == found


def test_gold_that_names_nothing_is_told_from_gold_that_is_missed(knowledge: KnowledgeBase) -> None:
    outcome = ask(
        knowledge,
        question="commuting",
        gold_ids=["rules/leave.md", "rules/none.md", "rules/pay.md#s9"],
        gold_spans=[{"doc_id": "rules/pay.md", "start": 0, "end": 99_999}],
        answers=["never"],
    )
    assert outcome.is_known == (True, False, False, False, True)
    assert summarise([outcome], MERGED, seed=0).unknown_gold == 3


@pytest.mark.parametrize(
    ("gold", "hits", "articles"),
    [
        ({"gold_spans": [span("lunch")]}, (1,), (1,)),
        ({"gold_spans": [span("lunch"), span("A commuting")]}, (1,), (1,)),
        ({"gold_spans": [span("bonus"), span("lunch")]}, (3, 1), (2, 1)),
        ({"gold_ids": ["rules/pay.md"]}, (1,), (1,)),
        ({"gold_ids": ["rules/pay.md#s2"]}, (3,), (2,)),
        ({"gold_ids": ["rules/pay.md#c1"]}, (3,), (2,)),
        ({"answers": ["lunch", "the 25th"]}, (1, 3), (1, 2)),
        ({"gold_ids": ["rules/leave.md", "rules/none.md"]}, (None, None), (None, None)),
    ],
    ids=[
        *("the sibling of the hit", "two of one article", "two articles", "document", "section"),
        *("child", "answers", "not found"),
    ],
)
def test_an_article_is_found_by_any_hit_in_it(
    knowledge: KnowledgeBase,
    gold: dict[str, object],
    hits: tuple[int | None, ...],
    articles: tuple[int | None, ...],
) -> None:
    outcome = ask(knowledge, question="commuting allowance paid", **gold)
    assert [chunk for chunk, _ in outcome.hits] == [f"rules/pay.md#c{n}" for n in (2, 3, 1, 0)]
    assert outcome.article_ranks == hits
    assert outcome.distinct_article_ranks == articles


@pytest.mark.parametrize(
    ("items", "whole"),
    [
        (["up to 20,000 yen", "after probation", "leave a year"], 2),
        ([span("A commuting allowance"), span("bonus")], 1),
        ([span("20,000 yen.\n2. A lunch")], 1),
    ],
    ids=["strings", "spans", "a span that only the article holds"],
)
def test_a_context_holds_the_items_that_stand_whole_in_a_block(
    knowledge: KnowledgeBase, items: list[object], whole: int
) -> None:
    outcome = ask(
        knowledge,
        question="commuting lunch allowance yen probation",
        answers=["x"],
        items=items,
        filters={"section": "Article 2 Allowance"},
    )
    assert outcome.whole_items == whole
    (block,) = outcome.blocks
    assert block.raw_span is not None
    assert PAY[slice(*block.raw_span)].strip().startswith("## Article 2")
    assert outcome.characters == len(PAY[slice(*block.raw_span)].strip())


@pytest.mark.parametrize(
    ("gold", "completeness"),
    [
        (["rules/pay.md#s3"], 1.0),
        (["rules/pay.md#c2"], 1.0),
        (["rules/pay.md"], 0.0),
        (["rules/none.md"], 0.0),
    ],
    ids=["section", "child", "document", "unknown"],
)
def test_a_node_is_whole_with_all_of_its_children(
    knowledge: KnowledgeBase, gold: list[str], completeness: float
) -> None:
    outcome = ask(
        knowledge,
        question="commuting lunch allowance",
        gold_ids=gold,
        filters={"section": "Article 2 Allowance"},
    )
    assert outcome.figures([5])["completeness"] == completeness


@pytest.mark.parametrize("chunker", ["none", "parent_child", "sentence_window", "hierarchical"])
def test_blocks_of_every_chunker_are_found_in_their_file(tmp_path: Path, chunker: str) -> None:
    (tmp_path / "pay.md").write_text(f"<!-- a draft -->\n{PAY}", encoding="utf-8")
    with KnowledgeBase.open(tmp_path / "x.db", ServiceConfig.load(chunker=chunker)) as knowledge:
        knowledge.ingest(tmp_path / "pay.md", root=tmp_path)
        outcome = ask(knowledge, EvaluationSettings(), question="bonus June", answers=["in June"])
        (text,) = {block.text for block in knowledge.context("bonus June").blocks}
        assert (outcome.ranks, outcome.whole_items) == ((1,), 1)
        (block,) = outcome.blocks
        assert block.span is not None
        whole = knowledge.show("pay.md").text
        assert whole is not None
        assert "in June" in whole[slice(*block.span)]
        assert len(whole[slice(*block.span)].strip()) >= len(text)


def test_a_question_with_nothing_to_search_for_finds_nothing(knowledge: KnowledgeBase) -> None:
    outcome = ask(knowledge, question="？！", answers=["paid"])
    assert (outcome.problem, outcome.ranks, outcome.characters) == ("unsearchable", (None,), 0)
    assert set(outcome.figures([1]).values()) == {0.0}


def test_a_hit_that_may_not_find_still_takes_its_rank(knowledge: KnowledgeBase) -> None:
    asked = questions({"question": "commuting allowance paid", "answers": ["is paid"]})
    (outcome,) = evaluate(knowledge, asked, MERGED, may_find=lambda hit: "yen" not in hit.text)
    assert outcome.ranks == (2,)


def test_a_reader_who_may_not_see_a_document_does_not_know_its_gold(
    knowledge: KnowledgeBase,
) -> None:
    asked = questions({"question": "leave a year", "gold_ids": ["rules/leave.md"]})
    (outcome,) = evaluate(knowledge, asked, reader=Reader(Sensitivity.PUBLIC))
    assert (outcome.ranks, outcome.is_known, outcome.hits) == ((None,), (False,), ())


SET = questions(
    {"id": "a", "question": "salary paid", "kind": "pay", "answers": ["the 25th"]},
    {"id": "b", "question": "lunch", "kind": "pay", "gold_ids": ["rules/pay.md#s2"]},
    {"id": "c", "question": "leave", "kind": "rest", "gold_ids": ["rules/leave.md"]},
    {"id": "d", "question": "yen", "gold_spans": [span("bonus"), span("20,000")]},
    {"id": "e", "question": "allowance"},
    {"id": "f", "question": "weather"},
)


def test_a_report_groups_by_kind_and_counts_apart_what_cannot_be_answered(
    knowledge: KnowledgeBase,
) -> None:
    report = summarise(evaluate(knowledge, SET, MERGED), MERGED, seed=0)
    assert [(group.kind, group.questions) for group in report.groups] == [
        *((None, 4), ("", 1), ("pay", 2), ("rest", 1)),
    ]
    means = {name: figure.mean for name, figure in report.groups[0].figures.items()}
    assert list(means) == [
        *("recall@1", "recall@5", "recall@10", "mrr@10", "ndcg@1", "ndcg@5", "ndcg@10"),
        *("article_recall@1", "article_recall@5", "article_recall@10"),
        *("completeness", "context_characters", "items_per_1000_characters"),
    ]
    assert means["recall@1"] == (1 + 0 + 1 + 0.5) / 4
    assert means["mrr@10"] == (1 + 0 + 1 + 1) / 4
    assert report.to_dict()["unanswerable"] == {"questions": 2, "refused": 0, "nothing_found": 1}
    assert [miss.outcome.question.id for miss in report.misses(5)] == ["b", "d"]
    assert [miss.outcome.question.id for miss in report.misses(1)] == ["b"]


def test_a_miss_tells_ranks_and_what_stood_above_and_no_text(knowledge: KnowledgeBase) -> None:
    settings = EvaluationSettings((1,))
    asked = questions({"question": "allowance lunch", "answers": ["20,000 yen", "in June"]})
    report = summarise(evaluate(knowledge, asked, settings), settings, seed=0)
    (miss,) = report.misses(9)
    assert miss.gold_lines() == ["rank 2: 20,000 yen", "not found: in June"]
    assert miss.above_lines() == ["1. rules/pay.md#c3  rules/pay.md#para7-8"]
    assert "probation" not in json.dumps(miss.to_dict())


@settings(
    max_examples=settings().max_examples // 10,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(order=st.randoms())
def test_the_order_of_questions_does_not_matter(
    knowledge: KnowledgeBase, order: random.Random
) -> None:
    shuffled = order.sample(SET, len(SET))
    there, here = (
        summarise(evaluate(knowledge, asked, MERGED), MERGED, seed=3) for asked in (SET, shuffled)
    )
    assert here.groups == there.groups
    assert compare(here, there) == compare(there, here)
    assert all(figure.mean == 0 for figure in compare(here, there)[0].figures.values())


def test_a_report_of_unanswerable_questions_has_no_figures(knowledge: KnowledgeBase) -> None:
    report = summarise(evaluate(knowledge, SET[-2:], MERGED), MERGED, seed=0)
    assert (report.groups, report.misses(9), compare(report, report)) == ([], [], [])


@pytest.mark.parametrize("ks", [(), (0,), (1, 1_001)], ids=["none", "zero", "too large"])
def test_cut_offs_out_of_range_are_refused(ks: tuple[int, ...]) -> None:
    with pytest.raises(RequestError, match="expected numbers from 1 to 1,000"):
        EvaluationSettings(ks)


def test_cut_offs_are_put_in_order_each_once() -> None:
    assert EvaluationSettings((10, 1, 10)).ks == (1, 10)
