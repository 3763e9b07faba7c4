"""Keys of the service in the embedded store."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from ragspine_store.access import AccessKey, Role
from ragspine_store.sensitivity import stored_label

ACCESS_TABLES = (
    # `collections` is a JSON list, NULL for all.
    """
    CREATE TABLE IF NOT EXISTS access_key (
        key_id      TEXT PRIMARY KEY,
        secret_hash TEXT NOT NULL,
        name        TEXT NOT NULL,
        role        TEXT NOT NULL,
        clearance   TEXT NOT NULL,
        collections TEXT,
        created_at  TEXT NOT NULL,
        expires_at  TEXT NOT NULL,
        revoked_at  TEXT NOT NULL
    ) WITHOUT ROWID
    """,
)


class AccessReading:
    """Reads of the keys inside one open transaction."""

    _db: sqlite3.Connection

    def find_key(self, key_id: str) -> AccessKey | None:
        """A key, revoked and expired ones too."""
        row = self._db.execute("SELECT * FROM access_key WHERE key_id = ?", (key_id,)).fetchone()
        return None if row is None else _key(row)

    def keys(self) -> list[AccessKey]:
        """All keys, oldest first, then by id."""
        return [
            _key(row)
            for row in self._db.execute("SELECT * FROM access_key ORDER BY created_at, key_id")
        ]


class AccessWriting:
    """Changes of the keys inside one open transaction."""

    _db: sqlite3.Connection

    def add_key(self, key: AccessKey) -> None:
        """Keep a new key."""
        self._db.execute(
            "INSERT INTO access_key VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                key.key_id,
                key.secret_hash,
                key.name,
                key.role.value,
                key.clearance.name,
                None if key.collections is None else json.dumps(key.collections),
                key.created_at,
                key.expires_at,
                key.revoked_at,
            ),
        )

    def revoke_key(self, key_id: str, at: str) -> bool:
        """Refuse a key from now on; whether there is one that was not revoked before."""
        changed = self._db.execute(
            "UPDATE access_key SET revoked_at = ? WHERE key_id = ? AND revoked_at = ''",
            (at, key_id),
        )
        return changed.rowcount > 0


def _key(row: tuple[Any, ...]) -> AccessKey:
    key_id, secret_hash, name, role, clearance, collections, created, expires, revoked = row
    return AccessKey(
        key_id,
        secret_hash,
        name,
        Role(role),
        stored_label(clearance),
        None if collections is None else tuple(json.loads(collections)),
        created,
        expires,
        revoked,
    )
