"""The order of what is near: by cosine, then by place, parents cut before their children."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ragspine_store.records import Hit


class Near(NamedTuple):
    """A child and how near it, or its parent, is.

    Attributes:
        score: the cosine.
        doc_id: of its document.
        first: position of the first child of its parent, where that was compared; else its own.
        seq: its position.
        key: in the index.
    """

    score: float
    doc_id: str
    first: int
    seq: int
    key: int


def best_of(found: Iterable[Near], k: int) -> list[Hit]:
    """The children of the k best, best first; equal scores by document id, then position.

    >>> places = [("a.md", 0, 1, 7), ("a.md", 0, 0, 8), ("b.md", 0, 0, 9)]
    >>> best_of([Near(0.5, *place) for place in places], 1)
    [Hit(key=8, score=0.5), Hit(key=7, score=0.5)]
    """
    families: dict[tuple[float, str, int], list[Near]] = {}
    for near in found:
        families.setdefault((-near.score, near.doc_id, near.first), []).append(near)
    best = [near for family in sorted(families)[:k] for near in families[family]]
    best.sort(key=lambda near: (-near.score, near.doc_id, near.seq))
    return [Hit(near.key, near.score) for near in best]
