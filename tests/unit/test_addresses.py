"""Addresses in questions: read, found among what the reader sees, and what they count."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, Reader, ServiceConfig
from ragspine_graph.results import SearchResult
from ragspine_graph.retrieval.asked_addresses import find_asked, heading_address
from ragspine_graph.retrieval.finder import Finder
from ragspine_store.sensitivity import Sensitivity

LAW = """# 労働法

## 第1条 目的

この法律は手当の支給を定める。

## 第38条 休暇

1. 休暇は十日とする。
2. 休暇は申請による。

## 第39条 手当

手当は第38条により支給する。手当は手当とする。
"""
RULES = LAW.replace("# 労働法", "# 賃金規程").replace("十日", "八日")
LOW = Reader(Sensitivity.INTERNAL)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("民法第709条とは", [("民法", "article 709")]),
        ("第三十八条の二第3項", [("", "article 38-2", "paragraph 3")]),
        ("法第4条", [("", "article 4")]),
        ("民法第18条及び第19条", [("民法", "article 18"), ("民法", "article 19")]),
        ("Article 6(1)(f)", [("", "article 6", "paragraph 1", "point f")]),
        ("前条の手当", []),
        ("第2章について", []),
        ("手当は3日後", []),
        ("When are wages paid?", []),
        ("", []),
    ],
)
def test_the_addresses_of_a_question(text: str, expected: list[tuple[str, ...]]) -> None:
    found = [(a.title, *(f"{s.unit} {s.number}" for s in a.path)) for a in find_asked(text)]
    assert found == expected


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("第38条　年次有給休暇", ("", "38")),
        ("民法 第七百九条", ("民法", "709")),
        ("Article 6 Lawfulness", ("", "6")),
        ("第6章 休暇", None),
        ("Pay", None),
        ("", None),
    ],
)
def test_the_article_of_a_heading(heading: str, expected: tuple[str, str] | None) -> None:
    found = heading_address(heading)
    assert (found and (found.title, found.path[0].number)) == expected


@pytest.fixture(params=["parent_child", "hierarchical"])
def knowledge(request: pytest.FixtureRequest, tmp_path: Path) -> KnowledgeBase:
    for name, text in (("law", LAW), ("rules", RULES)):
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    opened = KnowledgeBase.open(":memory:", ServiceConfig.load(chunker=request.param))
    opened.ingest([tmp_path / "law.md", tmp_path / "rules.md"], root=tmp_path)
    return opened


def texts(result: SearchResult) -> list[str]:
    return [f"{snippet.doc_id} {snippet.text}" for snippet in result.snippets]


def test_what_stands_at_the_address_comes_first(knowledge: KnowledgeBase) -> None:
    with knowledge:
        assert (
            texts(knowledge.search("労働法第38条第2項の手当"))[0] == "law.md 2. 休暇は申請による。"
        )
        assert texts(knowledge.search("賃金規程第38条第1項の手当"))[0] == (
            "rules.md 1. 休暇は八日とする。"
        )
        # Without a name any document is meant, a little.
        found = texts(knowledge.search("第38条第2項"))
        for doc_id, first in (("law.md", "十日"), ("rules.md", "八日")):
            at_second = found.index(f"{doc_id} 2. 休暇は申請による。")
            assert at_second < found.index(f"{doc_id} 1. 休暇は{first}とする。")


def test_a_question_without_an_address_is_as_if_there_were_none(knowledge: KnowledgeBase) -> None:
    with knowledge:
        result = knowledge.search("手当の支給")
    assert len(result.snippets) > 2
    assert {snippet.scores.vector for snippet in result.snippets} == {None}


def test_what_is_withheld_is_at_no_address(knowledge: KnowledgeBase) -> None:
    with knowledge:
        everything = texts(knowledge.search("労働法第38条第2項"))
        assert any("law.md 2." in text for text in everything)
        section = next(s.locator.heading_path for s in knowledge.search("労働法第38条").snippets)
        assert section[-1].startswith("第38条")
        knowledge.relabel("law.md#s3", "CONFIDENTIAL")
        low = texts(knowledge.search("労働法第38条第2項", reader=LOW))
        assert not any("law.md 1." in text or "law.md 2." in text for text in low)
        assert any("law.md 2." in t for t in texts(knowledge.search("労働法第38条第2項")))
        knowledge.relabel("law.md", "RESTRICTED")
        without = knowledge.search("労働法第38条第2項", reader=LOW).to_dict()
        knowledge.delete("law.md")
        assert knowledge.search("労働法第38条第2項", reader=LOW).to_dict() == without


def test_a_finder_alone_ranks_by_words_alone() -> None:
    assert Finder().addresses is None
    assert Finder().article_weight == 0
