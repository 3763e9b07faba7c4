from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from ragspine_graph import NarrativeIndex, Reader, Sensitivity
from ragspine_graph.errors import RequestError
from ragspine_graph.retrieval import Passage, Snippet
from ragspine_graph.retrieval.narrative_index import RERANK_DEPTH
from ragspine_graph.retrieval.narrative_link import _snippet_text
from ragspine_store import ChunkStore, DocumentMeta, ParentChildChunker
from ragspine_store.errors import FilterError, QueryError

TEXT = "# Pay\n\n1. The salary is paid monthly.\n2. The allowance is paid with the salary.\n"


@pytest.fixture
def store() -> Iterator[ChunkStore]:
    with ChunkStore(":memory:") as store:
        store.init_schema()
        NarrativeIndex(store, chunker=ParentChildChunker()).ingest(TEXT, DocumentMeta("pay.md"))
        yield store


class Judge:
    def __init__(self, order: Callable[[list[str]], Sequence[str]]) -> None:
        self._order = order
        self.passages: list[Passage] = []

    def rerank(self, query: str, passages: Sequence[Passage]) -> Sequence[str]:
        self.passages = [*passages]
        return self._order([passage.chunk_id for passage in passages])


class Shortener:
    def __init__(self, keep: Callable[[str], str]) -> None:
        self._keep = keep

    def compress(self, query: str, text: str) -> str:
        return self._keep(text)


def found(index: NarrativeIndex, query: str = "salary", k: int = 10) -> list[Snippet]:
    return [cleared.value for cleared in index.search(query, k=k)]


def ids(snippets: Sequence[Snippet]) -> list[str]:
    return [snippet.chunk_id.removeprefix("pay.md#") for snippet in snippets]


def test_ingest_tells_how_many_children_it_wrote(store: ChunkStore) -> None:
    index = NarrativeIndex(store, chunker=ParentChildChunker())
    assert index.ingest(TEXT, DocumentMeta("pay.md")) == 0
    assert index.ingest(TEXT + "3. Last.\n", DocumentMeta("pay.md")) == 3
    assert index.ingest("tea", DocumentMeta("tea.md")) == 1


def test_the_chunker_given_is_the_one_that_cuts(store: ChunkStore) -> None:
    NarrativeIndex(store).ingest(TEXT, DocumentMeta("pay.md"))
    (snippet,) = found(NarrativeIndex(store))
    assert snippet.text == TEXT.replace("\n\n", "\n").strip()
    assert snippet.prompt_text == ""


ORDERS: dict[str, tuple[Callable[[list[str]], Sequence[str]], list[str]]] = {
    "same": (lambda given: given, ["c0", "c1"]),
    "reversed": (lambda given: given[::-1], ["c1", "c0"]),
    "one": (lambda given: [given[1]], ["c1", "c0"]),
    "repeated": (lambda given: [given[1]] * 3, ["c1", "c0"]),
    "invented": (lambda given: ["pay.md#c9", "other", "", given[1]], ["c1", "c0"]),
    "none": (lambda given: [], ["c0", "c1"]),
}


@pytest.mark.parametrize("name", [*ORDERS])
def test_a_judge_can_reorder_and_nothing_else(store: ChunkStore, name: str) -> None:
    order, expected = ORDERS[name]
    plain = {snippet.chunk_id: snippet for snippet in found(NarrativeIndex(store))}
    judged = found(NarrativeIndex(store, reranker=Judge(order)))
    assert ids(judged) == expected
    assert {snippet.chunk_id: snippet for snippet in judged} == plain


def test_a_judge_sees_more_than_k_and_the_cut_comes_after_it(store: ChunkStore) -> None:
    many = "\n\n".join(f"The salary of month {n}." for n in range(RERANK_DEPTH + 20))
    NarrativeIndex(store, chunker=ParentChildChunker()).ingest(many, DocumentMeta("many.md"))
    judge = Judge(lambda given: given[::-1])
    (best,) = found(NarrativeIndex(store, reranker=judge), k=1)
    assert len(judge.passages) == RERANK_DEPTH
    assert best.chunk_id == judge.passages[-1].chunk_id


def test_a_judge_is_not_asked_for_a_reader_who_sees_nothing(store: ChunkStore) -> None:
    judge = Judge(lambda given: given)
    reader = Reader(Sensitivity.PUBLIC)
    assert NarrativeIndex(store, reranker=judge).search("salary", reader=reader) == []
    assert judge.passages == []


def test_a_compressor_changes_the_prompt_alone(store: ChunkStore) -> None:
    plain = found(NarrativeIndex(store))
    short = found(NarrativeIndex(store, compressor=Shortener(lambda text: text[:5])))
    assert [s.prompt_text for s in short] == ["# Pay", "# Pay"]
    assert [replace(s, prompt_text=p.prompt_text) for s, p in zip(short, plain, strict=True)] == (
        plain
    )


def test_a_compressor_that_keeps_nothing_leaves_the_evidence(store: ChunkStore) -> None:
    (first, _) = found(NarrativeIndex(store, compressor=Shortener(lambda text: "")))
    assert (first.prompt_text, first.parent_locator) == ("", "")
    assert first.text == "1. The salary is paid monthly."


def test_a_compressor_shortens_the_child_where_there_is_no_window(store: ChunkStore) -> None:
    index = NarrativeIndex(store, compressor=Shortener(lambda text: text[-8:]))
    (first, _) = [hit.value for hit in index.search("salary", expand="none")]
    assert (first.prompt_text, first.parent_locator) == ("monthly.", "")
    assert first.text == "1. The salary is paid monthly."


def test_what_goes_into_a_prompt_is_the_window_or_else_the_child(store: ChunkStore) -> None:
    (first, _) = found(NarrativeIndex(store))
    assert _snippet_text(first) == TEXT.strip()
    assert _snippet_text(replace(first, prompt_text="")) == first.text


def test_judge_and_compressor_work_together(store: ChunkStore) -> None:
    index = NarrativeIndex(
        store,
        reranker=Judge(lambda given: given[::-1]),
        compressor=Shortener(str.upper),
    )
    assert [s.prompt_text.isupper() for s in found(index)] == [True, True]
    assert ids(found(index)) == ["c1", "c0"]


def test_a_wrong_request_is_an_error_before_anything_is_asked(store: ChunkStore) -> None:
    judge = Judge(lambda given: given)
    index = NarrativeIndex(store, reranker=judge)
    with pytest.raises(RequestError):
        index.search("salary", k=0)
    with pytest.raises(QueryError):
        index.search("?")
    with pytest.raises(FilterError):
        index.search("salary", filters={"x": ["y"]})
    assert judge.passages == []
