"""Full text: which tokens stand in the index for which child.

The index is contentless: it keeps postings, not text. A row is taken out by naming its tokens
again, so they are always made here, from what is stored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from ragspine_store.records import Span
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.sqlite_store.meta import WORDS, find_meta
from ragspine_store.sqlite_store.texts import find_text
from ragspine_store.storage_rules.lead_ins import Indexed, open_lead_ins
from ragspine_store.storage_rules.rows import heading_paths
from ragspine_store.tokenizer import index_tokens
from ragspine_store.words import find_words_of, words_named

_INDEXED = """
SELECT c.id, c.text, c.section, c.chunker, c.level, c.span_start, c.span_end, s.lead_in_start,
    s.lead_in_end
FROM current_chunk c JOIN chunk_span s ON s.id = c.id WHERE c.doc_no = ? ORDER BY c.id
"""


def add_to_index(db: sqlite3.Connection, doc_no: int) -> None:
    """Index the children of a document that are not RESTRICTED."""
    db.executemany(
        "INSERT INTO chunk_fts (rowid, tok, key) VALUES (?, ?, ?)", _index_rows(db, doc_no)
    )


def remove_from_index(db: sqlite3.Connection, doc_no: int) -> None:
    """Take the children of a document out of the index; call it while their rows still stand."""
    db.executemany(
        "INSERT INTO chunk_fts (chunk_fts, rowid, tok, key) VALUES ('delete', ?, ?, ?)",
        _index_rows(db, doc_no),
    )


def rebuild_index(db: sqlite3.Connection) -> None:
    """Index everything anew."""
    db.execute("INSERT INTO chunk_fts (chunk_fts) VALUES ('delete-all')")
    # In order of keys, so that the engine need not begin a new segment for each document.
    documents = db.execute("SELECT doc_no FROM chunk_span GROUP BY doc_no ORDER BY MIN(id)")
    for (doc_no,) in documents.fetchall():
        add_to_index(db, doc_no)


def merge_segments(db: sqlite3.Connection) -> None:
    """Merge the index into one segment, which forgets the tokens of removed children."""
    db.execute("INSERT INTO chunk_fts (chunk_fts) VALUES ('optimize')")


def key_token(key: int) -> str:
    """What the row of a child is called in the index; no token of a text begins like it."""
    return f"#{key}"


def lead_ins_in_force(db: sqlite3.Connection, doc_no: int) -> dict[int, Span]:
    """The lead-ins that children of a document are found by, by their keys."""
    return _open_lead_ins(db.execute(_INDEXED, (doc_no,)).fetchall())


def _index_rows(db: sqlite3.Connection, doc_no: int) -> Iterable[tuple[int, str, str]]:
    rows = db.execute(_INDEXED, (doc_no,)).fetchall()
    lead_ins = _open_lead_ins(rows)
    paths = document_paths(db, doc_no) if any(chunker for _, _, _, chunker, *_ in rows) else {}
    whole = (find_text(db, doc_no) or "") if lead_ins else ""
    find_words = find_words_of(words_named(find_meta(db, WORDS) or ""))
    for key, text, section, _, level, *_ in rows:
        if level < Sensitivity.RESTRICTED:
            lead_in = whole[slice(*lead_ins[key])] if key in lead_ins else ""
            tok = " ".join(index_tokens(text, paths.get(section, ()), lead_in, find_words))
            yield key, tok, key_token(key)


def _open_lead_ins(rows: Sequence[tuple[Any, ...]]) -> dict[int, Span]:
    # What is derived of labels alone decides, since it changes only where the index is changed too.
    return open_lead_ins(
        Indexed(key, level, _span(start, end), _span(lead_start, lead_end))
        for key, _, _, _, level, start, end, lead_start, lead_end in rows
    )


def _span(start: int | None, end: int | None) -> Span | None:
    return None if start is None or end is None else Span(start, end)


def document_paths(db: sqlite3.Connection, doc_no: int) -> dict[int, tuple[str, ...]]:
    """The headings from the outermost section down to each section of a document."""
    rows = db.execute(
        "SELECT no, parent, heading FROM section WHERE doc_no = ? ORDER BY no", (doc_no,)
    )
    return heading_paths(rows)
