"""Full text: which tokens stand in the index for which child.

The index is contentless: it keeps postings, not text. A row is taken out by naming its tokens
again, so they are always made here, from what is stored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from ragspine_store.sensitivity import Sensitivity
from ragspine_store.storage_rules.rows import heading_paths
from ragspine_store.tokenizer import index_tokens

_INDEXED = "SELECT id, text, doc_no, section, chunker FROM current_chunk WHERE level < ?"
# Two statements: one for both cases would read all documents for the sake of one.
_ALL = f"{_INDEXED} ORDER BY id"
_OF_DOCUMENT = f"{_INDEXED} AND doc_no = ? ORDER BY id"


def add_to_index(db: sqlite3.Connection, doc_no: int) -> None:
    """Index the children of a document that are not RESTRICTED."""
    db.executemany("INSERT INTO chunk_fts (rowid, tok) VALUES (?, ?)", _index_rows(db, doc_no))


def remove_from_index(db: sqlite3.Connection, doc_no: int) -> None:
    """Take the children of a document out of the index; call it while their rows still stand."""
    db.executemany(
        "INSERT INTO chunk_fts (chunk_fts, rowid, tok) VALUES ('delete', ?, ?)",
        _index_rows(db, doc_no),
    )


def rebuild_index(db: sqlite3.Connection) -> None:
    """Index everything anew."""
    db.execute("INSERT INTO chunk_fts (chunk_fts) VALUES ('delete-all')")
    db.executemany("INSERT INTO chunk_fts (rowid, tok) VALUES (?, ?)", _index_rows(db, None))


def merge_segments(db: sqlite3.Connection) -> None:
    """Merge the index into one segment, which forgets the tokens of removed children."""
    db.execute("INSERT INTO chunk_fts (chunk_fts) VALUES ('optimize')")


def _index_rows(db: sqlite3.Connection, doc_no: int | None) -> Iterable[tuple[int, str]]:
    if doc_no is None:
        rows = db.execute(_ALL, (Sensitivity.RESTRICTED,)).fetchall()
    else:
        rows = db.execute(_OF_DOCUMENT, (Sensitivity.RESTRICTED, doc_no)).fetchall()
    paths: dict[int, dict[int, tuple[str, ...]]] = {}
    for key, text, row_doc_no, section, chunker in rows:
        path: tuple[str, ...] = ()
        if chunker:
            if row_doc_no not in paths:
                paths[row_doc_no] = document_paths(db, row_doc_no)
            path = paths[row_doc_no].get(section, ())
        yield key, " ".join(index_tokens(text, path))


def document_paths(db: sqlite3.Connection, doc_no: int) -> dict[int, tuple[str, ...]]:
    """The headings from the outermost section down to each section of a document."""
    rows = db.execute(
        "SELECT no, parent, heading FROM section WHERE doc_no = ? ORDER BY no", (doc_no,)
    )
    return heading_paths(rows)
