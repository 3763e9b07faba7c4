"""Figures of a ranking: against values worked out by hand, and what holds of any ranking."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_graph.evaluation.bootstrap import RESAMPLES, differences, intervals
from ragspine_graph.evaluation.measures import (
    Ranks,
    ndcg,
    per_thousand,
    percentile,
    recall,
    reciprocal_rank,
)

ranks_lists = st.lists(st.none() | st.integers(1, 50), min_size=1, max_size=8)
ks = st.integers(1, 60)
rows_lists = st.lists(
    st.tuples(st.sampled_from((0.0, 0.5, 1.0)), st.floats(0, 2_000)), min_size=1, max_size=12
)


@pytest.mark.parametrize(
    ("ranks", "k", "expected"),
    [
        ([1], 1, 1.0),
        ([2], 1, 0.0),
        ([1, 6, None, 5], 5, 0.5),
        ([None, None], 10, 0.0),
        ([3, 3], 3, 1.0),
    ],
    ids=["first", "too late", "some", "none", "both in one result"],
)
def test_recall_is_the_share_of_gold_among_the_first_results(
    ranks: Ranks, k: int, expected: float
) -> None:
    assert recall(ranks, k) == expected


@pytest.mark.parametrize(
    ("ranks", "k", "expected"),
    [([4, 2, None], 10, 0.5), ([None], 10, 0.0), ([11], 10, 0.0), ([1, 1], 1, 1.0)],
    ids=["the better one", "none", "too late", "at once"],
)
def test_the_reciprocal_rank_is_of_the_first_result_that_finds_any(
    ranks: Ranks, k: int, expected: float
) -> None:
    assert reciprocal_rank(ranks, k) == expected


@pytest.mark.parametrize(
    ("ranks", "k", "expected"),
    [
        ([2], 10, 1 / math.log2(3)),
        ([1, 3], 10, (1 + 1 / 2) / (1 + 1 / math.log2(3))),
        ([1, 3], 2, 1 / (1 + 1 / math.log2(3))),
        ([3, None, None], 1, 0.0),
        ([1, 7, 8], 1, 1.0),
        ([1, 1], 5, 1.0),
        ([2, 2], 5, (2 / math.log2(3)) / (1 + 1 / math.log2(3))),
    ],
    ids=[
        "second",
        "first and third",
        "cut off",
        "too late",
        "k below gold",
        "one holds both",
        "two",
    ],
)
def test_ndcg_is_the_discounted_gain_over_the_ideal_one(
    ranks: Ranks, k: int, expected: float
) -> None:
    assert ndcg(ranks, k) == pytest.approx(expected)


def test_items_are_counted_per_thousand_characters() -> None:
    assert (per_thousand(3, 1_500), per_thousand(0, 10), per_thousand(0, 0)) == (2.0, 0.0, 0.0)


def test_percentiles_are_interpolated_between_neighbours() -> None:
    values = [10.0, 30.0, 20.0, 40.0]
    assert [percentile(values, share) for share in (0, 0.5, 0.95, 1)] == [10, 25, 38.5, 40]


@given(ranks=ranks_lists, k=ks, more=st.integers(0, 20))
def test_more_results_never_find_less(ranks: Ranks, k: int, more: int) -> None:
    assert recall(ranks, k) <= recall(ranks, k + more)
    assert reciprocal_rank(ranks, k) <= reciprocal_rank(ranks, k + more)


@given(ranks=ranks_lists, k=ks, order=st.randoms())
def test_figures_lie_between_none_and_all_whatever_the_order_of_the_gold(
    ranks: Ranks, k: int, order: random.Random
) -> None:
    shuffled = order.sample(list(ranks), len(ranks))
    for figure in (recall, reciprocal_rank, ndcg):
        assert 0 <= figure(ranks, k) <= 1
        assert figure(shuffled, k) == figure(ranks, k)


@given(count=st.integers(1, 8), k=ks)
def test_a_perfect_ranking_has_all(count: int, k: int) -> None:
    perfect = list(range(1, count + 1))
    assert ndcg(perfect, k) == 1
    assert reciprocal_rank(perfect, k) == 1
    assert recall(perfect, max(k, count)) == 1


@given(ranks=ranks_lists, k=ks, place=st.integers(0, 7), better=st.integers(1, 50))
def test_finding_an_item_earlier_is_never_worse(
    ranks: list[int | None], k: int, place: int, better: int
) -> None:
    place %= len(ranks)
    rank = ranks[place]
    improved = [*ranks]
    improved[place] = better if rank is None else min(rank, better)
    for figure in (recall, reciprocal_rank, ndcg):
        assert figure(improved, k) >= figure(ranks, k)


@settings(max_examples=settings().max_examples // 10)
@given(rows=rows_lists, order=st.randoms(), seed=st.integers(0, 9))
def test_the_order_of_questions_changes_no_interval(
    rows: list[tuple[float, float]], order: random.Random, seed: int
) -> None:
    shuffled = order.sample(rows, len(rows))
    found = intervals(rows, seed=seed)
    assert intervals(shuffled, seed=seed) == found
    for (mean, low, high), column in zip(found, zip(*rows, strict=True), strict=True):
        assert mean == pytest.approx(math.fsum(column) / len(column))
        assert min(column) - 1e-9 <= low <= high <= max(column) + 1e-9


def test_an_interval_is_as_wide_as_the_binomial_says() -> None:
    """A share of 30 in 100 has a standard error of sqrt(.3 × .7 / 100) = .0458."""
    (share,) = intervals([(1.0,)] * 30 + [(0.0,)] * 70, seed=0)
    assert share.mean == pytest.approx(0.3)
    assert share.low == pytest.approx(0.3 - 1.96 * 0.0458, abs=0.015)
    assert share.high == pytest.approx(0.3 + 1.96 * 0.0458, abs=0.015)


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    rows = [(float(n * n),) for n in range(20)]
    assert intervals(rows, seed=1) == intervals(rows, seed=1) != intervals(rows, seed=2)


def test_a_difference_is_paired_question_by_question() -> None:
    """Questions differ a lot, the two configurations by a tenth each time."""
    other = [(n / 10,) for n in range(9)]
    (apart,) = differences([(value + 0.1,) for (value,) in other], other, seed=0)
    assert apart.mean == pytest.approx(0.1)
    assert apart.half_width == pytest.approx(0, abs=1e-9)
    # All nine swapped, or none: 2 of 2^9.
    assert apart.p == pytest.approx(2 / 2**9, abs=0.004)


def test_one_question_proves_nothing() -> None:
    (apart,) = differences([(1.0,)], [(0.0,)], seed=0)
    assert (apart.mean, apart.p) == (1.0, 1.0)


def test_the_rarest_difference_is_seen_once() -> None:
    (apart,) = differences([(1.0,)] * 60, [(0.0,)] * 60, seed=0)
    assert apart.p == 1 / (RESAMPLES + 1)


def test_a_difference_that_is_as_often_this_way_as_that_is_none() -> None:
    one = [(1.0,), (0.0,)] * 20
    (apart,) = differences(one, [(1 - value,) for (value,) in one], seed=0)
    assert apart.mean == 0
    assert apart.p > 0.8
    # The standard error is 1 / sqrt(40) = .158.
    assert apart.half_width == pytest.approx(1.96 * 0.158, abs=0.05)


@settings(max_examples=settings().max_examples // 10)
@given(rows=rows_lists)
def test_turning_a_comparison_around_turns_its_sign(rows: list[tuple[float, float]]) -> None:
    others = rows[::-1]
    there, back = differences(rows, others, seed=0), differences(others, rows, seed=0)
    assert [d.mean for d in there] == pytest.approx([-d.mean for d in back])
    assert all(0 < d.p <= 1 for d in there)
