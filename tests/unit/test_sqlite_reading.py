"""Reads take a number of statements that does not grow with what they read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.testing import Part, make_document
from ragspine_store.testing.base import put


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


def statements_of(store: ChunkStore, call: Callable[[], object]) -> list[str]:
    """The statements that a call runs, those inside of the engine left out."""
    traced: list[str] = []
    db = store._connection._db
    db.set_trace_callback(traced.append)
    try:
        call()
    finally:
        db.set_trace_callback(None)
    return [statement for statement in traced if not statement.startswith("--")]


def test_expanding_more_hits_takes_no_more_statements(
    store: ChunkStore, knowledge: KnowledgeBase
) -> None:
    counts: dict[int, int] = {}
    for k in (1, 5, 20, 100):
        assert len(knowledge.search("tea", k=k).snippets) == k
        counts[k] = len(statements_of(store, lambda k=k: knowledge.search("tea", k=k)))
    assert len(set(counts.values())) == 1
    assert counts[20] <= 8


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
        assert len(statements_of(store, lambda i=node_id: knowledge.show(i))) <= 9
    assert len(statements_of(store, knowledge.status)) <= 3
