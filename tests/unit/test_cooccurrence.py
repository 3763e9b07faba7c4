from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.config.extractor_spec import Window
from ragspine_graph.extraction.cooccurrence import REACH, Appearance, Unit, find_pairs
from ragspine_store.relations import ChunkRange

ALL = 1_000


def units(*seqs: int, section: int = 0, run: int = 0) -> list[Unit]:
    return [Unit(seq, run, section, lead) for lead, seq in enumerate(seqs)]


def pairs_of(
    text: list[Unit], window: Window, *appearances: tuple[int, int], top_n: int = ALL
) -> dict[tuple[int, int], list[tuple[ChunkRange, int]]]:
    placed = sorted(Appearance(*appearance) for appearance in appearances)
    found, _ = find_pairs(placed, text, window, top_n)
    return {(pair.low, pair.high): pair.places for pair in found}


@pytest.mark.parametrize(
    ("window", "met"),
    [
        (Window(0), {(0, 1)}),
        (Window(1), {(0, 1), (0, 2), (1, 2)}),
        (Window(None), {(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)}),
    ],
    ids=["same unit", "next unit", "anywhere"],
)
def test_names_meet_inside_their_window(window: Window, met: set[tuple[int, int]]) -> None:
    found = pairs_of(units(0, 0, 0, 0, 0), window, (0, 0), (0, 1), (1, 2), (4, 3))
    assert set(found) == met


def test_names_never_meet_across_what_is_withheld() -> None:
    text = [*units(0), *units(2, run=1)]
    assert pairs_of(text, Window(None), (0, 0), (1, 1)) == {}


def test_a_section_window_ends_with_its_section() -> None:
    text = [*units(0, section=1), *units(1, section=2), *units(2, section=1)]
    window = Window(None, in_section=True)
    assert pairs_of(text, window, (0, 0), (1, 1), (2, 2)) == {}
    assert set(pairs_of(text, Window(None), (0, 0), (1, 1), (2, 2))) == {(0, 1), (0, 2), (1, 2)}


def test_places_are_the_children_that_hold_both_where_they_stand_closest() -> None:
    text = units(0, 0, 1, 2, 3)
    found = pairs_of(text, Window(None), (0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (3, 0), (3, 1))
    assert found == {(0, 1): [(ChunkRange(0, 0), 2), (ChunkRange(2, 2), 1)]}


def test_places_reach_from_the_first_to_the_last_child() -> None:
    found = pairs_of(units(0, 1, 2), Window(2), (0, 0), (2, 1))
    assert found == {(0, 1): [(ChunkRange(0, 2), 1)]}


def test_the_weight_is_that_of_the_formula() -> None:
    text = units(0, 0, 0)
    appearances = [Appearance(1, 0), Appearance(1, 1), Appearance(2, 2)]
    found, _ = find_pairs(appearances, text, Window(1), ALL)
    weights = {(pair.low, pair.high): pair.weight for pair in found}
    # c(0, 1) = 1, c(0, 2) = c(1, 2) = 1/2; c(0) = c(1) = 3/2, c(2) = 1; leads 1, 1, 2.
    assert weights == {
        (0, 1): round((1 / 1.5) / 2**0.5, 6),
        (0, 2): round((0.5 / 1) / 2**0.5, 6),
        (1, 2): round((0.5 / 1) / 2**0.5, 6),
    }


def test_a_pair_stays_while_it_is_among_the_strongest_of_one_name() -> None:
    star = [(unit, name) for unit in range(4) for name in (0, unit + 1)]
    placed = [Appearance(*appearance) for appearance in star]
    found, left_out = find_pairs(placed, units(0, 0, 0, 0), Window(None), 1)
    assert {(0, name) for name in range(1, 5)} <= {(pair.low, pair.high) for pair in found}
    everything, none_left = find_pairs(placed, units(0, 0, 0, 0), Window(None), ALL)
    assert (len(everything), none_left) == (len(found) + left_out, 0)
    assert left_out > 0


@given(
    st.sets(st.tuples(st.integers(0, 30), st.integers(0, 12)), max_size=120),
    st.sampled_from([Window(0), Window(2), Window(None), Window(None, in_section=True)]),
    st.integers(1, 6),
)
def test_pairs_are_few_weighed_and_stand_where_they_say(
    appearances: set[tuple[int, int]], window: Window, top_n: int
) -> None:
    text = [Unit(no // 3, no // 20, no // 10, no % 10) for no in range(31)]
    placed = sorted(Appearance(*appearance) for appearance in appearances)
    found, left_out = find_pairs(placed, text, window, top_n)
    names = {name for _, name in placed}
    children = {(text[unit].seq, name) for unit, name in placed}
    assert len(found) <= top_n * len(names)
    assert len(found) + left_out <= REACH * len(placed)
    for low, high, weight, places in found:
        assert low < high
        assert 0 < weight <= 1
        for (first, last), count in places:
            assert count >= 1
            ends = {(first, low), (last, high)}, {(first, high), (last, low)}
            assert any(end <= children for end in ends)
