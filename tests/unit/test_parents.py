from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest

from ragspine_graph import Reader, Sensitivity, cleared_parents, retrieve_parent_contexts
from ragspine_graph.errors import RequestError
from ragspine_store.chunking import ChildChunk, ParentChunk
from ragspine_store.errors import QueryError
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.testing import Part, make_document
from ragspine_store.testing.base import put


class Children:
    """Gives children of these parents, in this order."""

    def __init__(self, *parent_ids: str) -> None:
        self._parent_ids = parent_ids
        self.asked: list[int] = []

    def similarity_search(self, query: str, k: int) -> Sequence[ChildChunk]:
        self.asked.append(k)
        return [
            ChildChunk(id=f"c{n}", parent_id=parent_id, doc_id="d", content="")
            for n, parent_id in enumerate(self._parent_ids)
        ][:k]


class Parents:
    """Has these parents."""

    def __init__(self, *parent_ids: str) -> None:
        self._parent_ids = parent_ids

    def get_many(self, parent_ids: Sequence[str]) -> Mapping[str, ParentChunk]:
        return {
            key: ParentChunk(id=key, doc_id="d", title="", content="")
            for key in parent_ids
            if key in self._parent_ids
        }


@pytest.mark.parametrize(
    ("children", "parents", "most", "expected"),
    [
        ("abcab", "abc", 4, "abc"),
        ("cabca", "abc", 4, "cab"),
        ("abcdef", "abcdef", 4, "abcd"),
        ("abcdef", "abcdef", 1, "a"),
        ("abcdef", "cdef", 4, "cdef"),
        ("a", "", 4, ""),
        ("", "abc", 4, ""),
    ],
)
def test_parents_come_in_the_order_of_their_first_hit_each_once(
    children: str, parents: str, most: int, expected: str
) -> None:
    found = retrieve_parent_contexts("q", Children(*children), Parents(*parents), 20, most)
    assert [parent.id for parent in found] == [*expected]


def test_children_without_a_parent_give_none() -> None:
    found = retrieve_parent_contexts("q", Children("", "a", ""), Parents("", "a"))
    assert [parent.id for parent in found] == ["a"]


def test_twenty_children_are_asked_for_unless_told_otherwise() -> None:
    children = Children()
    retrieve_parent_contexts("q", children, Parents())
    retrieve_parent_contexts("q", children, Parents(), top_k_children=3)
    assert children.asked == [20, 3]


@pytest.mark.parametrize("numbers", [(0, 4), (20, 0), (-1, 4)])
def test_a_number_below_one_is_an_error(numbers: tuple[int, int]) -> None:
    with pytest.raises(RequestError, match="expected at least 1"):
        retrieve_parent_contexts("q", Children(), Parents(), *numbers)


@pytest.fixture
def store() -> Iterator[ChunkStore]:
    with ChunkStore(":memory:") as store:
        store.init_schema()
        put(
            store,
            make_document("a.md", Part("A", ("tea", "tea tea", "milk")), Part("B", ("tea",))),
            make_document("b.md", Part("C", ("tea",)), label=Sensitivity.CONFIDENTIAL),
            make_document("c.md", Part("D", ("tea",)), label=Sensitivity.RESTRICTED),
            make_document("e.md", Part("E", ("tea",)), windows=False),
        )
        yield store


def test_a_parent_is_its_whole_text_with_all_its_children(store: ChunkStore) -> None:
    with cleared_parents(store) as cleared:
        (parent,) = retrieve_parent_contexts("milk", cleared, cleared)
    assert parent == ParentChunk(
        id="a.md#s1",
        doc_id="a.md",
        title="A",
        content="# A\n\ntea\n\ntea tea\n\nmilk",
        child_ids=["a.md#c0", "a.md#c1", "a.md#c2"],
        metadata={"source_locator": "a.md#para1-4"},
    )


def test_each_reader_gets_the_parents_it_may_see(store: ChunkStore) -> None:
    for reader, expected in (
        (Reader(), {"a.md#s1", "a.md#s2", "b.md#s1"}),
        (Reader(Sensitivity.INTERNAL), {"a.md#s1", "a.md#s2"}),
        (Reader(Sensitivity.PUBLIC), set[str]()),
        (Reader(collections=frozenset({"x"})), set[str]()),
    ):
        with cleared_parents(store, reader) as cleared:
            found = retrieve_parent_contexts("tea", cleared, cleared)
            assert {parent.id for parent in found} == expected
            every = [f"{doc}.md#s{n}" for doc in "abce" for n in (1, 2)]
            assert set(cleared.get_many(every)) == expected


def test_children_carry_their_parent_and_their_locator(store: ChunkStore) -> None:
    with cleared_parents(store) as cleared:
        (child,) = cleared.similarity_search("milk", 5)
        assert child.metadata == {"parent_id": "a.md#s1", "source_locator": "a.md#para4"}
        with pytest.raises(QueryError):
            cleared.similarity_search("?", 5)


def test_parents_and_children_hide_their_text_from_repr(store: ChunkStore) -> None:
    with cleared_parents(store) as cleared:
        (parent,) = retrieve_parent_contexts("milk", cleared, cleared)
        (child,) = cleared.similarity_search("milk", 5)
    assert "milk" not in repr(parent) + repr(child) + str(parent) + str(child)
