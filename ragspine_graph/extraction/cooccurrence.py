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

from collections.abc import Container, Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import accumulate, pairwise
from math import sqrt
from typing import NamedTuple

from ragspine_graph.extractor_spec import Window
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
    meetings = _Meetings(appearances, units, window)
    weights = _weights(meetings)
    kept = weights if meetings.base <= top_n + 1 else _strongest(meetings, weights, top_n)
    places = _places(meetings, kept)
    seqs = _seqs(units)
    pairs = [
        Pair(
            *divmod(key, meetings.base),
            weights[key],
            [(ChunkRange(*divmod(place, seqs)), count) for place, count in places[key].items()],
        )
        for key in sorted(kept)
    ]
    return pairs, len(weights) - len(kept)


# Plain numbers for pairs and places, since a document may have a hundred thousand of them.
_Key = int


class _Meetings:
    """Every meeting: the two names as one number, the earlier and the later unit.

    Attributes:
        appearances, units: as given.
        base: a pair is the number of its lower name times this, and its higher name.
    """

    def __init__(
        self, appearances: Sequence[Appearance], units: Sequence[Unit], window: Window
    ) -> None:
        self.appearances = appearances
        self.units = units
        self.base = 1 + max((name for _, name in appearances), default=0)
        self._furthest = len(units) if window.units is None else window.units
        self._stretches = _stretches(units, window.in_section)

    def __iter__(self) -> Iterator[tuple[_Key, int, int]]:
        appearances, stretches, base = self.appearances, self._stretches, self.base
        start = 0
        for no, (later, name) in enumerate(appearances):
            while stretches[appearances[start].unit] != stretches[later]:
                start += 1
            for earlier, other in appearances[max(start, no - REACH) : no]:
                if later - earlier <= self._furthest and other != name:
                    yield (
                        (other * base + name if other < name else name * base + other),
                        earlier,
                        later,
                    )


def _stretches(units: Sequence[Unit], in_section: bool) -> list[int]:
    """For each unit the number of its stretch; units of two stretches never share a window."""
    changes = (
        one.run != other.run or (in_section and one.section != other.section)
        for one, other in pairwise(units)
    )
    return list(accumulate(changes, initial=0))


def _weights(meetings: _Meetings) -> dict[_Key, float]:
    closeness: dict[_Key, float] = {}
    for key, earlier, later in meetings:
        closeness[key] = closeness.get(key, 0.0) + 1 / (1 + later - earlier)
    overall = [0.0] * meetings.base
    for key, both in closeness.items():
        low, high = divmod(key, meetings.base)
        overall[low] += both
        overall[high] += both
    leads = [len(meetings.units)] * meetings.base
    for unit, name in meetings.appearances:
        leads[name] = min(leads[name], meetings.units[unit].lead)
    weights: dict[_Key, float] = {}
    for key, both in closeness.items():
        low, high = divmod(key, meetings.base)
        share = both / min(overall[low], overall[high])
        weights[key] = round(share / sqrt(1 + min(leads[low], leads[high])), 6)
    return weights


def _strongest(meetings: _Meetings, weights: Mapping[_Key, float], top_n: int) -> set[_Key]:
    partners: list[list[tuple[float, _Key]]] = [[] for _ in range(meetings.base)]
    for key, weight in weights.items():
        entry = (-weight, key)
        low, high = divmod(key, meetings.base)
        partners[low].append(entry)
        partners[high].append(entry)
    return {
        key
        for entries in partners
        for _, key in (entries if len(entries) <= top_n else nsmallest(top_n, entries))
    }


def _places(meetings: _Meetings, kept: Container[_Key]) -> dict[_Key, dict[int, int]]:
    """For each pair the children it stands closest in, as one number, with how often it does."""
    seqs = _seqs(meetings.units)
    seq = [unit.seq for unit in meetings.units]
    closest: dict[_Key, int] = {}
    places: dict[_Key, dict[int, int]] = {}
    for key, earlier, later in meetings:
        distance = later - earlier
        before = closest.get(key)
        if before is None or distance < before:
            if key in kept:
                closest[key], places[key] = distance, {seq[earlier] * seqs + seq[later]: 1}
        elif distance == before:
            place = seq[earlier] * seqs + seq[later]
            places[key][place] = places[key].get(place, 0) + 1
    return places


def _seqs(units: Sequence[Unit]) -> int:
    """What makes two children one number: the first times this, and the last."""
    return units[-1].seq + 1
