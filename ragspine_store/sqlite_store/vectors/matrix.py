"""The vectors of one model and kind in memory: a matrix that grows by what changed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragspine_store.sqlite_store.vectors.rows import find_dimensions
from ragspine_store.storage_rules.cosine import Floats
from ragspine_store.vectors import VectorKind

_ROWS = """
SELECT doc_no, seq, vector FROM part_vector
WHERE model = :model AND kind = :kind AND doc_no IN (SELECT value FROM json_each(:docs))
ORDER BY doc_no, seq
"""
_COUNT = """
SELECT COUNT(*) FROM part_vector
WHERE model = :model AND kind = :kind AND doc_no IN (SELECT value FROM json_each(:docs))
"""
# A matrix that is full is copied into one with room for this share more.
_ROOM = 1 / 8
_SEQ_BITS = 32
NO_ROW = -1


def part_ids(docs: NDArray[np.int64], seqs: NDArray[np.int64]) -> NDArray[np.int64]:
    """One number for a document and a position in it; `NO_ROW` for a position below 0."""
    return np.where(seqs < 0, NO_ROW, (docs << _SEQ_BITS) | seqs)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Vectors as rows; those of documents that have changed since stay behind, unused.

    Attributes:
        states: of the documents that were looked at, by number.
        rows: the vectors, and room for more below them.
        parts: `part_ids` of the first of them, `NO_ROW` for one that is no more.
    """

    states: Mapping[int, int]
    rows: Floats
    parts: NDArray[np.int64]

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        return self.rows.shape[1]

    def rows_of(self, parts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each part; `NO_ROW` for one without a vector."""
        order = np.argsort(self.parts, kind="stable")
        ordered = np.append(self.parts[order], NO_ROW)
        places = np.searchsorted(ordered[:-1], parts)
        has_row = (ordered[places] == parts) & (parts != NO_ROW)
        return np.where(has_row, np.append(order, NO_ROW)[places], NO_ROW)


def refreshed(
    db: sqlite3.Connection,
    model: str,
    kind: VectorKind,
    states: Mapping[int, int],
    held: Matrix | None,
) -> Matrix | None:
    """The matrix of the state that a transaction sees; None for a model without vectors.

    Args:
        db: a connection inside a transaction.
        model: whose vectors.
        kind: of what.
        states: of all documents with vectors, by number.
        held: what was in memory before; whoever still reads it sees no change.
    """
    dimensions = find_dimensions(db, model)
    if dimensions is None:
        return None
    if held is None or held.dimensions != dimensions:
        held = Matrix({}, np.empty((0, dimensions), np.float32), np.empty(0, np.int64))
    changed = [doc_no for doc_no, state in states.items() if held.states.get(doc_no) != state]
    gone = [doc_no for doc_no in held.states if doc_no not in states]
    wanted = {"model": model, "kind": kind.value, "docs": json.dumps(changed)}
    (added,) = db.execute(_COUNT, wanted).fetchone()
    parts = held.parts.copy()
    parts[np.isin(parts >> _SEQ_BITS, [*changed, *gone])] = NO_ROW
    rows, parts = _with_room(held.rows, parts, added)
    number = len(parts)
    parts = np.append(parts, np.empty(added, np.int64))
    # These stand below the rows that are in use.
    for row, (doc_no, seq, vector) in enumerate(db.execute(_ROWS, wanted), start=number):
        rows[row] = np.frombuffer(vector, dtype="<f4")
        parts[row] = doc_no << _SEQ_BITS | seq
    return Matrix(dict(states), rows, parts)


def _with_room(
    rows: Floats, parts: NDArray[np.int64], added: int
) -> tuple[Floats, NDArray[np.int64]]:
    """Rows with room for more: the same where there is some and most are in use, else a copy."""
    used = np.flatnonzero(parts != NO_ROW)
    if len(parts) + added <= len(rows) and len(parts) <= 2 * len(used):
        return rows, parts
    room = int(len(used) * _ROOM)
    copy = np.empty((len(used) + added + room, rows.shape[1]), np.float32)
    copy[: len(used)] = rows[used]
    return copy, parts[used]
