"""The stubs' key of one file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ragspine_store.sqlite_store.meta import find_meta, set_meta
from ragspine_store.storage_rules.stub_key import CHECK, StubKey


class StoreStubKey:
    """The key that names stubs, checked against what the file keeps of it.

    Args:
        given: the key, when configuration states one.
        path: the file that keeps it otherwise; created when a key is first needed.
    """

    def __init__(self, given: bytes | None, path: Path) -> None:
        self._key = StubKey(given, path)

    def name(self, db: sqlite3.Connection, text: str) -> str:
        """The keyed hash of an id or path, for the store that a write transaction is open on.

        Raises:
            StoreFormatError: the key is missing, or is not the one the store was written with.
        """
        return self._key.name(text, find_meta(db, CHECK), lambda found: set_meta(db, CHECK, found))
