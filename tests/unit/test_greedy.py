"""Picking children one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.retrieval.greedy import DISCOUNT, POOL, pick
from ragspine_graph.retrieval.residual import Residual
from ragspine_store.query import parse_query

QUESTION = Residual.of(parse_query("alpha beta gamma"))


def test_what_was_answered_before_counts_less() -> None:
    words = {1: frozenset({"alpha"}), 2: frozenset({"alpha"}), 3: frozenset({"beta"})}
    picked = pick([1, 2, 3], {1: 10.0, 2: 9.9, 3: 9.0}, words, QUESTION)
    assert list(picked) == [1, 3, 2]
    assert picked[1] == 10.0
    assert picked[2] == pytest.approx(9.9 * (1 - DISCOUNT / 2))


def test_what_answers_nothing_loses_the_whole_discount() -> None:
    assert pick([1], {1: 10.0}, {1: frozenset()}, QUESTION)[1] == 10.0 * (1 - DISCOUNT)


scores = st.lists(
    st.tuples(
        st.floats(0, 100),
        st.frozensets(st.sampled_from(("alpha", "beta", "gamma", "delta"))),
    ),
    max_size=POOL + 5,
)


@given(scores)
def test_every_child_is_picked_once_and_worth_never_rises(
    given_: list[tuple[float, frozenset[str]]],
) -> None:
    ranked = sorted(range(len(given_)), key=lambda key: -given_[key][0])
    words = {key: given_[key][1] for key in ranked}
    picked = pick(ranked, {key: given_[key][0] for key in ranked}, words, QUESTION)
    assert sorted(picked) == sorted(ranked)
    worth = list(picked.values())
    assert worth == sorted(worth, reverse=True)
