"""Cosines, and the best of them, alike on every backend.

Products of whole matrices are quick, but their last digits hang on the place of a row in memory.
So they only choose what may be among the best; the scores of those are reckoned row by row in
double precision, where a row's score depends on nothing but the row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragspine_store.errors import VectorError

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

# Rounding of a product of unit vectors is below this for each of their numbers.
_UNIT_ROUNDOFF = float(np.finfo(np.float32).eps)
_ROWS_AT_ONCE = 1024


def unit_vector(vector: Sequence[float]) -> Doubles:
    """A vector of the same direction and length 1.

    Raises:
        VectorError: it has no direction, or numbers that are none.
    """
    given = np.asarray(vector, dtype=np.float64)
    norm = float(np.linalg.norm(given))
    if not 0 < norm < float("inf"):
        raise VectorError(
            "a vector without a direction given; expected finite numbers that are not all 0"
        )
    return given / norm


def rows_of(vectors: Sequence[Sequence[float]], dimensions: int) -> Floats:
    """Vectors as the rows of a matrix."""
    return np.array(vectors, dtype=np.float32).reshape(-1, dimensions)


def exact_cosines(rows: Floats, unit: Doubles) -> Doubles:
    """The cosine of each row with a unit vector; a row's is the same wherever it stands."""
    parts = [
        (rows[start : start + _ROWS_AT_ONCE] * unit).sum(axis=1)
        for start in range(0, len(rows), _ROWS_AT_ONCE)
    ]
    return np.concatenate(parts) if parts else np.empty(0)


def may_be_best(products: Floats, k: int, dimensions: int) -> NDArray[np.intp]:
    """Which rows the k best are among, by products in single precision.

    >>> may_be_best(np.array([0.1, 0.9, 0.5, 0.9], dtype=np.float32), 1, 3).tolist()
    [1, 3]
    """
    if k >= len(products):
        return np.arange(len(products))
    if k < 1:
        return np.arange(0)
    least = np.partition(products, len(products) - k)[len(products) - k]
    return np.flatnonzero(products >= least - 2 * dimensions * _UNIT_ROUNDOFF)
