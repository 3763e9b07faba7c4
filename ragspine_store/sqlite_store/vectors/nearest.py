"""The nearest children: filtered before they are scored, and exact."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragspine_store.protocols import Scope
from ragspine_store.records import Hit
from ragspine_store.sqlite_store.vectors.children import mask_of
from ragspine_store.sqlite_store.vectors.matrix import NO_ROW, Matrix
from ragspine_store.sqlite_store.vectors.memory import Memory
from ragspine_store.storage_rules.cosine import (
    Doubles,
    Floats,
    exact_cosines,
    may_be_best,
    unit_vector,
)
from ragspine_store.storage_rules.nearness import Near, best_of
from ragspine_store.storage_rules.vector_parts import check_dimensions
from ragspine_store.vectors import VectorKind

# Where fewer than this share of the rows are wanted, they are copied together to be multiplied.
_FEW = 1 / 3


def nearest_children(
    db: sqlite3.Connection,
    memory: Memory,
    model: str,
    vector: Sequence[float],
    kind: VectorKind,
    scope: Scope,
    k: int,
) -> list[Hit]:
    """The children inside a scope that a vector is nearest to; see `StoreReader.nearest`."""
    unit = unit_vector(vector)
    searched = memory.searched(db, model, kind)
    if searched is None:
        return []
    children, matrix = searched.children, searched.matrix
    check_dimensions(model, len(unit), matrix.dimensions)
    mask = mask_of(db, children, searched.values, scope) & (searched.rows != NO_ROW)
    if kind is VectorKind.PARENT:
        mask &= children.parent_floors <= int(scope.reader.clearance)
    is_wanted = np.zeros(len(matrix.parts), np.bool_)
    is_wanted[searched.rows[mask]] = True
    scores = _best_scores(matrix, np.flatnonzero(is_wanted), unit, k)
    at = np.flatnonzero(mask & ~np.isnan(scores[searched.rows]))
    firsts = children.seqs if kind is VectorKind.CHILD else children.parents
    return best_of(
        (
            Near(
                float(scores[searched.rows[child]]),
                searched.doc_id(child),
                int(firsts[child]),
                int(children.seqs[child]),
                int(children.keys[child]),
            )
            for child in at
        ),
        k,
    )


def _best_scores(matrix: Matrix, wanted: NDArray[np.intp], unit: Doubles, k: int) -> Doubles:
    """The cosines of those wanted rows that may be among the k best; not a number for others."""
    scores = np.full(len(matrix.parts) + 1, np.nan)  # the last one is that of `NO_ROW`
    single = unit.astype(np.float32)
    products: Floats
    if len(wanted) < _FEW * len(matrix.parts):
        products = matrix.rows[wanted] @ single
    else:
        products = (matrix.rows[: len(matrix.parts)] @ single)[wanted]
    near = wanted[may_be_best(products, k, matrix.dimensions)]
    scores[near] = exact_cosines(matrix.rows[near], unit)
    return scores
