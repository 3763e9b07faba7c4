"""How far a ranking is looked into, when what ranks well may be withheld.

Engines rank everything; labels, collections and filters are looked up for the best alone. Where too
few of those may be shown, more are looked at, so that what is withheld takes no slot.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ragspine_store.protocols import Scope
from ragspine_store.records import Hit
from ragspine_store.sensitivity import Reader

# How many of the best are looked at first. Looking again ranks everything again, so a narrow scope,
# which lets few of them through, looks further at once.
_FIRST_LOOK = 64
_FIRST_LOOK_NARROWED = 512
_WIDEN = 8


class Look(NamedTuple):
    """What a look at the best of a ranking gave.

    Attributes:
        hits: those inside the scope, best first; equal scores by document id, then position.
        looked: how many were looked at; fewer than asked for when there are no more.
        worst: the lowest score among those.
    """

    hits: list[Hit]
    looked: int
    worst: float


def best_hits(look_at: Callable[[int], Look], scope: Scope, k: int) -> list[Hit]:
    """The k best hits inside the scope.

    Args:
        look_at: looks at so many of the best.
        scope: what may be found.
        k: how many.
    """
    is_narrowed = bool(scope.filters) or scope.reader != Reader()
    number = max(_FIRST_LOOK_NARROWED if is_narrowed else _FIRST_LOOK, 2 * k)
    while True:
        look = look_at(number)
        # Rows beyond the look may still tie with the last score it holds.
        certain = sum(1 for hit in look.hits if hit.score > look.worst)
        if look.looked < number or certain >= k:
            return look.hits[:k]
        number *= _WIDEN
