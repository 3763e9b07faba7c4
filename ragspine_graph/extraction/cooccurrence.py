"""Which names of a document belong together, by where they stand.

Pure counting over appearances: a name in a unit (a sentence, say), once however often it stands
there. Two appearances meet when they share a window. They add 1 / (1 + d) to the closeness of their
names, d being the units between them. From it follows an association above 0 and at most 1:

    weight(a, b) = max(c(a, b) / c(a), c(a, b) / c(b)) / sqrt(1 + lead)

c(a) is a's closeness to all names: the weight is high when one of the two is mostly found near the
other. `lead` counts the units of a section before the first that names one of them, since what a
section is about it names early. On Re-DocRED this ranks better than counts and than normalised
pointwise mutual information, which favours names that are found but once
(`benchmarks/cooccurrence.py`).

Work is linear: an appearance meets at most `REACH` before it.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import accumulate, pairwise
from math import sqrt
from typing import NamedTuple

from ragspine_graph.config.extractor_spec import Window
from ragspine_store.relations import ChunkRange

REACH = 32


class Unit(NamedTuple):
    """The least stretch of text that names share, such as a sentence.

    Attributes:
        seq: of the child it stands in.
        run, section: what a window may ask to be the same.
        lead: units of its section before it.
    """

    seq: int
    run: int
    section: int
    lead: int


class Appearance(NamedTuple):
    """A name in a unit, both by index."""

    unit: int
    name: int


class Pair(NamedTuple):
    """Two names that met.

    Attributes:
        low, high: the names.
        weight: their association.
        places: where they stand closest, in order: the first and the last child that hold both,
            and how often they stand that close there.
    """

    low: int
    high: int
    weight: float
    places: list[tuple[ChunkRange, int]]


def find_pairs(
    appearances: Sequence[Appearance], units: Sequence[Unit], window: Window, top_n: int
) -> tuple[list[Pair], int]:
    """The pairs that meet and are among the strongest of one of their names.

    Args:
        appearances: in order, each once.
        units: in document order.
        window: in which they meet.
        top_n: partners of a name; among equal weights the lower names come first.

    Returns:
        The pairs by name, and how many others met.
    """
    stretches = _stretches(units, window.in_section)
    furthest = len(units) if window.units is None else window.units

    def meetings() -> Iterator[tuple[_Key, int, int]]:
        return _meetings(appearances, stretches, furthest)

    weights = _weights(meetings(), appearances, units)
    kept = _strongest(weights, top_n)
    places = _places(meetings(), units, kept)
    pairs = [
        Pair(low, high, round(weights[low, high], 6), list(places[low, high].items()))
        for low, high in sorted(kept)
    ]
    return pairs, len(weights) - len(kept)


_Key = tuple[int, int]


def _meetings(
    appearances: Sequence[Appearance], stretches: Sequence[int], furthest: int
) -> Iterator[tuple[_Key, int, int]]:
    """Every meeting: the names, the lower first, and the earlier and the later unit."""
    start = 0
    for no, (later, name) in enumerate(appearances):
        while stretches[appearances[start].unit] != stretches[later]:
            start += 1
        for earlier, other in appearances[max(start, no - REACH) : no]:
            if later - earlier <= furthest and other != name:
                yield ((other, name) if other < name else (name, other)), earlier, later


def _stretches(units: Sequence[Unit], in_section: bool) -> list[int]:
    """For each unit the number of its stretch; units of two stretches never share a window."""
    changes = (
        one.run != other.run or (in_section and one.section != other.section)
        for one, other in pairwise(units)
    )
    return list(accumulate(changes, initial=0))


def _weights(
    meetings: Iterable[tuple[_Key, int, int]],
    appearances: Sequence[Appearance],
    units: Sequence[Unit],
) -> dict[_Key, float]:
    closeness: dict[_Key, float] = {}
    for key, earlier, later in meetings:
        closeness[key] = closeness.get(key, 0.0) + 1 / (1 + later - earlier)
    overall: dict[int, float] = {}
    for (low, high), both in closeness.items():
        overall[low] = overall.get(low, 0.0) + both
        overall[high] = overall.get(high, 0.0) + both
    leads: dict[int, float] = {}
    for unit, name in appearances:
        lead = 1 / sqrt(1 + units[unit].lead)
        if lead > leads.get(name, 0.0):
            leads[name] = lead
    return {
        (low, high): both / min(overall[low], overall[high]) * max(leads[low], leads[high])
        for (low, high), both in closeness.items()
    }


def _strongest(weights: Mapping[_Key, float], top_n: int) -> Collection[_Key]:
    partners: dict[int, list[tuple[float, _Key]]] = {}
    for key, weight in weights.items():
        entry = (-weight, key)
        for name in key:
            partners.setdefault(name, []).append(entry)
    if len(partners) <= top_n + 1:
        return weights
    return {
        key
        for entries in partners.values()
        for _, key in (entries if len(entries) <= top_n else nsmallest(top_n, entries))
    }


def _places(
    meetings: Iterable[tuple[_Key, int, int]], units: Sequence[Unit], kept: Container[_Key]
) -> dict[_Key, dict[ChunkRange, int]]:
    """For each pair the children in which it stands closest, with how often it does."""
    closest: dict[_Key, int] = {}
    places: dict[_Key, dict[ChunkRange, int]] = {}
    for key, earlier, later in meetings:
        distance = later - earlier
        before = closest.get(key)
        if before is None or distance < before:
            if key in kept:
                closest[key] = distance
                places[key] = {ChunkRange(units[earlier].seq, units[later].seq): 1}
        elif distance == before:
            place = ChunkRange(units[earlier].seq, units[later].seq)
            places[key][place] = places[key].get(place, 0) + 1
    return places
