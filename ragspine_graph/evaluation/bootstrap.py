"""How far a mean over questions would move had other questions been asked: the bootstrap.

Questions are drawn with replacement, as many as there are, `RESAMPLES` times; the interval lies
between percentiles of the resampled means (B. Efron and R. J. Tibshirani, An Introduction to the
Bootstrap, 1993, chapter 13). Two configurations are compared question by question: what is
resampled are the differences. Rows are put in order first, so that the order in which questions
are asked changes nothing.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ragspine_graph.evaluation.measures import percentile

RESAMPLES = 2_000
CONFIDENCE = 0.95

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
        p: chance of a difference at least this far from none were there none: twice the share of
            resampled means on the rarer side of zero, one counted as seen on each side; at most 1.
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
    return [
        Difference(
            mean,
            (percentile(means, 1 - tail) - percentile(means, tail)) / 2,
            _p_value(means),
        )
        for mean, means in _resampled(apart, seed)
    ]


def _p_value(means: Sequence[float]) -> float:
    rarer = min(sum(mean <= 0 for mean in means), sum(mean >= 0 for mean in means))
    return min(1.0, 2 * (rarer + 1) / (len(means) + 1))


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
