"""The embedded store: one SQLite file. The only package that imports `sqlite3`."""

from ragspine_store.sqlite_store.store import ChunkStore

__all__ = ["ChunkStore"]
