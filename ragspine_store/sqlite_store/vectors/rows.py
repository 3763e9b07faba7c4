"""The rows of vectors: written, found by their text, counted, removed."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence

from ragspine_store.sensitivity import Sensitivity
from ragspine_store.sqlite_store.vectors.parts import read_parts
from ragspine_store.storage_rules.vector_parts import (
    check_dimensions,
    dimensions_by_model,
    embeddable_parts,
)
from ragspine_store.vectors import (
    BYTES_PER_NUMBER,
    MissingVectors,
    PartVector,
    VectorCount,
    VectorKind,
)

# No index entry is wider than the key, so a vector stands in the table alone, with its row.
VECTOR_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS part_vector (
        doc_no    INTEGER NOT NULL,
        model     TEXT NOT NULL,
        kind      TEXT NOT NULL,
        seq       INTEGER NOT NULL,
        text_hash BLOB NOT NULL,
        vector    BLOB NOT NULL
    )
    """,
    """
    CREATE UNIQUE INDEX IF NOT EXISTS ux_part_vector ON part_vector (doc_no, model, kind, seq)
    """,
    "CREATE INDEX IF NOT EXISTS ix_part_vector_text ON part_vector (model, text_hash)",
    # Documents with vectors. `state` is another number after each change to them, or to what says
    # who finds them, so that what is held in memory is made anew for what has changed alone.
    """
    CREATE TABLE IF NOT EXISTS vector_document (
        doc_no INTEGER PRIMARY KEY,
        state  INTEGER NOT NULL
    )
    """,
    # Triggers, since other programs write labels too.
    """
    CREATE TRIGGER IF NOT EXISTS vector_document_relabelled
    AFTER UPDATE OF doc_id, collection, sensitivity ON document
    BEGIN
        UPDATE vector_document SET state = random() WHERE doc_no = new.no;
    END
    """,
    """
    CREATE TRIGGER IF NOT EXISTS vector_section_relabelled
    AFTER UPDATE OF sensitivity ON section WHEN old.sensitivity IS NOT new.sensitivity
    BEGIN
        UPDATE vector_document SET state = random() WHERE doc_no = new.doc_no;
    END
    """,
    """
    CREATE TRIGGER IF NOT EXISTS vector_child_relabelled
    AFTER UPDATE OF level, is_erased ON chunk_span
    WHEN old.level IS NOT new.level OR old.is_erased IS NOT new.is_erased
    BEGIN
        UPDATE vector_document SET state = random() WHERE doc_no = new.doc_no;
    END
    """,
    """
    CREATE TRIGGER IF NOT EXISTS vector_row_changed
    AFTER UPDATE OF sensitivity, topic, entity, geography, period, language ON narrative_chunk
    WHEN (old.sensitivity, old.topic, old.entity, old.geography, old.period, old.language)
        IS NOT (new.sensitivity, new.topic, new.entity, new.geography, new.period, new.language)
    BEGIN
        UPDATE vector_document SET state = random()
        WHERE doc_no = (SELECT no FROM document WHERE doc_id = new.doc_id);
    END
    """,
)

# What is RESTRICTED by the label in a row, or by that of a section around it, has no vector even
# where another program wrote that label.
_MISSING = """
SELECT DISTINCT c.doc_id, c.version FROM current_chunk c
WHERE c.level < :restricted AND label_level(c.sensitivity) < :restricted
  AND label_level(c.document_label) < :restricted
  AND NOT EXISTS (
    SELECT 1 FROM section q INDEXED BY ix_section_label
    WHERE q.doc_no = c.doc_no AND q.sensitivity != ''
      AND q.span_start <= c.span_start AND c.span_end <= q.span_end
      AND label_level(q.sensitivity) >= :restricted
  )
  AND NOT EXISTS (
    SELECT 1 FROM part_vector v
    WHERE v.doc_no = c.doc_no AND v.model = :model AND v.kind = 'child' AND v.seq = c.seq
  )
ORDER BY c.doc_id
"""
_COUNTS = """
SELECT v.model, min(length(v.vector)), SUM(v.kind = 'child' AND c.level < :restricted
    AND label_level(c.sensitivity) < :restricted AND label_level(c.document_label) < :restricted
    AND NOT EXISTS (
        SELECT 1 FROM section q INDEXED BY ix_section_label
        WHERE q.doc_no = c.doc_no AND q.sensitivity != ''
          AND q.span_start <= c.span_start AND c.span_end <= q.span_end
          AND label_level(q.sensitivity) >= :restricted
    ))
FROM part_vector v JOIN current_chunk c ON c.doc_no = v.doc_no AND c.seq = v.seq
GROUP BY v.model ORDER BY v.model
"""


def write_vectors(db: sqlite3.Connection, doc_no: int, vectors: Sequence[PartVector]) -> None:
    """Write vectors of a document, each in place of the one of its model and part.

    Those of RESTRICTED parts never reach the file.

    Raises:
        VectorError: they have other dimensions than the store's of their model.
    """
    for model, given in dimensions_by_model(vectors).items():
        check_dimensions(model, given, find_dimensions(db, model) or given)
    allowed = _embeddable(db, doc_no)
    db.executemany(
        "INSERT OR REPLACE INTO part_vector (doc_no, model, kind, seq, text_hash, vector)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            (doc_no, v.model, v.kind.value, v.seq, v.text_hash, v.values)
            for v in vectors
            if (v.kind, v.seq) in allowed
        ),
    )
    _note_change(db, doc_no)


