"""Several rankings made one.

The weighted sum is the default: scores keep how far apart hits are, which ranks forget. A ranking's
best hit counts 1, its last 0, so that engines of any scale add up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from ragspine_store.records import Hit

FusionName = Literal["weighted", "rrf"]

# Ranks of reciprocal rank fusion count from here, so that a first place is not all that counts
# (Cormack, Clarke and Büttcher 2009).
_RRF_OFFSET = 60


# How many of the best of a ranking span its scale, so that asking for more hits moves none of them.
SCALED_OVER = 50


class Ranking(NamedTuple):
    """What one arm found, best first, and how much it counts."""

    weight: float
    hits: Sequence[Hit]


Fuse = Callable[[Sequence[Ranking]], dict[int, float]]


def weighted_sum(rankings: Sequence[Ranking]) -> dict[int, float]:
    """The scores of all hits by key: each ranking's scaled to 0 to 1, weighted, and added.

    >>> weighted_sum([Ranking(2, [Hit(1, 9.0), Hit(2, 3.0)]), Ranking(1, [Hit(2, 0.5)])])
    {1: 2.0, 2: 1.0}
    """
    fused: defaultdict[int, float] = defaultdict(float)
    for weight, hits in rankings:
        if not hits:
            continue
        best, last = hits[0].score, hits[:SCALED_OVER][-1].score
        for key, score in hits:
            fused[key] += weight * (max(0.0, score - last) / (best - last) if best > last else 1.0)
    return dict(fused)


def reciprocal_ranks(rankings: Sequence[Ranking]) -> dict[int, float]:
    """The scores of all hits by key: one over its rank in each ranking, weighted, and added.

    >>> reciprocal_ranks([Ranking(61, [Hit(1, 9.0)]), Ranking(61, [Hit(1, 0.5)])])
    {1: 2.0}
    """
    fused: defaultdict[int, float] = defaultdict(float)
    for weight, hits in rankings:
        for rank, hit in enumerate(hits, start=1):
            fused[hit.key] += weight / (_RRF_OFFSET + rank)
    return dict(fused)


FUSIONS: dict[FusionName, Fuse] = {"weighted": weighted_sum, "rrf": reciprocal_ranks}
