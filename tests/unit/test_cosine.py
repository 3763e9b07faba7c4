"""Cosines that hang on nothing but their row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.errors import VectorError
from ragspine_store.storage_rules import vector_parts
from ragspine_store.storage_rules.cosine import (
    Floats,
    exact_cosines,
    may_be_best,
    rows_of,
    unit_vector,
)


def drawn(seed: int, number: int, dimensions: int) -> Floats:
    rows = np.random.default_rng(seed).standard_normal((number, dimensions), dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@given(st.integers(0, 2**32), st.integers(1, 3000), st.sampled_from((1, 3, 8, 384, 1024)))
def test_the_cosine_of_a_row_is_the_same_wherever_it_stands(
    seed: int, number: int, dimensions: int
) -> None:
    rows = drawn(seed, min(number, 30_000 // dimensions + 2), dimensions)
    unit = unit_vector(rows[-1].tolist())
    together = exact_cosines(rows, unit)
    order = np.random.default_rng(seed).permutation(len(rows))
    assert (exact_cosines(rows[order], unit) == together[order]).all()
    assert exact_cosines(rows[-1:], unit)[0] == together[-1]
    assert together[-1] == pytest.approx(1, abs=1e-6)


@given(st.integers(0, 2**32), st.integers(1, 200), st.integers(0, 210), st.booleans())
def test_the_best_are_among_those_that_may_be(
    seed: int, number: int, k: int, has_copies: bool
) -> None:
    rows = drawn(seed, number, 384)
    if has_copies:
        rows = np.repeat(rows[: number // 2 + 1], 2, axis=0)
    unit = unit_vector(drawn(seed + 1, 1, 384)[0].tolist())
    exact = exact_cosines(rows, unit)
    found = set(may_be_best(rows @ unit.astype(np.float32), k, 384).tolist())
    best = np.sort(exact)[::-1][:k]
    if len(best):
        assert {n for n, score in enumerate(exact) if score >= best[-1]} <= found
    assert len(found) >= min(k, len(rows))


def test_no_vectors_have_no_cosines() -> None:
    assert exact_cosines(rows_of([], 3), unit_vector([1, 0, 0])).tolist() == []


@pytest.mark.parametrize("vector", [[], [0.0, 0.0], [float("inf"), 1.0], [float("nan")]])
def test_a_vector_without_direction_is_refused(vector: list[float]) -> None:
    with pytest.raises(VectorError, match="expected finite numbers"):
        unit_vector(vector)


def test_without_numpy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_parts, "find_spec", dict[str, object]().get)
    with pytest.raises(VectorError, match=r"pip install \"ragspine-graph\[embed\]\""):
        vector_parts.require_numpy()
