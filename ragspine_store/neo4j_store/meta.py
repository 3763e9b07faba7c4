"""Small facts a store keeps about itself."""

from __future__ import annotations

from ragspine_store.neo4j_store.transaction import Queries

BUILT_RULES = "relation_rules"
"""Key of the fingerprint that the relation graph was last built with."""
UNFINISHED_COPY = "unfinished_copy"
"""Key of the note that a copy was begun here; its value says of which store."""
ERASURE_PENDING = "erasure_pending"
"""Key of the note that something has to be erased; its value is another one each time."""


def find_meta(queries: Queries, key: str) -> str | None:
    """A setting of the store, or None."""
    row = queries.row("find_meta", key=key)
    return None if row is None else row["value"]


def set_meta(queries: Queries, key: str, value: str) -> None:
    """Keep a setting of the store."""
    queries.run("set_meta", key=key, value=value)
