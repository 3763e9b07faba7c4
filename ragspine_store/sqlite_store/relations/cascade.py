"""What becomes of relations when their document changes.

A change of text takes all that rules made of it, to be made anew. What a model found is looked for
by its quote: found, it moves to where the quote stands now; otherwise it stays, marked as stale,
under the label that its text had last. What was deleted or became RESTRICTED takes everything with
it, stale evidence too, since nobody can tell any more from which part that came.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection

from ragspine_store.records import Span
from ragspine_store.relations import ChunkRange, EdgeKey, Provenance
from ragspine_store.sqlite_store.relations.rows import Origin, edge_row
from ragspine_store.sqlite_store.relations.targets import Target, find_document, read_target
from ragspine_store.storage_rules.relations.checks import edge_hash
from ragspine_store.storage_rules.relations.nodes import moved_node
from ragspine_store.storage_rules.stub_key import Name

_RESTRICTED_SECTIONS = """
SELECT n.id FROM relation_node n
JOIN relation_document r ON r.no = n.doc
JOIN document d ON d.doc_id = r.doc_id
JOIN section s ON s.doc_no = d.no AND s.no = n.section
JOIN section q INDEXED BY ix_section_label
    ON q.doc_no = d.no AND q.sensitivity != ''
    AND q.span_start <= s.span_start AND (q.span_end > s.span_start OR q.no = s.no)
