"""Vector search of one store; NumPy is needed, and imported, when something is first looked for."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragspine_store.protocols import Scope
from ragspine_store.records import Hit
from ragspine_store.storage_rules.vector_parts import require_numpy
from ragspine_store.vectors import VectorKind

if TYPE_CHECKING:
    from ragspine_store.sqlite_store.vectors.memory import Memory


class VectorSearch:
    """Finds what is nearest, with what is held in memory of one store, for all its threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._memory: Memory | None = None

    def forget(self) -> None:
        """Hold nothing any more, as after a transaction that came to nothing."""
        with self._lock:
            self._memory = None

    def nearest(
        self,
        db: sqlite3.Connection,
        model: str,
        vector: Sequence[float],
        kind: VectorKind,
        scope: Scope,
        k: int,
    ) -> list[Hit]:
        """The nearest children in the state that a transaction sees; see `StoreReader.nearest`."""
        require_numpy()
        from ragspine_store.sqlite_store.vectors import memory, nearest  # noqa: PLC0415 the extra

        with self._lock:
            if self._memory is None:
                self._memory = memory.Memory()
            held = self._memory
        return nearest.nearest_children(db, held, model, vector, kind, scope, k)
