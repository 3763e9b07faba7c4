"""Reads take a number of statements that does not grow with what they read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_graph.retrieval import Shape
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.testing import Part, make_document
from ragspine_store.testing.base import put
from tests.backends import statements_of


@pytest.fixture
def store() -> Iterator[ChunkStore]:
    with ChunkStore(":memory:") as store:
        store.init_schema()
        for no in range(5):
            parts = [
                Part(f"Section {n}", tuple(f"tea {no} {n} {m}" for m in range(4)), level=1 + n % 2)
                for n in range(5)
            ]
            put(store, make_document(f"{no}.md", *parts))
        yield store


@pytest.fixture
def knowledge(store: ChunkStore) -> KnowledgeBase:
    return KnowledgeBase(store, ServiceConfig(top_k_children=100, max_parents=25))


def test_expanding_more_hits_takes_no_more_statements(
    store: ChunkStore, knowledge: KnowledgeBase
) -> None:
    counts: dict[int, int] = {}
    for k in (1, 5, 20, 100):
        assert len(knowledge.search("tea", k=k).snippets) == k
        counts[k] = len(statements_of(store, lambda k=k: knowledge.search("tea", k=k)))
    assert len(set(counts.values())) == 1
    assert counts[20] <= 9


@pytest.mark.parametrize("expand", ["window", "merge"])
def test_a_context_of_more_hits_takes_no_more_statements(store: ChunkStore, expand: Shape) -> None:
    def context_of(hits: int) -> int:
        knowledge = KnowledgeBase(store, ServiceConfig(top_k_children=hits, max_parents=25))
        return len(statements_of(store, lambda: knowledge.context("tea", expand=expand)))

    assert len({context_of(hits) for hits in (1, 5, 20, 100)}) == 1
    assert context_of(20) <= 11


def test_the_windows_themselves_take_two_statements(
    store: ChunkStore, knowledge: KnowledgeBase
) -> None:
    windows, bare = (
        len(statements_of(store, lambda e=expand: knowledge.search("tea", k=20, expand=e)))
        for expand in ("window", "none")
    )
    assert windows - bare == 2


def test_parents_and_nodes_take_a_handful_of_statements(
    store: ChunkStore, knowledge: KnowledgeBase
) -> None:
    assert len(knowledge.parent_contexts("tea")) == 25
    assert len(statements_of(store, lambda: knowledge.parent_contexts("tea"))) <= 12
    for node_id in ("0.md", "0.md#s1", "0.md#c0", "0.md#para3-9"):
        assert len(statements_of(store, lambda i=node_id: knowledge.show(i))) <= 11
    assert len(statements_of(store, knowledge.status)) <= 13
