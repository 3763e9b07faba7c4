"""Addresses and versions are found however they are written, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragspine_graph import KnowledgeBase, ServiceConfig

LINES = (
    "第三十八条 退職手当",
    "第３９条 賞与",
    "第25条 年次有給休暇",
    "第25条の2 深夜業",
    "第二十五条の三 妊産婦",
    "社員の一部 三十八人",
    "製品 v1.2.3 を使う。",
    "製品 v1.2.4 を使う。",
)


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("lines")
    for number, line in enumerate(LINES):
        (folder / f"{number}.txt").write_text(line, encoding="utf-8")
    with KnowledgeBase.open(folder / "kb.db", ServiceConfig()) as opened:
        opened.ingest(folder)
        yield opened


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("第38条", [0]),
        ("第３８条", [0]),
        ("第三十八条", [0]),
        ("第三八条", [0]),
        ("第三十九条", [1]),
        ("三十九条", [1]),
        ("第25条", [2]),
        ("第二十五条", [2]),
        ("第25条の2", [3]),
        ("第二十五条の二", [3]),
        ("第25条の3", [4]),
        ("一部", [5]),
        ("三十八", [5]),
        ("1.2.3", [6]),
        ('"v1.2.4"', [7]),
    ],
)
def test_a_query_finds_its_lines(knowledge: KnowledgeBase, query: str, found: list[int]) -> None:
    hits = knowledge.search(query).snippets
    assert sorted(hit.text for hit in hits) == sorted(LINES[number] for number in found)
