"""Everyday words in questions: which are found, and what is asked for beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_graph.profile import load_profile
from ragspine_graph.retrieval.question_reader import QuestionReader
from ragspine_graph.retrieval.synonyms import Synonyms

EXAMPLE = Path(__file__).parents[2] / "examples" / "work_rules.toml"
TERMS = {
    "有休": ["年次有給休暇"],
    "休み": ["休暇"],
    "お昼休み": ["休憩時間"],
    "pay": ["wage"],
    "Ｐａｙ　Ｒａｉｓｅ": ["increase"],
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("有休は何日？", ["年次有給休暇"]),
        ("お昼休みは？", ["休憩時間"]),
        ("休みと有休", ["休暇", "年次有給休暇"]),
        ("休みとは休暇か", []),
        ("When is the PAY RAISE?", ["increase"]),
        ("payable", []),
        ("", []),
    ],
    ids=["one", "longest", "several", "said already", "width and case", "part of a word", "empty"],
)
def test_the_terms_of_the_words_of_a_text(text: str, expected: list[str]) -> None:
    assert Synonyms(TERMS).find_terms(text) == expected


def test_terms_are_asked_for_beside_the_question() -> None:
    reader = QuestionReader(synonyms=Synonyms(TERMS))
    asked, plain = reader.read("有休は何日？"), QuestionReader().read("有休は何日？")
    assert asked.text == "有休は何日？"
    assert asked.expanded == "有休は何日？\n年次有給休暇"
    assert asked.query.terms[: len(plain.query.terms)] == plain.query.terms
    assert {("年次",), ("有給",)} <= {term.tokens for term in asked.query.terms}
    assert len(set(asked.query.terms)) == len(asked.query.terms)


def test_a_term_with_nothing_to_search_for_changes_nothing() -> None:
    reader = QuestionReader(synonyms=Synonyms({"有休": ["!?"]}))
    assert reader.read("有休").query == QuestionReader().read("有休").query


def test_the_example_for_work_rules_loads_and_is_small() -> None:
    synonyms = load_profile(EXAMPLE).synonyms
    assert 100 < len(synonyms) <= 150
    assert all(terms and all(map(str.strip, terms)) for terms in synonyms.values())


def test_a_profile_finds_what_its_readers_call_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "rules.md"
    file.write_text("# 規程\n\n年次有給休暇は10日とする。\n\nボーナスの話。\n", encoding="utf-8")
    with KnowledgeBase.open(tmp_path / "a.db", ServiceConfig.load(profile=EXAMPLE)) as knowledge:
        knowledge.ingest(file)
        with_synonyms = knowledge.search("有休").snippets
        parents = knowledge.parent_contexts("有休")
    with KnowledgeBase.open(tmp_path / "a.db", ServiceConfig.load()) as knowledge:
        assert knowledge.search("有休").snippets == ()
    assert "年次有給休暇は10日" in with_synonyms[0].text
    assert parents == []
