"""Small facts a store keeps about itself."""

from __future__ import annotations

import sqlite3

BUILT_RULES = "relation_rules"
"""Key of the fingerprint that the relation graph was last built with."""
UNFINISHED_COPY = "unfinished_copy"
"""Key of the note that a copy was begun here; its value says of which store."""
WORDS = "words"
"""Key of the description of the words that children are indexed with."""
_CHANGES = "changes"


def find_meta(db: sqlite3.Connection, key: str) -> str | None:
    """A setting of the store, or None."""
    row = db.execute("SELECT value FROM store_meta WHERE key = ?", (key,)).fetchone()
    return row[0] if row else None


def set_meta(db: sqlite3.Connection, key: str, value: str) -> None:
    """Keep a setting of the store."""
    db.execute("INSERT OR REPLACE INTO store_meta (key, value) VALUES (?, ?)", (key, value))


def change_counter(db: sqlite3.Connection) -> int:
    """How many write transactions have changed the store; see `StoreReader.change_counter`."""
    return int(find_meta(db, _CHANGES) or 0)


def count_change(db: sqlite3.Connection) -> None:
    """Note that the open write transaction changes something."""
    set_meta(db, _CHANGES, str(change_counter(db) + 1))