def remove_vectors(db: sqlite3.Connection, doc_no: int) -> None:
    """Remove all vectors of a document."""
    db.execute("DELETE FROM part_vector WHERE doc_no = ?", (doc_no,))
    db.execute("DELETE FROM vector_document WHERE doc_no = ?", (doc_no,))


def remove_restricted_vectors(db: sqlite3.Connection, doc_no: int) -> None:
    """Remove the vectors of what is RESTRICTED by now."""
    if db.execute("SELECT 1 FROM vector_document WHERE doc_no = ?", (doc_no,)).fetchone() is None:
        return
    allowed = _embeddable(db, doc_no)
    kept = db.execute("SELECT rowid, kind, seq FROM part_vector WHERE doc_no = ?", (doc_no,))
    removed = [(row,) for row, kind, seq in kept if (VectorKind(kind), seq) not in allowed]
    if removed:
        db.executemany("DELETE FROM part_vector WHERE rowid = ?", removed)
        _note_change(db, doc_no)


def remove_child_vectors(db: sqlite3.Connection, doc_no: int, keys: Collection[int]) -> None:
    """Remove the vectors of some children of a document; they are embedded anew."""
    if keys:
        db.executemany(
            "DELETE FROM part_vector WHERE doc_no = ? AND kind = 'child'"
            " AND seq = (SELECT seq FROM chunk_span WHERE id = ?)",
            [(doc_no, key) for key in keys],
        )
        _note_change(db, doc_no)


def find_vectors(db: sqlite3.Connection, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
    """The values of a model's vectors by the hash of the text."""
    found: dict[bytes, bytes] = {}
    for text_hash in hashes:
        row = db.execute(
            "SELECT vector FROM part_vector WHERE model = ? AND text_hash = ? LIMIT 1",
            (model, text_hash),
        ).fetchone()
        if row is not None:
            found[text_hash] = row[0]
    return found


def read_vectors(db: sqlite3.Connection, doc_no: int) -> list[PartVector]:
    """The vectors of a document but of RESTRICTED parts, in one order."""
    rows = db.execute(
        "SELECT model, kind, seq, text_hash, vector FROM part_vector WHERE doc_no = ?"
        " ORDER BY model, kind, seq",
        (doc_no,),
    ).fetchall()
    allowed = _embeddable(db, doc_no) if rows else frozenset[tuple[VectorKind, int]]()
    vectors = [PartVector(model, VectorKind(kind), *rest) for model, kind, *rest in rows]
    return [vector for vector in vectors if (vector.kind, vector.seq) in allowed]


def find_dimensions(db: sqlite3.Connection, model: str) -> int | None:
    """How many numbers the vectors of a model have; None without any."""
    row = db.execute(
        "SELECT length(vector) FROM part_vector WHERE model = ? LIMIT 1", (model,)
    ).fetchone()
    return row and row[0] // BYTES_PER_NUMBER


def count_vectors(db: sqlite3.Connection) -> list[VectorCount]:
    """How far the store is embedded, by the name of the model."""
    return [
        VectorCount(model, length // BYTES_PER_NUMBER, children)
        for model, length, children in db.execute(
            _COUNTS, {"restricted": int(Sensitivity.RESTRICTED)}
        )
    ]


def missing_vectors(db: sqlite3.Connection, model: str) -> list[MissingVectors]:
    """Documents with a child that is not RESTRICTED and has no vector of a model, by id."""
    rows = db.execute(_MISSING, {"model": model, "restricted": int(Sensitivity.RESTRICTED)})
    return [MissingVectors(*row) for row in rows]


def drop_vectors(db: sqlite3.Connection, keep: Collection[str]) -> int:
    """Remove the vectors of all models but these; how many there were."""
    dropped = [
        (model,)
        for (model,) in db.execute("SELECT DISTINCT model FROM part_vector").fetchall()
        if model not in keep
    ]
    if not dropped:
        return 0
    removed = db.executemany("DELETE FROM part_vector WHERE model = ?", dropped).rowcount
    db.execute("UPDATE vector_document SET state = random()")
    db.execute("DELETE FROM vector_document WHERE doc_no NOT IN (SELECT doc_no FROM part_vector)")
    return removed


def _embeddable(db: sqlite3.Connection, doc_no: int) -> set[tuple[VectorKind, int]]:
    allowed: set[tuple[VectorKind, int]] = set()
    for parts in read_parts(db, [doc_no]):
        children = [child.part for child in parts.children]
        allowed |= embeddable_parts(children, parts.parents.values())
    return allowed


def _note_change(db: sqlite3.Connection, doc_no: int) -> None:
    """Note that the vectors of a document have changed, whether any are left or not."""
    db.execute("DELETE FROM vector_document WHERE doc_no = ?", (doc_no,))
    db.execute(
        "INSERT INTO vector_document (doc_no, state)"
        " SELECT doc_no, random() FROM part_vector WHERE doc_no = ? LIMIT 1",
        (doc_no,),
    )
