"""The backends that the conformance tests run over."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal

from ragspine_store._seal import mint_screened
from ragspine_store.protocols import Store
from ragspine_store.relations import Relation
from ragspine_store.sealed import Screened
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.testing import Backend

TABLES = (
    "narrative_chunk",
    "document",
    "document_text",
    "section",
    "tree_node",
    "chunk_span",
    "stub",
    "lowered_label",
    "chunk_fts_docsize",
    "relation_document",
    "relation_node",
    "relation_edge",
    "relation_evidence",
    "relation_title",
    "relation_address",
    "relation_reference",
    "relation_rejection",
    "model_answer",
)


def statements_of(store: ChunkStore, call: Callable[[], object]) -> list[str]:
    """The statements that a call runs, those inside of the engine left out."""
    traced: list[str] = []
    db = store._connection._db
    db.set_trace_callback(traced.append)
    try:
        call()
    finally:
        db.set_trace_callback(None)
    return [statement for statement in traced if not statement.startswith("--")]


def tables_scanned(store: ChunkStore, statements: Iterable[str]) -> set[str]:
    """The tables that these statements read from end to end."""
    plans = [
        detail.split()
        for statement in statements
        if statement.split()[0] in ("SELECT", "INSERT", "UPDATE", "DELETE")
        for _, _, _, detail in store._connection._db.execute(f"EXPLAIN QUERY PLAN {statement}")
    ]
    return {table for what, table, *_ in plans if what == "SCAN"}


class SQLiteBackend(Backend):
    """One SQLite file, looked at with a connection of its own."""

    def __init__(self, path: Path, restricted_at_rest: Literal["stub", "text"]) -> None:
        self.path = path
        self.restricted_at_rest = restricted_at_rest
        self._opened: list[ChunkStore] = []

    def open_store(self) -> ChunkStore:
        store = ChunkStore(self.path, restricted_at_rest=self.restricted_at_rest)
        store.init_schema()
        self._opened.append(store)
        return store

    def close(self) -> None:
        for store in self._opened:
            store.close()

    @contextmanager
    def raw(self) -> Generator[sqlite3.Connection]:
        """A connection that knows nothing of the store."""
        with closing(sqlite3.connect(self.path)) as db, db:
            yield db

    def screened(self, relation: Relation) -> Screened[Relation]:
        return mint_screened(relation)

    def totals(self) -> Mapping[str, int]:
        with self.raw() as db:
            return {t: db.execute(f"SELECT COUNT(*) FROM {t}").fetchone()[0] for t in TABLES}

    def occurrences(self, token: str) -> int:
        with self.raw() as db:
            db.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, chunk_fts, row)")
            row = db.execute("SELECT doc FROM vocabulary WHERE term = ?", (token,)).fetchone()
        return row[0] if row else 0

    def set_chunk_label(self, chunk_id: str, label: str) -> None:
        self._set("UPDATE narrative_chunk SET sensitivity = ? WHERE chunk_id = ?", label, chunk_id)

    def set_section_label(self, doc_id: str, no: int, label: str) -> None:
        self._set(
            "UPDATE section SET sensitivity = ? WHERE no = ?"
            " AND doc_no = (SELECT no FROM document WHERE doc_id = ?)",
            label,
            no,
            doc_id,
        )

    def set_window_text(self, chunk_id: str, text: str) -> None:
        self._set("UPDATE narrative_chunk SET window_text = ? WHERE chunk_id = ?", text, chunk_id)

    def lose_text(self, doc_id: str) -> None:
        with self.raw() as db:
            (doc_no,) = db.execute("SELECT no FROM document WHERE doc_id = ?", (doc_id,)).fetchone()
            assert db.execute("DELETE FROM document_text WHERE doc_no = ?", (doc_no,)).rowcount
            db.execute("UPDATE document SET offsets = NULL WHERE no = ?", (doc_no,))

    def lose_node(self, doc_id: str, no: int) -> None:
        self._set(
            "DELETE FROM tree_node WHERE no = ?"
            " AND doc_no = (SELECT no FROM document WHERE doc_id = ?)",
            no,
            doc_id,
        )

    def statements(self, store: Store, call: Callable[[], object]) -> int:
        (opened,) = (one for one in self._opened if one is store)
        return len(statements_of(opened, call))

    def _set(self, statement: str, *values: object) -> None:
        with self.raw() as db:
            assert db.execute(statement, values).rowcount == 1
