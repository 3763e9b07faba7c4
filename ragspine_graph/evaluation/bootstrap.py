"""How far a mean over questions would move had other questions been asked.

Questions are drawn with replacement, as many as there are, `RESAMPLES` times; the interval lies
between percentiles of the resampled means (B. Efron and R. J. Tibshirani, An Introduction to the
Bootstrap, 1993, chapter 13). Two configurations are compared question by question: what is
resampled are the differences, and whether there is any is asked of a randomisation test, which
swaps the two at random in each question (M. D. Smucker, J. Allan and B. Carterette, CIKM 2007).
Rows are put in order first, so that the order in which questions are asked changes nothing.
"""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ragspine_graph.evaluation.measures import percentile

RESAMPLES = 2_000
CONFIDENCE = 0.95
# Sums of the same numbers in another order differ by less.
_ROUNDING = 1e-9

Row = Sequence[float]


class Interval(NamedTuple):
    """A mean, and the interval it lies in with the confidence of `CONFIDENCE`."""

    mean: float
    low: float
    high: float


class Difference(NamedTuple):
    """The mean of one configuration minus that of another on the same questions.

    Attributes:
        mean: of the differences.
        half_width: half of the interval's width.
        p: chance of a difference at least this far from none were it all one which configuration
            answers; the one that was seen is counted too.
    """

    mean: float
    half_width: float
    p: float


def intervals(rows: Sequence[Row], *, seed: int) -> list[Interval]:
    """The mean of each column and its interval.

    Args:
        rows: a row of figures for each question, at least one; all of one length.
        seed: of the random draws.

    >>> intervals([(1.0, 0.0), (1.0, 0.0)], seed=1)
    [Interval(mean=1.0, low=1.0, high=1.0), Interval(mean=0.0, low=0.0, high=0.0)]
    """
    tail = (1 - CONFIDENCE) / 2
    return [
        Interval(mean, percentile(means, tail), percentile(means, 1 - tail))
        for mean, means in _resampled(rows, seed)
    ]


def differences(rows: Sequence[Row], others: Sequence[Row], *, seed: int) -> list[Difference]:
    """The mean of each column of `rows` minus that of `others`.

    Args:
        rows: a row of figures for each question, at least one; all of one length.
        others: the other's rows for the same questions, parallel.
        seed: of the random draws.

    >>> differences([(1.0,), (0.5,)], [(1.0,), (0.5,)], seed=1)
    [Difference(mean=0.0, half_width=0.0, p=1.0)]
    """
    apart = [
        tuple(one - other for one, other in zip(row, against, strict=True))
        for row, against in zip(rows, others, strict=True)
    ]
    tail = (1 - CONFIDENCE) / 2
    chances = _chances(apart, seed)
    return [
        Difference(mean, (percentile(means, 1 - tail) - percentile(means, tail)) / 2, chance)
        for (mean, means), chance in zip(_resampled(apart, seed), chances, strict=True)
    ]


def _chances(apart: Sequence[Row], seed: int) -> list[float]:
    """For each column how often swapped configurations are as far apart as they were found."""
    columns = list(zip(*sorted(map(tuple, apart)), strict=True))
    found = [abs(math.fsum(column)) for column in columns]
    as_far = [1] * len(columns)
    draw, count = random.Random(seed), len(apart)
    for _ in range(RESAMPLES):
        signs = draw.choices((-1, 1), k=count)
        for no, column in enumerate(columns):
            swapped = abs(sum(map(operator.mul, column, signs)))
            as_far[no] += swapped >= found[no] * (1 - _ROUNDING)
    return [times / (RESAMPLES + 1) for times in as_far]


def _resampled(rows: Sequence[Row], seed: int) -> Iterator[tuple[float, list[float]]]:
    """For each column its mean, and its means over the same resamples of rows."""
    columns = list(zip(*sorted(map(tuple, rows)), strict=True))
    means: list[list[float]] = [[] for _ in columns]
    draw, count = random.Random(seed), len(rows)
    for _ in range(RESAMPLES):
        sample = draw.choices(range(count), k=count)
        for column, resampled in zip(columns, means, strict=True):
            resampled.append(sum(map(column.__getitem__, sample)) / count)
    for column, resampled in zip(columns, means, strict=True):
        yield math.fsum(column) / count, resampled
