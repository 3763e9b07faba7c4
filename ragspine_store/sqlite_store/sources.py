"""Where documents came from, as an ingest and a sync compare it."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ragspine_store.protocols import KeptSource
from ragspine_store.records import Origin
from ragspine_store.sensitivity import stored_label
from ragspine_store.sqlite_store.parts import strictest_part


def find_origin(db: sqlite3.Connection, doc_id: str) -> Origin:
    """What a document was made of; an unknown one without it."""
    # Without a fingerprint the next ingest must write it anew, whatever it was made of.
    row = db.execute(
        "SELECT content_hash, iif(fingerprint = '', '', inputs_hash), is_stated FROM document"
        " WHERE doc_id = ?",
        (doc_id,),
    ).fetchone()
    return Origin(row[0], row[1], bool(row[2])) if row else Origin()


def note_origin(db: sqlite3.Connection, doc_id: str, origin: Origin) -> None:
    """Note what a document could as well have been made of."""
    db.execute(
        "UPDATE document SET content_hash = ?, inputs_hash = ?, is_stated = ? WHERE doc_id = ?",
        (origin.content, origin.inputs, origin.is_stated, doc_id),
    )


def documents_below(
    db: sqlite3.Connection, alias: Callable[[str], str], folder: str
) -> list[KeptSource]:
    """Documents whose files lay below a folder, by id."""
    rows = db.execute(
        "SELECT no, doc_id, source_path, content_hash, sensitivity FROM document"
        " WHERE substr(source_path, 1, length(:below)) = :below ORDER BY doc_id",
        {"below": folder.rstrip(os.sep) + os.sep},
    )
    return _kept(db, alias, rows.fetchall())


def documents_of(
    db: sqlite3.Connection, alias: Callable[[str], str], contents: Iterable[str]
) -> list[KeptSource]:
    """Documents made of files with one of these hashes, by id."""
    rows = db.execute(
        "SELECT no, doc_id, source_path, content_hash, sensitivity FROM document"
        " WHERE content_hash IN (SELECT value FROM json_each(?)) ORDER BY doc_id",
        (json.dumps(list(contents)),),
    )
    return _kept(db, alias, rows.fetchall())


def _kept(
    db: sqlite3.Connection, alias: Callable[[str], str], rows: Iterable[Sequence[Any]]
) -> list[KeptSource]:
    found: list[KeptSource] = []
    for doc_no, doc_id, source_path, content_hash, sensitivity in rows:
        label = stored_label(sensitivity)
        strictest = max(label, strictest_part(db, doc_no) or label)
        source, content = (alias(text) if text else "" for text in (source_path, content_hash))
        found.append(KeptSource(doc_id, doc_id, source_path, source, content, label, strictest))
    return found


def move_document(db: sqlite3.Connection, kept: KeptSource, doc_id: str, source_path: str) -> bool:
    """Give a document and all that is named after it another id; False without it."""
    row = db.execute(
        "SELECT no FROM document WHERE doc_id = ? AND source_path = ?",
        (kept.doc_id, kept.source_path),
    ).fetchone()
    if row is None:
        return False
    # A document whose title is withheld is called by its id.
    names = {"new": doc_id, "old": kept.doc_id, "after": len(kept.doc_id) + 1, "no": row[0]}
    db.execute(
        "UPDATE document SET doc_id = :new, source_path = :path, inputs_hash = '',"
        " title = iif(title = :old, :new, title) WHERE no = :no",
        {**names, "path": source_path},
    )
    db.execute(
        "UPDATE section SET heading = :new WHERE doc_no = :no AND no = 0 AND heading = :old", names
    )
    db.execute(
        "UPDATE narrative_chunk SET doc_id = :new, chunk_id = :new || substr(chunk_id, :after),"
        " source_locator = :new || substr(source_locator, :after),"
        " parent_id = iif(parent_id = '', '', :new || substr(parent_id, :after)),"
        " parent_locator = iif(parent_locator = '', '', :new || substr(parent_locator, :after)),"
        " title = iif(title = :old, :new, title), heading = iif(heading = :old, :new, heading)"
        " WHERE doc_id = :old",
        names,
    )
    return True
