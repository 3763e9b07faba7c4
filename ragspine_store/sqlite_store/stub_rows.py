"""The rows of stubs: written, relabelled, compared and moved by keyed hashes alone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from ragspine_store.protocols import KeptSource
from ragspine_store.records import Origin
from ragspine_store.sensitivity import Sensitivity, stored_label
from ragspine_store.storage_rules.stub_key import Name, folder_hash, folder_hashes
from ragspine_store.storage_rules.texts import now


def write_stub(
    db: sqlite3.Connection,
    name: Name,
    doc_id: str,
    level: Sensitivity,
    source_path: str,
    origin: Origin,
) -> None:
    """Write a document's stub, in place of one that stands there."""
    id_hash = name(doc_id)
    db.execute(
        "INSERT INTO stub (id_hash, source_hash, sensitivity, labelled_at, content_hash,"
        " inputs_hash, is_stated, folder_hashes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id_hash) DO UPDATE SET source_hash = excluded.source_hash,"
        " labelled_at = iif(sensitivity = excluded.sensitivity, labelled_at, excluded.labelled_at),"
        " sensitivity = excluded.sensitivity, content_hash = excluded.content_hash,"
        " inputs_hash = excluded.inputs_hash, is_stated = excluded.is_stated,"
        " folder_hashes = excluded.folder_hashes",
        (
            id_hash,
            name(source_path) if source_path else "",
            level.name,
            now(),
            name(origin.content) if origin.content else "",
            name(origin.inputs) if origin.inputs else "",
            origin.is_stated,
            json.dumps(folder_hashes(name, id_hash, doc_id, source_path)),
        ),
    )


def relabel_stub(db: sqlite3.Connection, id_hash: str, level: Sensitivity) -> None:
    """Give a stub the label that a person states."""
    db.execute(
        "UPDATE stub SET labelled_at = iif(sensitivity = :label, labelled_at, :now),"
        " sensitivity = :label, inputs_hash = '', is_stated = 1 WHERE id_hash = :id_hash",
        {"label": level.name, "now": now(), "id_hash": id_hash},
    )


def is_stub_made_of(db: sqlite3.Connection, id_hash: str, inputs_hash: str) -> bool:
    """Whether a stub is what an ingest of these inputs left."""
    row = db.execute(
        "SELECT 1 FROM stub WHERE id_hash = ? AND inputs_hash = ?", (id_hash, inputs_hash)
    ).fetchone()
    return row is not None


def note_stub_origin(db: sqlite3.Connection, name: Name, doc_id: str, origin: Origin) -> None:
    """Note what a stub could as well have been made of."""
    db.execute(
        "UPDATE stub SET content_hash = ?, inputs_hash = ?, is_stated = ? WHERE id_hash = ?",
        (name(origin.content), name(origin.inputs), origin.is_stated, name(doc_id)),
    )


def stubs_below(db: sqlite3.Connection, name: Name, folder: str, root: str) -> list[KeptSource]:
    """Stubs whose files lay below a folder, with ids relative to a root."""
    rows = db.execute(
        "SELECT id_hash, source_hash, content_hash, sensitivity, folder_hashes FROM stub"
        " ORDER BY id_hash"
    ).fetchall()
    return [
        _kept(*row)
        for *row, folders in rows
        if folder_hash(name, row[0], folder, root) in json.loads(folders)
    ]


def stubs_of(db: sqlite3.Connection, content_hashes: Iterable[str]) -> list[KeptSource]:
    """Stubs of files with one of these keyed hashes."""
    rows = db.execute(
        "SELECT id_hash, source_hash, content_hash, sensitivity FROM stub"
        " WHERE content_hash IN (SELECT value FROM json_each(?)) ORDER BY id_hash",
        (json.dumps(list(content_hashes)),),
    )
    return [_kept(*row) for row in rows]


def _kept(id_hash: str, source: str, content: str, sensitivity: str) -> KeptSource:
    label = stored_label(sensitivity)
    return KeptSource(id_hash, "", "", source, content, label, label)


def move_stub(
    db: sqlite3.Connection, name: Name, kept: KeptSource, doc_id: str, source_path: str
) -> bool:
    """Name a stub after another place; False without it."""
    id_hash = name(doc_id)
    moved = db.execute(
        "UPDATE stub SET id_hash = ?, source_hash = ?, folder_hashes = ?, inputs_hash = ''"
        " WHERE id_hash = ?",
        (
            id_hash,
            name(source_path),
            json.dumps(folder_hashes(name, id_hash, doc_id, source_path)),
            kept.key,
        ),
    )
    return moved.rowcount > 0
