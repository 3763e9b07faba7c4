"""The relation graph in SQLite: tables, writers, readers, and what changed documents do to it."""
