"""The part of a write transaction that changes vectors."""

from __future__ import annotations

import sqlite3
from abc import ABC
from collections.abc import Collection, Iterable, Sequence

from ragspine_store.sensitivity import Sensitivity, stored_label
from ragspine_store.sqlite_store.vectors.rows import (
    drop_vectors,
    find_vectors,
    missing_vectors,
    write_vectors,
)
from ragspine_store.storage_rules.texts import can_be_stored
from ragspine_store.vectors import MissingVectors, PartVector


class VectorWriting(ABC):
    """Changes vectors inside one open transaction; see `StoreWriter`."""

    _db: sqlite3.Connection

    def find_vectors(self, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        """The values of a model's vectors by the hash of the text, wherever that text stands."""
        return find_vectors(self._db, model, hashes)

    def put_vectors(self, doc_id: str, version: int, vectors: Sequence[PartVector]) -> bool:
        """Write vectors of a document, each in place of the one of its model and part.

        Returns:
            False, and nothing changes, when the document is of another version by now, RESTRICTED,
            or gone.

        Raises:
            VectorError: they have other dimensions than the store's of their model.
        """
        if not can_be_stored(doc_id):
            return False
        row = self._db.execute(
            "SELECT no, sensitivity FROM document WHERE doc_id = ? AND version = ?",
            (doc_id, version),
        ).fetchone()
        if row is None or stored_label(row[1]) is Sensitivity.RESTRICTED:
            return False
        write_vectors(self._db, row[0], vectors)
        return True

    def missing_vectors(self, model: str) -> list[MissingVectors]:
        """Documents with a child that is not RESTRICTED and has no vector of a model, by id."""
        return missing_vectors(self._db, model)

    def drop_vectors(self, keep: Collection[str]) -> int:
        """Remove the vectors of all models but these; how many there were."""
        return drop_vectors(self._db, keep)
