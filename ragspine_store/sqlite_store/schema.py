"""Tables of the embedded store, and the additive migration of a file from before the record.

`narrative_chunk` is the predecessor's table and the record's four columns (ADR 0018 of the seeds).
Everything of ours stands beside it: a file opened by us can still be read by its old owner.
"""

from __future__ import annotations

import sqlite3

from ragspine_store.errors import StoreFormatError
from ragspine_store.sensitivity import DEFAULT_SENSITIVITY, Sensitivity, stored_label
from ragspine_store.sqlite_store.indexing import rebuild_index
from ragspine_store.sqlite_store.meta import find_meta, set_meta
from ragspine_store.sqlite_store.relations.schema import RELATION_TABLES
from ragspine_store.sqlite_store.texts import write_text
from ragspine_store.tokenizer import TOKENIZER_VERSION

SCHEMA_VERSION = 4
_MIGRATED_VERSIONS = ("1", "2", "3")

ADDED_COLUMNS = ("parent_id", "heading", "window_text", "parent_locator")
_TEXT = "TEXT NOT NULL DEFAULT ''"
# Columns that came after the first file with the table, and how each is declared.
_ADDED = {
    "narrative_chunk": dict.fromkeys(ADDED_COLUMNS, _TEXT),
    "document": {
        "pages": "TEXT NOT NULL DEFAULT '[]'",
        "content_hash": _TEXT,
        "inputs_hash": _TEXT,
        "is_stated": "INTEGER NOT NULL DEFAULT 1",
    },
    "chunk_span": {"node": "INTEGER"},
    "stub": {
        "content_hash": _TEXT,
        "inputs_hash": _TEXT,
        "is_stated": "INTEGER NOT NULL DEFAULT 1",
        "folder_hashes": "TEXT NOT NULL DEFAULT '[]'",
    },
}

_NARRATIVE_CHUNK = """
CREATE TABLE IF NOT EXISTS narrative_chunk (
    chunk_id       TEXT NOT NULL,
    doc_id         TEXT NOT NULL,
    seq            INTEGER NOT NULL,
    text           TEXT NOT NULL,
    source_locator TEXT NOT NULL,
    para_start     INTEGER NOT NULL,
    para_end       INTEGER NOT NULL,
    title          TEXT NOT NULL DEFAULT '',
    topic          TEXT NOT NULL DEFAULT '',
    entity         TEXT NOT NULL DEFAULT '',
    geography      TEXT NOT NULL DEFAULT '',
    period         TEXT NOT NULL DEFAULT '',
    language       TEXT NOT NULL DEFAULT '',
    sensitivity    TEXT NOT NULL DEFAULT 'INTERNAL',
    valid_as_of    TEXT NOT NULL DEFAULT '',
    ingested_at    TEXT NOT NULL,
    version        INTEGER NOT NULL,
    active         INTEGER NOT NULL
)
"""

