"""The verdict log: appended to, never changed (triggers see to it), and without a name or text."""

from __future__ import annotations

import sqlite3

from ragspine_store.errors import NotFoundError, RelationError
from ragspine_store.relation_protocols import EdgeFilter, VerdictEntry
from ragspine_store.relations import Provenance, Verdict
from ragspine_store.sensitivity import Reader
from ragspine_store.sqlite_store.relations.edges import read_edges
from ragspine_store.storage_rules.relations.checks import check_verdict
from ragspine_store.storage_rules.relations.edges import log_of_edges
from ragspine_store.storage_rules.stub_key import Name
from ragspine_store.storage_rules.texts import can_be_stored, now

_ENTRIES = """
SELECT l.no, l.edge, l.document, l.verdict, l.reviewer, l.note, l.at, ifnull(e.edge_id, '')
FROM verdict_log l
LEFT JOIN relation_edge e ON e.edge_hash = l.edge AND e.edge_hash != ''
ORDER BY l.no
"""

_FIRST_DOCUMENT = """
SELECT r.doc_id FROM relation_evidence v JOIN relation_document r ON r.no = v.doc
WHERE v.edge = ? ORDER BY r.doc_id LIMIT 1
"""


def record_verdict(
    db: sqlite3.Connection, name: Name, edge_id: str, verdict: Verdict, *, reviewer: str, note: str
) -> VerdictEntry:
    """Append a person's verdict on an edge of a model.

    Raises:
        NotFoundError: no such edge.
        RelationError: the edge is not a model's, or there is no verdict or reviewer.
    """
    check_verdict(verdict, reviewer, note)
    no, edge_hash = _find_edge(db, edge_id)
    (document,) = db.execute(_FIRST_DOCUMENT, (no,)).fetchone()
    (seen,) = db.execute("SELECT MAX(no) FROM relation_evidence").fetchone()
    values = (edge_hash, name(document), verdict.value, reviewer, note, now())
    cursor = db.execute(
        "INSERT INTO verdict_log (edge, document, verdict, reviewer, note, at, evidence)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*values, seen),
    )
    assert cursor.lastrowid is not None
    return VerdictEntry(
        cursor.lastrowid, values[0], values[1], verdict, reviewer, note, values[5], edge_id
    )


def read_log(db: sqlite3.Connection, reader: Reader | None) -> list[VerdictEntry]:
    """Entries of the log, oldest first; a reader gets those of edges they see, counted anew."""
    entries = [
        VerdictEntry(no, edge, document, Verdict(verdict), *rest)
        for no, edge, document, verdict, *rest in db.execute(_ENTRIES)
    ]
    if reader is None:
        return entries
    ids = {entry.edge_id for entry in entries} - {""}
    wanted = EdgeFilter(reader, ids=sorted(ids), provenances=[Provenance.MODEL])
    seen = {edge.key.edge_id for edge in read_edges(db, wanted)} if ids else set[str]()
    return log_of_edges(entries, seen)


def _find_edge(db: sqlite3.Connection, edge_id: str) -> tuple[int, str]:
    if can_be_stored(edge_id):
        row = db.execute(
            "SELECT no, edge_hash FROM relation_edge WHERE edge_id = ? AND provenance = 'model'",
            (edge_id,),
        ).fetchone()
        if row is not None:
            return row
        if read_edges(db, EdgeFilter(Reader(), ids=[edge_id])):
            raise RelationError(
                f"edge {edge_id} is not a model's; expected a model's: verdicts are for those alone"
            )
    raise NotFoundError(f"no edge {edge_id!r}: expected an id as relations list gives it")
