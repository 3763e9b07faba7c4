"""Keys of the service in the store on a server."""

from __future__ import annotations

from neo4j import Record

from ragspine_store.access import AccessKey, Role
from ragspine_store.neo4j_store.transaction import Opened
from ragspine_store.sensitivity import stored_label


class AccessReading:
    """Reads of the keys inside one open transaction."""

    _opened: Opened

    def find_key(self, key_id: str) -> AccessKey | None:
        """A key, revoked and expired ones too."""
        row = self._opened.queries.row("find_key", key_id=key_id)
        return None if row is None else _key(row)

    def keys(self) -> list[AccessKey]:
        """All keys, oldest first, then by id."""
        return [_key(row) for row in self._opened.queries.rows("read_keys")]


class AccessWriting:
    """Changes of the keys inside one open transaction."""

    _opened: Opened

    def add_key(self, key: AccessKey) -> None:
        """Keep a new key."""
        properties: dict[str, object] = {
            "key_id": key.key_id,
            "secret_hash": key.secret_hash,
            "name": key.name,
            "role": key.role.value,
            "clearance": key.clearance.name,
            "created_at": key.created_at,
            "expires_at": key.expires_at,
            "revoked_at": key.revoked_at,
        }
        if key.collections is not None:
            properties["collections"] = list(key.collections)
        self._opened.queries.run("add_key", key_id=key.key_id, properties=properties)

    def revoke_key(self, key_id: str, at: str) -> bool:
        """Refuse a key from now on; whether there is one that was not revoked before."""
        return self._opened.queries.row("revoke_key", key_id=key_id, at=at) is not None


def _key(row: Record) -> AccessKey:
    kept = row["kept"]
    collections = kept.get("collections")
    return AccessKey(
        kept["key_id"],
        kept["secret_hash"],
        kept["name"],
        Role(kept["role"]),
        stored_label(kept["clearance"]),
        None if collections is None else tuple(collections),
        kept["created_at"],
        kept["expires_at"],
        kept["revoked_at"],
    )