_TABLES = (
    """
    CREATE UNIQUE INDEX IF NOT EXISTS ux_narrative_chunk
    ON narrative_chunk (doc_id, version, seq)
    """,
    """
    CREATE TABLE IF NOT EXISTS store_meta (
        key   TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    # `longest_child` is the longest span of a child, in code points: it bounds where children that
    # overlap a window begin. `pages` is a JSON list of where each page starts. `content_hash` and
    # `inputs_hash` tell whether its file changed, `is_stated` whether somebody stated its label.
    """
    CREATE TABLE IF NOT EXISTS document (
        no            INTEGER PRIMARY KEY,
        doc_id        TEXT NOT NULL UNIQUE,
        title         TEXT NOT NULL,
        topic         TEXT NOT NULL,
        entity        TEXT NOT NULL,
        geography     TEXT NOT NULL,
        period        TEXT NOT NULL,
        language      TEXT NOT NULL,
        collection    TEXT NOT NULL,
        sensitivity   TEXT NOT NULL,
        valid_as_of   TEXT NOT NULL,
        version       INTEGER NOT NULL,
        chunker       TEXT NOT NULL,
        fingerprint   TEXT NOT NULL,
        source_path   TEXT NOT NULL,
        longest_child INTEGER NOT NULL DEFAULT 0,
        offsets       BLOB,
        pages         TEXT NOT NULL DEFAULT '[]',
        content_hash  TEXT NOT NULL DEFAULT '',
        inputs_hash   TEXT NOT NULL DEFAULT '',
        is_stated     INTEGER NOT NULL DEFAULT 1
    )
    """,
    # The canonical text in pieces of equal length; none for a document from before the record.
    """
    CREATE TABLE IF NOT EXISTS document_text (
        doc_no INTEGER NOT NULL,
        start  INTEGER NOT NULL,
        text   TEXT NOT NULL,
        PRIMARY KEY (doc_no, start)
    )
    """,
    "CREATE INDEX IF NOT EXISTS ix_document_source ON document (source_path)",
    # `own_label` was stated of the section; `sensitivity` is in force, '' when its document's is.
    """
    CREATE TABLE IF NOT EXISTS section (
        doc_no      INTEGER NOT NULL,
        no          INTEGER NOT NULL,
        parent      INTEGER,
        level       INTEGER NOT NULL,
        heading     TEXT NOT NULL,
        span_start  INTEGER NOT NULL,
        span_end    INTEGER NOT NULL,
        own_end     INTEGER NOT NULL,
        own_label   TEXT NOT NULL DEFAULT '',
        sensitivity TEXT NOT NULL DEFAULT '',
        is_erased   INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (doc_no, no)
    ) WITHOUT ROWID
    """,
    # The branches that children are merged in; `children` counts nodes and chunks directly below.
    """
    CREATE TABLE IF NOT EXISTS tree_node (
        doc_no     INTEGER NOT NULL,
        no         INTEGER NOT NULL,
        parent     INTEGER,
        name       TEXT NOT NULL,
        span_start INTEGER NOT NULL,
        span_end   INTEGER NOT NULL,
        para_start INTEGER NOT NULL,
        para_end   INTEGER NOT NULL,
        children   INTEGER NOT NULL,
        PRIMARY KEY (doc_no, no)
    ) WITHOUT ROWID
    """,
    # Few sections have a label of their own; each search looks for them.
    """
    CREATE INDEX IF NOT EXISTS ix_section_label ON section (doc_no) WHERE sensitivity != ''
    """,
    # One row for each current child; `id` is its key in the index. Spans are NULL before the
    # record. `level` is the label the row was indexed under: RESTRICTED rows have no index entry.
    # `own_label` is '' for a child that has no label of its own; `node` is NULL outside of a tree.
    """
    CREATE TABLE IF NOT EXISTS chunk_span (
        id           INTEGER PRIMARY KEY,
        doc_no       INTEGER NOT NULL,
        seq          INTEGER NOT NULL,
        level        INTEGER NOT NULL,
        own_label    TEXT NOT NULL DEFAULT '',
        is_erased    INTEGER NOT NULL DEFAULT 0,
        section      INTEGER NOT NULL,
        node         INTEGER,
        span_start   INTEGER,
        span_end     INTEGER,
        window_start INTEGER,
        window_end   INTEGER
    )
    """,
    "CREATE UNIQUE INDEX IF NOT EXISTS ux_chunk_span ON chunk_span (doc_no, seq)",
    "CREATE INDEX IF NOT EXISTS ix_chunk_span_start ON chunk_span (doc_no, span_start)",
    # A merge asks whether any child inside a branch is stricter than the reader's clearance.
    "CREATE INDEX IF NOT EXISTS ix_chunk_span_level ON chunk_span (doc_no, level, span_start)",
    # All hashes are keyed. `folder_hashes` is a JSON list, one for each folder from the file's up
    # to the root, salted, so that nobody can tell which stubs share a folder.
    """
    CREATE TABLE IF NOT EXISTS stub (
        id_hash       TEXT PRIMARY KEY,
        source_hash   TEXT NOT NULL,
        sensitivity   TEXT NOT NULL,
        labelled_at   TEXT NOT NULL,
        content_hash  TEXT NOT NULL DEFAULT '',
        inputs_hash   TEXT NOT NULL DEFAULT '',
        is_stated     INTEGER NOT NULL DEFAULT 1,
        folder_hashes TEXT NOT NULL DEFAULT '[]'
    ) WITHOUT ROWID
    """,
    "CREATE INDEX IF NOT EXISTS ix_stub_source ON stub (source_hash)",
    # Lowered labels stay on record; the document is named by its keyed hash alone.
    """
    CREATE TABLE IF NOT EXISTS lowered_label (
        id_hash    TEXT NOT NULL,
        before     TEXT NOT NULL,
        after      TEXT NOT NULL,
        lowered_at TEXT NOT NULL
    )
    """,
    # What is current: each child with its place and its document. The columns from `chunk_id` on
    # are those of `StoredChunk`, in its order.
    """
    CREATE VIEW IF NOT EXISTS current_chunk AS
    SELECT s.id, s.doc_no, s.section, s.level, s.node, s.span_start, s.span_end, s.window_start,
           s.window_end, d.collection, d.sensitivity AS document_label, d.chunker,
           n.chunk_id, n.doc_id, n.seq, n.text, n.source_locator, n.para_start, n.para_end,
           n.title, n.topic, n.entity, n.geography, n.period, n.language, n.sensitivity,
           n.valid_as_of, n.ingested_at, n.version, n.active, n.parent_id, n.heading,
           n.window_text, n.parent_locator
    FROM chunk_span s
    JOIN document d ON d.no = s.doc_no
    JOIN narrative_chunk n ON n.doc_id = d.doc_id AND n.version = d.version AND n.seq = s.seq
    """,
    """
    CREATE VIRTUAL TABLE IF NOT EXISTS chunk_fts
    USING fts5 (tok, content = '', tokenize = "ascii tokenchars '.+#'")
    """,
)


def is_current(db: sqlite3.Connection) -> bool:
    """Whether nothing is left to create, migrate or index anew.

    Raises:
        StoreFormatError: the file belongs to another program, or to a newer version of this one.
    """
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if names and "narrative_chunk" not in names:
        raise StoreFormatError(
            "the file is a SQLite database of another program: expected a store or a new file"
        )
    version = _find_version(db)
    if version not in (None, *_MIGRATED_VERSIONS, str(SCHEMA_VERSION)):
        raise StoreFormatError(
            f"the store has schema {version}; this version reads schema {SCHEMA_VERSION} and "
            "older: use the version that wrote it"
        )
    return version == str(SCHEMA_VERSION) and find_meta(db, "tokenizer") == TOKENIZER_VERSION


def init_schema(db: sqlite3.Connection) -> None:
    """Create what is missing, inside the caller's write transaction.

    Additive: no table is rebuilt and no row deleted. Running it again changes nothing.

    Raises:
        StoreFormatError: the file belongs to another program, or to a newer version of this one.
    """
    is_current(db)
    db.execute(_NARRATIVE_CHUNK)
    version = _find_version(db)
    if version == "1":
        db.execute("DROP VIEW current_chunk")
    for statement in (*_TABLES, *RELATION_TABLES):
        db.execute(statement)
    for table in _ADDED:
        _add_columns(db, table)
    _split_texts(db)
    if version != str(SCHEMA_VERSION):
        set_meta(db, "schema", str(SCHEMA_VERSION))
    if version is None:
        _adopt_documents(db)
    if version in (None, "1"):
        # Nobody noted then who stated a label; the default is the one that most likely nobody did.
        db.execute(
            "UPDATE document SET is_stated = 0 WHERE sensitivity = ?", (DEFAULT_SENSITIVITY.name,)
        )
    if find_meta(db, "tokenizer") != TOKENIZER_VERSION:
        rebuild_index(db)
        set_meta(db, "tokenizer", TOKENIZER_VERSION)


def _find_version(db: sqlite3.Connection) -> str | None:
    """The schema the file was last written with; None before the record."""
    row = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'store_meta'").fetchone()
    return find_meta(db, "schema") if row else None


def _split_texts(db: sqlite3.Connection) -> None:
    """Move the texts of schema 1, each in one row of the documents, to where they are in pieces."""
    columns = {name for (name,) in db.execute("SELECT name FROM pragma_table_info('document')")}
    if "text" not in columns:
        return
    for (doc_no,) in db.execute("SELECT no FROM document WHERE text IS NOT NULL").fetchall():
        (text,) = db.execute("SELECT text FROM document WHERE no = ?", (doc_no,)).fetchone()
        write_text(db, doc_no, text)
    db.execute("ALTER TABLE document DROP COLUMN text")


def _add_columns(db: sqlite3.Connection, table: str) -> None:
    present = {name for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", (table,))}
    for column, declaration in _ADDED[table].items():
        if column not in present:
            db.execute(f"ALTER TABLE {table} ADD COLUMN {column} {declaration}")


def _adopt_documents(db: sqlite3.Connection) -> None:
    """Give each document from before the record its row.

    Its label is the least strict of its rows; stricter rows keep theirs as labels of their own, and
    what describes the document is taken from a row that its readers may see.
    """
    rows = db.execute(
        "SELECT doc_id, version, seq, sensitivity, title, topic, entity, geography, period,"
        " language, valid_as_of FROM narrative_chunk AS n WHERE active = 1 AND version ="
        " (SELECT MAX(version) FROM narrative_chunk WHERE doc_id = n.doc_id AND active = 1)"
        " ORDER BY doc_id, label_level(sensitivity), seq"
    ).fetchall()
    numbers: dict[str, int] = {}
    levels: dict[str, Sensitivity] = {}
    for doc_id, version, seq, label, *described in rows:
        level = stored_label(label)
        if doc_id not in numbers:
            levels[doc_id] = level
            cursor = db.execute(
                "INSERT INTO document (doc_id, sensitivity, version, collection, chunker,"
                " fingerprint, source_path, title, topic, entity, geography, period, language,"
                " valid_as_of) VALUES (?, ?, ?, 'default', '', '', '', ?, ?, ?, ?, ?, ?, ?)",
                (doc_id, level.name, version, *described),
            )
            assert cursor.lastrowid is not None
            numbers[doc_id] = cursor.lastrowid
        db.execute(
            "INSERT INTO chunk_span (doc_no, seq, level, own_label, section)"
            " VALUES (?, ?, ?, ?, 0)",
            (numbers[doc_id], seq, level, label if level > levels[doc_id] else ""),
        )