WHERE n.doc = ? AND label_level(q.sensitivity) >= label_level('RESTRICTED')
"""


def clear_rules(db: sqlite3.Connection, doc: int) -> None:
    """Take away all that rules found in a document."""
    db.execute("DELETE FROM relation_evidence WHERE doc = ? AND origin = ?", (doc, Origin.RULES))
    db.execute("DELETE FROM relation_title WHERE doc = ?", (doc,))
    db.execute("DELETE FROM relation_address WHERE doc = ?", (doc,))
    db.execute("UPDATE relation_document SET rules = '' WHERE no = ?", (doc,))


def note_relabelled_part(db: sqlite3.Connection, doc_id: str) -> None:
    """Note that a part of a document has another label now, not RESTRICTED."""
    outdate_rules(db, doc_id)
    # A document that is called by its id may be so because its title is withheld.
    db.execute(
        "DELETE FROM relation_title WHERE doc = (SELECT r.no FROM relation_document r"
        " JOIN document d ON d.doc_id = r.doc_id WHERE r.doc_id = ? AND d.title = d.doc_id)",
        (doc_id,),
    )


def outdate_rules(db: sqlite3.Connection, doc_id: str) -> None:
    """Note that what rules find in a document has to be made anew; until then it stands."""
    db.execute("UPDATE relation_document SET rules = '' WHERE doc_id = ?", (doc_id,))


def forget_relations(db: sqlite3.Connection, doc_id: str) -> None:
    """Take away all that rests on a document which is deleted or RESTRICTED, and its name."""
    doc = find_document(db, doc_id)
    if doc is None:
        return
    forget_nodes(db, _nodes_of(db, doc))
    for table_rows in (
        "DELETE FROM relation_evidence WHERE doc = ?",
        "DELETE FROM relation_title WHERE doc = ?",
        "DELETE FROM relation_address WHERE doc = ?",
        "DELETE FROM model_answer WHERE doc = ?",
        "DELETE FROM relation_node WHERE doc = ?",
        "DELETE FROM relation_document WHERE no = ?",
    ):
        db.execute(table_rows, (doc,))


def forget_restricted(db: sqlite3.Connection, doc_id: str) -> None:
    """Take away what rests on RESTRICTED parts of a document."""
    doc = find_document(db, doc_id)
    if doc is None:
        return
    target = read_target(db, doc, doc_id)
    rows = db.execute(
        "SELECT no, is_stale, chunk_first, chunk_last, span_start, span_end"
        " FROM relation_evidence WHERE doc = ?",
        (doc,),
    ).fetchall()
    db.executemany(
        "DELETE FROM relation_evidence WHERE no = ?",
        [
            (no,)
            for no, is_stale, first, last, start, end in rows
            if is_stale
            or not target.is_open(
                None if first is None else ChunkRange(first, last),
                None if start is None else Span(start, end),
            )
        ],
    )
    open_children = set(target.open_children)
    answered = db.execute("SELECT rowid, seq FROM model_answer WHERE doc = ?", (doc,)).fetchall()
    db.executemany(
        "DELETE FROM model_answer WHERE rowid = ?",
        [(key,) for key, seq in answered if seq not in open_children],
    )
    db.execute("UPDATE relation_document SET rules = '' WHERE no = ?", (doc,))
    # Its titles may have stood in what is withheld now.
    db.execute("DELETE FROM relation_title WHERE doc = ?", (doc,))
    forget_restricted_nodes(db, target)


def forget_restricted_nodes(db: sqlite3.Connection, target: Target) -> None:
    """Take away what names RESTRICTED parts of a document as nodes."""
    if len(target.open_children) == len(target.children) and not target.closed:
        return
    open_children = set(target.open_children)
    children = db.execute(
        "SELECT id, child FROM relation_node WHERE doc = ? AND child IS NOT NULL", (target.doc,)
    )
    forget_nodes(
        db,
        [node for node, child in children.fetchall() if child not in open_children]
        + [node for (node,) in db.execute(_RESTRICTED_SECTIONS, (target.doc,)).fetchall()],
    )


def forget_nodes(db: sqlite3.Connection, nodes: Collection[str]) -> None:
    """Take away edges, references and addresses that name one of these nodes."""
    if not nodes:
        return
    named = (json.dumps(list(nodes)),)
    db.execute(
        "DELETE FROM relation_evidence WHERE edge IN (SELECT no FROM relation_edge WHERE source IN"
        " (SELECT value FROM json_each(?1)) UNION SELECT no FROM relation_edge WHERE target IN"
        " (SELECT value FROM json_each(?1)))",
        named,
    )
    db.execute(
        "DELETE FROM relation_evidence WHERE no IN (SELECT evidence FROM relation_reference"
        " WHERE source IN (SELECT value FROM json_each(?)))",
        named,
    )
    db.execute("DELETE FROM relation_address WHERE node IN (SELECT value FROM json_each(?))", named)


def move_relations(db: sqlite3.Connection, name: Name, old_id: str, doc_id: str) -> None:
    """Let relations follow a document to another id; what rules found is to be made anew."""
    doc, other = find_document(db, old_id), find_document(db, doc_id)
    if doc is None:
        return
    if other is not None:
        # Facts named the new id before the document had it.
        forget_nodes(db, _nodes_of(db, other))
        db.execute("UPDATE relation_evidence SET doc = ? WHERE doc = ?", (doc, other))
        db.execute("DELETE FROM relation_node WHERE doc = ?", (other,))
        db.execute("DELETE FROM relation_document WHERE no = ?", (other,))
    clear_rules(db, doc)
    db.execute("UPDATE relation_document SET doc_id = ? WHERE no = ?", (doc_id, doc))
    db.execute(
        "UPDATE relation_evidence SET locator = :new || substr(locator, length(:old) + 1)"
        " WHERE doc = :doc AND substr(locator, 1, length(:old)) = :old",
        {"new": doc_id, "old": old_id, "doc": doc},
    )
    for node in _nodes_of(db, doc):
        _rename_node(db, name, node, moved_node(node, old_id, doc_id))


def _rename_node(db: sqlite3.Connection, name: Name, before: str, after: str) -> None:
    """Give a node another id; edges of models take their last verdict along to their new key."""
    db.execute("UPDATE relation_node SET id = ? WHERE id = ?", (after, before))
    rows = db.execute(
        "SELECT no, kind, source, target, provenance, edge_hash FROM relation_edge"
        " WHERE source = ?1 UNION SELECT no, kind, source, target, provenance, edge_hash"
        " FROM relation_edge WHERE target = ?1",
        (before,),
    ).fetchall()
    for no, kind, *ends, provenance, hash_before in rows:
        source, target = (after if end == before else end for end in ends)
        key = EdgeKey(source, kind, target, Provenance(provenance))
        hash_after = edge_hash(key, name)
        db.execute(
            "UPDATE relation_edge SET kind = ?, source = ?, target = ?, provenance = ?,"
            " edge_id = ?, edge_hash = ? WHERE no = ?",
            (*edge_row(key), hash_after, no),
        )
        db.execute(
            "INSERT INTO verdict_log (edge, document, verdict, reviewer, note, at, evidence)"
            " SELECT ?, document, verdict, reviewer, note, at, evidence FROM verdict_log"
            " WHERE edge = ? AND edge != '' ORDER BY no DESC LIMIT 1",
            (hash_after, hash_before),
        )


def _nodes_of(db: sqlite3.Connection, doc: int) -> list[str]:
    return [
        node
        for (node,) in db.execute("SELECT id FROM relation_node WHERE doc = ?", (doc,)).fetchall()
    ]
