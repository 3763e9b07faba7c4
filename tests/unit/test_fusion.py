"""Fusion: what arms found, made one ranking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.retrieval.arms import make_finder
from ragspine_graph.retrieval.fusion import FUSIONS, FusionName, Ranking
from ragspine_graph.retrieval.question_reader import QuestionReader
from ragspine_store.records import Hit
from tests.embedders import HashingEmbedder

NAMES: list[FusionName] = ["weighted", "rrf"]

rankings = st.builds(
    Ranking,
    st.floats(0.25, 4),
    st.dictionaries(st.integers(0, 20), st.integers(0, 50), max_size=12).map(
        lambda scores: [
            Hit(key, float(score))
            for key, score in sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        ]
    ),
)


@pytest.mark.parametrize("name", NAMES)
@given(found=st.lists(rankings, min_size=1, max_size=4), data=st.data())
def test_the_order_of_the_arms_does_not_matter(
    name: FusionName, found: list[Ranking], data: st.DataObject
) -> None:
    other = data.draw(st.permutations(found))
    assert FUSIONS[name](other) == pytest.approx(FUSIONS[name](found))


@pytest.mark.parametrize("name", NAMES)
@given(found=rankings.filter(lambda ranking: bool(ranking.hits)))
def test_one_arm_keeps_its_order(name: FusionName, found: Ranking) -> None:
    fused = FUSIONS[name]([found])
    assert set(fused) == {hit.key for hit in found.hits}
    scores = [fused[hit.key] for hit in found.hits]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("name", NAMES)
@given(found=st.lists(rankings, min_size=1, max_size=3))
def test_an_arm_that_found_nothing_changes_nothing(name: FusionName, found: list[Ranking]) -> None:
    assert FUSIONS[name]([*found, Ranking(1.0, [])]) == FUSIONS[name](found)


def test_each_embedder_has_an_arm_for_children_and_one_for_parents() -> None:
    embedders = [HashingEmbedder("one"), HashingEmbedder("two")]
    finder = make_finder(embedders, "weighted", QuestionReader())
    assert [arm.retriever.name for arm in finder.arms] == [
        "bm25",
        "one child",
        "one parent",
        "two child",
        "two parent",
    ]
