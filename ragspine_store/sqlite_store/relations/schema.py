"""Tables of the relation graph beside those of the documents.

What an edge, a reference or a rejection rests on is one row of `relation_evidence`. Triggers take
away what is left without any, so that no writer can forget it: evidence takes its reference,
rejection and, when it was the last, its edge; an edge takes nodes that nothing names any more.

No label is copied: reads join the evidence with what is in force. Only stale evidence, whose text
is gone, keeps the label that text had (`floor`).
"""

from __future__ import annotations

_UNUSED_NODES = """
    DELETE FROM relation_node WHERE id = {node}
        AND NOT EXISTS (SELECT 1 FROM relation_edge WHERE source = {node})
        AND NOT EXISTS (SELECT 1 FROM relation_edge WHERE target = {node})
        AND NOT EXISTS (SELECT 1 FROM relation_address WHERE node = {node})
        AND NOT EXISTS (SELECT 1 FROM relation_reference WHERE source = {node});
"""

RELATION_TABLES = (
    # What the graph knows of a document that evidence names, in the store or not. `rules` is the
    # fingerprint of what its rule-made rows were made with, '' when they have to be made anew.
    """
    CREATE TABLE IF NOT EXISTS relation_document (
        no     INTEGER PRIMARY KEY,
        doc_id TEXT NOT NULL UNIQUE,
        rules  TEXT NOT NULL DEFAULT ''
    )
    """,
    # Only nodes that are part of a document, or that have a label of the profile's.
    """
    CREATE TABLE IF NOT EXISTS relation_node (
        id      TEXT PRIMARY KEY,
        label   TEXT NOT NULL,
        doc     INTEGER,
        section INTEGER,
        child   INTEGER
    ) WITHOUT ROWID
    """,
    "CREATE INDEX IF NOT EXISTS ix_relation_node_doc ON relation_node (doc) WHERE doc IS NOT NULL",
    # `edge_hash` is the keyed hash that the verdict log names a model's edge by; '' for others.
    """
    CREATE TABLE IF NOT EXISTS relation_edge (
        no         INTEGER PRIMARY KEY,
        kind       TEXT NOT NULL,
        source     TEXT NOT NULL,
        target     TEXT NOT NULL,
        provenance TEXT NOT NULL,
        edge_id    TEXT NOT NULL,
        edge_hash  TEXT NOT NULL
    )
    """,
    """
    CREATE UNIQUE INDEX IF NOT EXISTS ux_relation_edge
    ON relation_edge (kind, source, target, provenance)
    """,
    "CREATE INDEX IF NOT EXISTS ix_relation_edge_source ON relation_edge (source)",
    "CREATE INDEX IF NOT EXISTS ix_relation_edge_target ON relation_edge (target)",
    "CREATE INDEX IF NOT EXISTS ix_relation_edge_id ON relation_edge (edge_id)",
    """
    CREATE INDEX IF NOT EXISTS ix_relation_edge_hash ON relation_edge (edge_hash)
    WHERE edge_hash != ''
    """,
    # `edge` is NULL for what a reference or rejection rests on. `doc` is 0 for the profile.
    # `origin` says who writes it anew: 0 the profile, 1 rules, 2 a model, of whose answer about
    # child `seq` it is. Numbers are never used twice: those after a verdict are new to it.
    """
    CREATE TABLE IF NOT EXISTS relation_evidence (
        no          INTEGER PRIMARY KEY AUTOINCREMENT,
        edge        INTEGER,
        doc         INTEGER NOT NULL,
        origin      INTEGER NOT NULL,
        seq         INTEGER,
        chunk_first INTEGER,
        chunk_last  INTEGER,
        span_start  INTEGER,
        span_end    INTEGER,
        locator     TEXT NOT NULL,
        quote       TEXT NOT NULL,
        source_name TEXT NOT NULL,
        target_name TEXT NOT NULL,
        count       INTEGER NOT NULL,
        weight      REAL NOT NULL,
        model       TEXT NOT NULL,
        prompt      TEXT NOT NULL,
        is_stale    INTEGER NOT NULL DEFAULT 0,
        floor       INTEGER NOT NULL DEFAULT 0
    )
    """,
    """
    CREATE INDEX IF NOT EXISTS ix_relation_evidence_edge ON relation_evidence (edge)
    WHERE edge IS NOT NULL
    """,
    "CREATE INDEX IF NOT EXISTS ix_relation_evidence_doc ON relation_evidence (doc, origin, seq)",
    """
    CREATE INDEX IF NOT EXISTS ix_relation_evidence_child ON relation_evidence (doc, chunk_first)
    WHERE chunk_first IS NOT NULL
    """,
    """
    CREATE TABLE IF NOT EXISTS relation_title (
        title TEXT NOT NULL,
        doc   INTEGER NOT NULL,
        PRIMARY KEY (title, doc)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX IF NOT EXISTS ix_relation_title_doc ON relation_title (doc)",
    # `position` is the order in which the document's addresses were found.
    """
    CREATE TABLE IF NOT EXISTS relation_address (
        doc      INTEGER NOT NULL,
        address  TEXT NOT NULL,
        position INTEGER NOT NULL,
        node     TEXT NOT NULL,
        PRIMARY KEY (doc, address, position)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX IF NOT EXISTS ix_relation_address_node ON relation_address (node)",
    """
    CREATE TABLE IF NOT EXISTS relation_reference (
        evidence INTEGER PRIMARY KEY,
        doc      INTEGER NOT NULL,
        source   TEXT NOT NULL,
        title    TEXT NOT NULL,
        address  TEXT NOT NULL
    )
    """,
    "CREATE INDEX IF NOT EXISTS ix_relation_reference_source ON relation_reference (source)",
    """
    CREATE INDEX IF NOT EXISTS ix_relation_reference_target
    ON relation_reference (title, address, doc)
    """,
    """
    CREATE TABLE IF NOT EXISTS relation_rejection (
        evidence INTEGER PRIMARY KEY,
        rule     TEXT NOT NULL,
        reason   TEXT NOT NULL,
        source   TEXT NOT NULL,
        kind     TEXT NOT NULL,
        target   TEXT NOT NULL,
        quote    TEXT NOT NULL
    )
    """,
    # An answer hangs on the child it is about, so that it goes with its text.
    """
    CREATE TABLE IF NOT EXISTS model_answer (
        model         TEXT NOT NULL,
        prompt        TEXT NOT NULL,
        chunk         TEXT NOT NULL,
        doc           INTEGER NOT NULL,
        seq           INTEGER NOT NULL,
        answer        TEXT NOT NULL,
        input_tokens  INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        PRIMARY KEY (model, prompt, chunk)
    )
    """,
    "CREATE INDEX IF NOT EXISTS ix_model_answer_doc ON model_answer (doc)",
    # `evidence` is the last number of evidence that the reviewer could know of.
    """
    CREATE TABLE IF NOT EXISTS verdict_log (
        no       INTEGER PRIMARY KEY AUTOINCREMENT,
        edge     TEXT NOT NULL,
        document TEXT NOT NULL,
        verdict  TEXT NOT NULL,
        reviewer TEXT NOT NULL,
        note     TEXT NOT NULL,
        at       TEXT NOT NULL,
        evidence INTEGER NOT NULL
    )
    """,
    "CREATE INDEX IF NOT EXISTS ix_verdict_log_edge ON verdict_log (edge, no)",
    """
    CREATE TRIGGER IF NOT EXISTS verdict_log_never_changes BEFORE UPDATE ON verdict_log
    BEGIN SELECT RAISE (ABORT, 'the verdict log is append-only'); END
    """,
    """
    CREATE TRIGGER IF NOT EXISTS verdict_log_never_shrinks BEFORE DELETE ON verdict_log
    BEGIN SELECT RAISE (ABORT, 'the verdict log is append-only'); END
    """,
    # INSERT OR REPLACE takes a row away without a DELETE.
    """
    CREATE TRIGGER IF NOT EXISTS verdict_log_never_replaces BEFORE INSERT ON verdict_log
    WHEN EXISTS (SELECT 1 FROM verdict_log WHERE no = NEW.no)
    BEGIN SELECT RAISE (ABORT, 'the verdict log is append-only'); END
    """,
    """
    CREATE TRIGGER IF NOT EXISTS relation_evidence_gone AFTER DELETE ON relation_evidence
    BEGIN
        DELETE FROM relation_reference WHERE evidence = OLD.no;
        DELETE FROM relation_rejection WHERE evidence = OLD.no;
        DELETE FROM relation_edge WHERE no = OLD.edge
            AND NOT EXISTS (SELECT 1 FROM relation_evidence WHERE edge = OLD.edge);
    END
    """,
    "CREATE TRIGGER IF NOT EXISTS relation_edge_gone AFTER DELETE ON relation_edge BEGIN"
    + _UNUSED_NODES.format(node="OLD.source")
    + _UNUSED_NODES.format(node="OLD.target")
    + "END",
    "CREATE TRIGGER IF NOT EXISTS relation_address_gone AFTER DELETE ON relation_address BEGIN"
    + _UNUSED_NODES.format(node="OLD.node")
    + "END",
    "CREATE TRIGGER IF NOT EXISTS relation_reference_gone AFTER DELETE ON relation_reference BEGIN"
    + _UNUSED_NODES.format(node="OLD.source")
    + "END",
)
