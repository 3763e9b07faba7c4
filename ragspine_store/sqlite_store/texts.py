"""Canonical texts, kept in pieces so that a passage costs what it is long, not its document."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from ragspine_store.protocols import Place
from ragspine_store.storage_rules.texts import PIECE_LENGTH, passage_of, pieces_of

_PIECES = """
SELECT d.doc_id, p.start, p.text FROM document_text p JOIN document d ON d.no = p.doc_no
WHERE p.rowid IN (
    SELECT p.rowid
    FROM json_each(:places) JOIN document d ON d.doc_id = value ->> 0
    JOIN document_text p ON p.doc_no = d.no
    AND p.start > value ->> 1 - :piece_length AND p.start < value ->> 2
)
"""


def write_text(db: sqlite3.Connection, doc_no: int, text: str) -> None:
    """Keep a document's text in place of what was kept before."""
    delete_text(db, doc_no)
    db.executemany(
        "INSERT INTO document_text (doc_no, start, text) VALUES (?, ?, ?)",
        ((doc_no, start, piece) for start, piece in pieces_of(text)),
    )


def delete_text(db: sqlite3.Connection, doc_no: int) -> None:
    """Remove a document's text."""
    db.execute("DELETE FROM document_text WHERE doc_no = ?", (doc_no,))


def find_text(db: sqlite3.Connection, doc_no: int) -> str | None:
    """A document's whole text; None when none is kept, as for one from before the record."""
    pieces = db.execute(
        "SELECT text FROM document_text WHERE doc_no = ? ORDER BY start", (doc_no,)
    ).fetchall()
    return "".join(piece for (piece,) in pieces) if pieces else None


def read_passages(db: sqlite3.Connection, places: Iterable[Place]) -> dict[Place, str]:
    """The texts at the places, in one statement; one that is not kept whole is left out."""
    places = set(places)
    pieces = {
        (doc_id, start): text
        for doc_id, start, text in db.execute(
            _PIECES,
            {
                "places": json.dumps(sorted((doc_id, *span) for doc_id, span in places)),
                "piece_length": PIECE_LENGTH,
            },
        )
    }
    found = {place: passage_of(place, pieces) for place in places}
    return {place: text for place, text in found.items() if text is not None}
