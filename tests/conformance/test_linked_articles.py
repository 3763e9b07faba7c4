"""Articles that a context adds because of references: which, whole, and for whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragspine_graph import KnowledgeBase, Reader, Sensitivity, ServiceConfig
from ragspine_graph.results import ContextResult
from ragspine_graph.retrieval import ContextBlock, Shape
from ragspine_graph.retrieval.via import Step
from ragspine_store.sqlite_store import ChunkStore
from tests.backends import statements_of
from tests.conftest import AtRest

SHAPES: tuple[Shape, ...] = ("window", "merge")
LOW = Reader(Sensitivity.INTERNAL)

RULES = """# 就業規則

## 第1条 休暇

1. 特別な祝日は第3条による。

## 第2条 服装

1. 上着を着る。

## 第3条 届出

1. 前の日までに書面を出す。
2. 急な場合は電話で足りる。

## 第4条 例外

1. 第1条は役員に当てはまらない。
"""
QUESTION = "特別な祝日"


@pytest.fixture
def open_with(
    tmp_path: Path, store_url: str, at_rest: AtRest
) -> Iterator[Callable[..., KnowledgeBase]]:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "a.md").write_text(RULES, encoding="utf-8")
    opened: list[KnowledgeBase] = []

    def open_with(*, ingests: bool = False, **settings: Any) -> KnowledgeBase:
        config = ServiceConfig.load(
            store=store_url,
            restricted_at_rest=at_rest,
            chunker="hierarchical",
            relation_extractor="deterministic",
            **settings,
        )
        opened.append(KnowledgeBase.open(config=config))
        if ingests:
            opened[-1].ingest(folder)
            opened[-1].build_relations()
        return opened[-1]

    yield open_with
    for knowledge in opened:
        knowledge.close()


def linked(result: ContextResult) -> list[ContextBlock]:
    return [block for block in result.blocks if block.via]


@pytest.mark.guarantee("G1")
@pytest.mark.guarantee("G2")
def test_linked_articles_come_whole_after_the_others_with_their_way(
    open_with: Callable[..., KnowledgeBase],
) -> None:
    knowledge = open_with(ingests=True, linked_articles=5)
    for shape in SHAPES:
        result = knowledge.context(QUESTION, expand=shape)
        first, *others = result.blocks
        assert first.evidence == ("rules/a.md#c0",)
        assert [block.node_id for block in others] == ["rules/a.md#s4", "rules/a.md#s5"]
        refers, referred = others
        assert refers.text == RULES[RULES.index("## 第3条") : RULES.index("## 第4条")].strip()
        assert refers.heading_path == ("就業規則", "第3条 届出")
        assert (refers.evidence, refers.citations, refers.score) == ((), (), 0.0)
        (step,) = refers.via
        assert step.kind == "refers_to"
        assert (step.from_id, step.to_id) == ("section:rules/a.md#s2", "section:rules/a.md#s4")
        (back,) = referred.via
        assert (back.from_id, back.to_id) == ("section:rules/a.md#s2", "section:rules/a.md#s5")
        assert step.edge_id in {edge.id for edge in knowledge.relations.list(limit=100).edges}
        assert list(refers.to_dict())[-2:] == ["span", "via"]
        assert refers.to_dict()["via"] == [Step(*step).to_dict()]
        assert "via" not in first.to_dict()

    # At most so many; none; inside the budget.
    one = open_with(linked_articles=1)
    assert [b.node_id for b in linked(one.context(QUESTION))] == ["rules/a.md#s4"]
    assert linked(open_with(linked_articles=0).context(QUESTION)) == []
    tight = knowledge.context(QUESTION, expand="merge", budget=20)
    assert (len(tight.blocks), linked(tight), tight.left_out) == (1, [], 2)

    # One that is a hit already is not given again.
    both = knowledge.context(f"{QUESTION} 書面 電話", expand="merge").blocks
    texts = [block.span for block in both]
    assert len({block.node_id for block in both}) == len(both)
    assert all(
        not one.overlaps(other)
        for at, one in enumerate(texts)
        for other in texts[at + 1 :]
        if one and other
    )

    # What hides a part from a reader is no article to him, and takes nobody's place.
    knowledge.relabel("rules/a.md#c3", "CONFIDENTIAL")
    assert [b.node_id for b in linked(one.context(QUESTION))] == ["rules/a.md#s4"]
    assert [b.node_id for b in linked(one.context(QUESTION, reader=LOW))] == ["rules/a.md#s5"]
    knowledge.relabel("rules/a.md#s4", "RESTRICTED")
    knowledge.build_relations()
    for asked in (one, knowledge):
        for shape in SHAPES:
            result = asked.context(QUESTION, expand=shape)
            assert [block.node_id for block in linked(result)] == ["rules/a.md#s5"]
            assert "書面" not in repr(result.to_dict())
            assert "#s4" not in repr(result.to_dict())


def test_a_store_without_relations_gives_what_it_gave(
    open_with: Callable[..., KnowledgeBase], tmp_path: Path
) -> None:
    knowledge = open_with(linked_articles=5)
    knowledge.ingest(tmp_path / "rules")
    for shape in SHAPES:
        (block,) = knowledge.context(QUESTION, expand=shape).blocks
        assert block.evidence == ("rules/a.md#c0",)


def test_more_links_take_no_more_statements(tmp_path: Path) -> None:
    def statements(articles: int) -> int:
        store = ChunkStore(tmp_path / f"{articles}.db")
        store.init_schema()
        text = "# 規程\n\n" + "".join(
            f"## 第{n}条\n\n1. 祝日{'は第1条による' if n > 1 else ''}。\n\n## 第{n + 50}条\n\n"
            f"1. 第{n}条を見よ。\n\n"
            for n in range(1, articles + 1)
        )
        config = ServiceConfig(
            chunker="hierarchical", relation_extractor="deterministic", linked_articles=100
        )
        (tmp_path / "a.md").write_text(text, encoding="utf-8")
        with KnowledgeBase(store, config) as knowledge:
            knowledge.ingest(tmp_path / "a.md")
            knowledge.build_relations()
            assert len(linked(knowledge.context("祝日", expand="merge"))) >= articles - 1
            return len(statements_of(store, lambda: knowledge.context("祝日", expand="merge")))

    assert statements(3) == statements(20) <= 32
