"""Picking children one by one, each worth less for what those before it have answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

from ragspine_graph.retrieval.residual import Residual

POOL = 12
"""How many of the best are weighed against each other."""

DISCOUNT = 0.3
"""What a child loses when all that it answers was answered before it; measured."""


def pick(
    ranked: Sequence[int],
    scores: Mapping[int, float],
    words: Mapping[int, frozenset[str]],
    asked: Residual,
) -> dict[int, float]:
    """The children in the order of picking, with what each was worth then.

    The worth never rises from one to the next; those beyond the pool lose the whole discount.

    Args:
        ranked: keys, best first; of equal ones the earlier is picked.
        scores: of all of them.
        words: of those in the pool.
        asked: the question.
    """
    pool = ranked[:POOL]
    answers = {key: asked.found_in(words[key]) for key in pool}
    answered: Counter[int] = Counter()

    def worth(key: int) -> float:
        terms = answers[key]
        new = sum(1 / (1 + answered[term]) for term in terms) / len(terms) if terms else 0.0
        return scores[key] * (1 - DISCOUNT + DISCOUNT * new)

    # Worth only falls, so that what is on top after a second look is the best.
    heap = [(-worth(key), place, key, 0) for place, key in enumerate(pool)]
    heapify(heap)
    picked: dict[int, float] = {}
    while heap:
        value, place, key, looked = heappop(heap)
        if looked == len(picked):
            picked[key] = -value
            answered.update(answers[key])
        else:
            heappush(heap, (-worth(key), place, key, len(picked)))
    for key in ranked[POOL:]:
        picked[key] = scores[key] * (1 - DISCOUNT)
    return picked
