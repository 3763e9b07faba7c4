"""Small facts a store keeps about itself, and the clock they are stamped with."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime

BUILT_RULES = "relation_rules"
"""Key of the fingerprint that the relation graph was last built with."""


def now() -> str:
    """The present instant in UTC, as stored."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def find_meta(db: sqlite3.Connection, key: str) -> str | None:
    """A setting of the store, or None."""
    row = db.execute("SELECT value FROM store_meta WHERE key = ?", (key,)).fetchone()
    return row[0] if row else None


def set_meta(db: sqlite3.Connection, key: str, value: str) -> None:
    """Keep a setting of the store."""
    db.execute("INSERT OR REPLACE INTO store_meta (key, value) VALUES (?, ?)", (key, value))
