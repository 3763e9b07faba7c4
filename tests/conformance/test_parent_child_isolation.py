"""A window never carries what an exit withholds: the conformance test of decision record 0018."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import pytest

from ragspine_graph import (
    KnowledgeBase,
    Reader,
    Sensitivity,
    ServiceConfig,
    cleared_parents,
    retrieve_parent_contexts,
)
from ragspine_graph.results import SearchResult
from ragspine_graph.retrieval import NarrativeIndex, Passage
from ragspine_store.errors import NotFoundError
from ragspine_store.protocols import Store
from ragspine_store.testing import Backend, Part, make_document
from ragspine_store.testing.base import put

LABELS = {
    "plain": "RESTRICTED",
    "lower": "restricted",
    "invisible": " restricted\u200b",
    "wide": "ｒｅｓｔｒｉｃｔｅｄ",
    "unknown": "TOP SECRET",
    "number": "3",
}
SECTION_LABELS = pytest.mark.parametrize("label", [*LABELS.values()], ids=[*LABELS])
WITHHELD_LABELS = pytest.mark.parametrize("label", [*LABELS.values(), ""], ids=[*LABELS, "blank"])
CANARY = "canaryquartz"
SIBLINGS = Part("Allowances", ("alpha tea", f"beta tea {CANARY}", "gamma tea"))
OTHER = Part("Other", ("delta tea",))

pytestmark = [pytest.mark.guarantee("G1"), pytest.mark.guarantee("G5")]


@pytest.fixture
def backend(each_backend: Backend) -> Backend:
    return each_backend


@pytest.fixture
def store(backend: Backend) -> Iterator[Store]:
    store = backend.open_store()
    put(store, make_document("rules.md", SIBLINGS, OTHER))
    yield store
    store.close()


@pytest.fixture
def knowledge(store: Store) -> KnowledgeBase:
    return KnowledgeBase(store, ServiceConfig())


def windows(result: SearchResult) -> dict[str, tuple[str, str]]:
    return {s.chunk_id: (s.prompt_text, s.parent_locator) for s in result.snippets}


def test_a_window_of_visible_children_leaves_with_its_locator(knowledge: KnowledgeBase) -> None:
    window = (f"# Allowances\n\nalpha tea\n\nbeta tea {CANARY}\n\ngamma tea", "rules.md#para1-4")
    assert windows(knowledge.search("alpha gamma tea")) == {
        "rules.md#c0": window,
        "rules.md#c1": window,
        "rules.md#c2": window,
        "rules.md#c3": ("# Other\n\ndelta tea", "rules.md#para5-6"),
    }


@WITHHELD_LABELS
def test_a_restricted_child_loses_its_whole_snippet_window_included(
    backend: Backend, knowledge: KnowledgeBase, label: str
) -> None:
    backend.set_window_text("rules.md#c3", f"delta {CANARY} in a window of its own")
    assert CANARY in knowledge.search("delta").snippets[0].prompt_text
    backend.set_chunk_label("rules.md#c3", label)
    assert knowledge.search("delta").snippets == ()
    with pytest.raises(NotFoundError):
        knowledge.show("rules.md#c3")


@WITHHELD_LABELS
def test_the_window_of_siblings_is_withheld_and_they_stay(
    backend: Backend, knowledge: KnowledgeBase, label: str
) -> None:
    backend.set_chunk_label("rules.md#c1", label)
    result = knowledge.search("tea")
    assert windows(result) == {
        "rules.md#c0": ("", ""),
        "rules.md#c2": ("", ""),
        "rules.md#c3": ("# Other\n\ndelta tea", "rules.md#para5-6"),
    }
    for snippet in result.snippets[:2]:
        assert not {"prompt_text", "parent_locator"} & set(snippet.to_dict())
    assert CANARY not in str(result.to_dict())


class Judge:
    """Gives the passages in an order fixed beforehand."""

    def __init__(self, order: Sequence[str]) -> None:
        self.order = order
        self.seen: list[str] = []

    def rerank(self, query: str, passages: Sequence[Passage]) -> Sequence[str]:
        self.seen += [passage.chunk_id for passage in passages]
        return self.order


@pytest.mark.parametrize(
    "order", list(itertools.permutations(["rules.md#c0", "rules.md#c1", "rules.md#c2"])), ids=str
)
def test_the_result_does_not_depend_on_the_order_of_hits(
    backend: Backend, store: Store, order: Sequence[str]
) -> None:
    backend.set_chunk_label("rules.md#c1", "RESTRICTED")
    judge = Judge(order)
    found = NarrativeIndex(store, reranker=judge).search("tea")
    assert "rules.md#c1" not in judge.seen
    assert [c.value.chunk_id for c in found] == [
        *(key for key in order if key != "rules.md#c1"),
        "rules.md#c3",
    ]
    assert [c.value.prompt_text for c in found] == ["", "", "# Other\n\ndelta tea"]


@WITHHELD_LABELS
def test_a_parent_with_a_restricted_child_is_no_context(
    backend: Backend, store: Store, label: str
) -> None:
    backend.set_chunk_label("rules.md#c1", label)
    with cleared_parents(store) as cleared:
        parents = retrieve_parent_contexts("tea", cleared, cleared)
        assert [parent.id for parent in parents] == ["rules.md#s2"]
        assert dict(cleared.get_many(["rules.md#s1"])) == {}


@SECTION_LABELS
@pytest.mark.parametrize("level", [1, 2], ids=["own-section", "section-above"])
def test_a_child_under_a_restricted_section_loses_its_whole_snippet(
    backend: Backend, store: Store, knowledge: KnowledgeBase, label: str, level: int
) -> None:
    part = Part(f"Deep {CANARY}", (f"zeta {CANARY}",), level=level)
    document = make_document("deep.md", Part(f"Top {CANARY}", ("eta",)), part)
    put(store, document)
    backend.set_section_label("deep.md", 1 if level == 2 else 2, label)
    assert knowledge.search("zeta").snippets == ()
    shown = knowledge.show("deep.md")
    assert (shown.text, [s.heading for s in shown.sections]) == (
        None,
        [] if level == 2 else [f"Top {CANARY}"],
    )
    for node_id in ("deep.md#c1", "deep.md#s2", "deep.md#para4", "deep.md#para1-4"):
        with pytest.raises(NotFoundError):
            knowledge.show(node_id)


def test_a_section_around_a_whole_document_is_withheld_from_its_outline(
    backend: Backend, store: Store, knowledge: KnowledgeBase
) -> None:
    put(store, make_document("one.md", Part(f"Only {CANARY}", ("zeta",))))
    backend.set_section_label("one.md", 1, "RESTRICTED")
    assert CANARY not in str(knowledge.show("one.md").to_dict())


def test_a_window_stored_as_text_rides_its_childs_exit(
    backend: Backend, knowledge: KnowledgeBase
) -> None:
    backend.set_window_text("rules.md#c3", "a window given as text")
    backend.set_chunk_label("rules.md#c1", "RESTRICTED")
    (snippet,) = knowledge.search("delta").snippets
    assert snippet.prompt_text == "a window given as text"
    assert snippet.text == "delta tea"
    assert snippet.source_locator == "rules.md#para6"


def test_a_stricter_sibling_withholds_the_window_from_a_lower_reader_alone(
    backend: Backend, knowledge: KnowledgeBase
) -> None:
    backend.set_chunk_label("rules.md#c1", "CONFIDENTIAL")
    assert knowledge.search("alpha").snippets[0].prompt_text
    low = Reader(Sensitivity.INTERNAL)
    (snippet,) = knowledge.search("alpha", reader=low).snippets
    assert (snippet.prompt_text, snippet.parent_locator) == ("", "")


def test_expansion_never_changes_which_hits_are_found(knowledge: KnowledgeBase) -> None:
    bare, wide = (knowledge.search("tea", expand=expand) for expand in ("none", "window"))
    assert [(s.chunk_id, s.scores, s.text) for s in bare.snippets] == [
        (s.chunk_id, s.scores, s.text) for s in wide.snippets
    ]
    assert {(s.prompt_text, s.parent_locator) for s in bare.snippets} == {("", "")}
