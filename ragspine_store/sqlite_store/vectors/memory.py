"""What a store holds in memory of its vectors, made anew for what has changed."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragspine_store.sqlite_store.vectors.children import (
    Children,
    Values,
    load_children,
    no_children,
)
from ragspine_store.sqlite_store.vectors.matrix import Matrix, part_ids, refreshed
from ragspine_store.sqlite_store.vectors.parts import FILTERED
from ragspine_store.vectors import VectorKind


@dataclass(frozen=True, slots=True)
class Searched:
    """What one search looks at; nothing in it changes.

    Attributes:
        children: all children of documents that have vectors.
        matrix: the vectors of one model and kind.
        rows: the row of each child, or of its parent; `NO_ROW` without one.
        values: what the numbers in `children.filtered` stand for.
    """

    children: Children
    matrix: Matrix
    rows: NDArray[np.int64]
    values: Values

    def doc_id(self, child: np.intp) -> str:
        """The id of a child's document."""
        return self.values.value(int(self.children.filtered[child, FILTERED.index("doc_id")]))


class Memory:
    """Children and matrices in memory, each with the state of the store it was read from.

    It is shared by the threads that read the store; they take turns at making it anew.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: tuple[int, int] | None = None
        self._states: Mapping[int, int] = {}
        self._values = Values()
        self._children = no_children()
        self._searched: dict[tuple[str, VectorKind], Searched | None] = {}
        self._matrices: dict[tuple[str, VectorKind], Matrix] = {}

    def searched(self, db: sqlite3.Connection, model: str, kind: VectorKind) -> Searched | None:
        """What a search of the state that a transaction sees looks at.

        Returns:
            None for a model without vectors.
        """
        with self._lock:
            self._refresh(db)
            key = (model, kind)
            if key not in self._searched:
                self._searched[key] = self._search(db, model, kind)
            return self._searched[key]

    def _refresh(self, db: sqlite3.Connection) -> None:
        # Changes by others, other programs among them, and by this connection.
        (others,) = db.execute("PRAGMA data_version").fetchone()
        seen = (others, db.total_changes)
        if seen == self._seen:
            return
        states = dict(db.execute("SELECT doc_no, state FROM vector_document ORDER BY doc_no"))
        changed = [doc_no for doc_no, state in states.items() if self._states.get(doc_no) != state]
        gone = [doc_no for doc_no in self._states if doc_no not in states]
        if changed or gone:
            kept = self._children.without([*changed, *gone])
            self._children = kept.and_also(load_children(db, changed, self._values))
            self._searched.clear()
        self._seen, self._states = seen, states

    def _search(self, db: sqlite3.Connection, model: str, kind: VectorKind) -> Searched | None:
        matrix = refreshed(db, model, kind, self._states, self._matrices.get((model, kind)))
        if matrix is None:
            self._matrices.pop((model, kind), None)
            return None
        self._matrices[model, kind] = matrix
        children = self._children
        seqs = children.seqs if kind is VectorKind.CHILD else children.parents
        rows = matrix.rows_of(part_ids(children.docs, seqs))
        return Searched(children, matrix, rows, self._values)
