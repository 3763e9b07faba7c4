"""What the ranks at which gold was found say of a ranking; pure functions.

The ranks of a question are one number for each of its gold items, from 1: that of the first result
that finds it, or None where none does. An item that several results find is found once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Ranks = Sequence[int | None]


def recall(ranks: Ranks, k: int) -> float:
    """The share of the gold that the first k results find (R@k).

    >>> recall([1, 3, None], 3) == 2 / 3
    True
    """
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def reciprocal_rank(ranks: Ranks, k: int) -> float:
    """One over the rank of the first of the first k results that finds any; 0 for none.

    Its mean over questions is the MRR (Voorhees, TREC-8 question answering track, 1999).

    >>> reciprocal_rank([None, 4, 2], 10), reciprocal_rank([4], 3)
    (0.5, 0.0)
    """
    return max((1 / rank for rank in ranks if rank is not None and rank <= k), default=0.0)


def ndcg(ranks: Ranks, k: int) -> float:
    """The discounted cumulated gain of the first k results, over that of an ideal ranking (nDCG@k).

    Each item gains 1 / log2(1 + rank), with the first result at rank 1; in an ideal ranking each of
    the first results finds one item more. One that finds several at once can do better than that,
    and counts as ideal. (Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, with binary gains and the
    discount log2(1 + rank) of later practice.)

    >>> ndcg([1, 2], 5), round(ndcg([2], 5), 3)
    (1.0, 0.631)
    """
    gained = math.fsum(_gain(rank) for rank in ranks if rank is not None and rank <= k)
    ideal = math.fsum(_gain(rank) for rank in range(1, min(len(ranks), k) + 1))
    return min(1.0, gained / ideal)


def _gain(rank: int) -> float:
    return 1 / math.log2(1 + rank)


def per_thousand(items: int, characters: int) -> float:
    """Gold items in each 1,000 characters of a context; 0 for an empty one.

    >>> per_thousand(2, 4_000)
    0.5
    """
    return 1_000 * items / characters if characters else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share of the values lies, interpolated between neighbours.

    Args:
        values: at least one, in any order.
        share: from 0 to 1.

    >>> percentile([3.0, 1.0, 2.0], 0.5)
    2.0
    """
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])
