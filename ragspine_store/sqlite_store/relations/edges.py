"""Reading edges: those that stand in the store, and those that references make."""

from __future__ import annotations

import json
import sqlite3

from ragspine_store.relation_protocols import EdgeFilter, StoredEdge, VerdictEntry
from ragspine_store.relations import PROFILE_DOC_ID, REFERS_TO, EdgeKey, Provenance, Verdict
from ragspine_store.sqlite_store.relations.places import (
    EVIDENCE_COLUMNS,
    FROM_SEEN,
    SEEN,
    Row,
    read_ends,
    stored_evidence,
)
from ragspine_store.sqlite_store.relations.references import read_references
from ragspine_store.sqlite_store.scope import reader_values
from ragspine_store.storage_rules.relations.edges import (
    EdgeLook,
    GatheredEdge,
    edge_order,
    edges_of_references,
    page_of_edges,
    passes,
    stored_edges,
    wants_references,
)

_CANDIDATES = """
SELECT e.no, e.kind, e.source, e.target, e.provenance, l.evidence,
    l.edge, l.document, l.verdict, l.reviewer, l.note, l.at, e.edge_id,
    (SELECT COUNT(*) FROM verdict_log WHERE edge = l.edge)
"""
# Where they are looked for: the planner would rather look at every edge in order.
_AMONG_ALL = " FROM relation_edge e"
_AMONG_IDS = """ FROM (
    SELECT no FROM relation_edge WHERE edge_id IN (SELECT value FROM json_each(:ids))
) w CROSS JOIN relation_edge e ON e.no = w.no
"""
_AMONG_NODES = """ FROM (
    SELECT no FROM relation_edge WHERE source IN (SELECT value FROM json_each(:nodes))
    UNION SELECT no FROM relation_edge WHERE target IN (SELECT value FROM json_each(:nodes))
) w CROSS JOIN relation_edge e ON e.no = w.no
"""
_AMONG_DOCUMENTS = """ FROM (
    SELECT DISTINCT v.edge AS no FROM relation_evidence v WHERE v.doc IN (
        SELECT r.no FROM relation_document r JOIN json_each(:doc_ids) j ON r.doc_id = j.value
        UNION SELECT 0 FROM json_each(:doc_ids) j WHERE j.value = :profile)
) w CROSS JOIN relation_edge e ON e.no = w.no
"""
_VERDICT = """
LEFT JOIN verdict_log l ON l.no = (
    SELECT MAX(no) FROM verdict_log WHERE e.edge_hash != '' AND edge = e.edge_hash)
WHERE (e.kind, e.source, e.target, e.provenance) > (:kind, :source, :target, :provenance)
"""

# What each filter adds.
_KINDS = " AND e.kind IN (SELECT value FROM json_each(:kinds))"
_PROVENANCES = " AND e.provenance IN (SELECT value FROM json_each(:provenances))"
_NODES = """ AND (e.source IN (SELECT value FROM json_each(:nodes))
    OR e.target IN (SELECT value FROM json_each(:nodes)))
"""
_DOCUMENTS = """ AND EXISTS (
    SELECT 1 FROM relation_evidence v LEFT JOIN relation_document r ON r.no = v.doc
    WHERE v.edge = e.no AND ifnull(r.doc_id, :profile) IN (SELECT value FROM json_each(:doc_ids)))
"""
_MODELS = """ AND EXISTS (
    SELECT 1 FROM relation_evidence v
    WHERE v.edge = e.no AND v.model IN (SELECT value FROM json_each(:models)))
"""
_VERDICTS = """ AND iif(e.provenance = 'model',
    ifnull(l.verdict, 'unverified') IN (SELECT value FROM json_each(:verdicts)), :mixed)
"""
_ORDER = " ORDER BY e.kind, e.source, e.target, e.provenance LIMIT :look"

_EVIDENCE = "".join(
    (
        """
WITH wanted AS (
    SELECT v.no AS evidence FROM json_each(:edges) j
    CROSS JOIN relation_evidence v ON v.edge = j.value
),
""",
        SEEN,
        "SELECT v.edge, v.no, ",
        EVIDENCE_COLUMNS,
        FROM_SEEN,
    )
)


def read_edges(db: sqlite3.Connection, wanted: EdgeFilter) -> list[StoredEdge]:
    """Visible edges that pass the filter, in order, in a constant number of statements.

    A page costs what it holds, unless most of what comes before its end is hidden.
    """
    return page_of_edges(wanted, lambda look: _look(db, wanted, look))


def _look(
    db: sqlite3.Connection, wanted: EdgeFilter, look: int | None
) -> tuple[list[StoredEdge], bool]:
    """The edges among the first so many candidates, and whether there were no more."""
    looks = [_stored(db, wanted, look), _made(db, wanted, look)]
    keys = [edge.key for found in looks for edge in found.edges]
    ends = read_ends(db, wanted.reader, (end for key in keys for end in (key.source, key.target)))
    return stored_edges(looks, ends)


def _stored(db: sqlite3.Connection, wanted: EdgeFilter, look: int | None) -> EdgeLook:
    """Edges that stand in the store with their visible evidence."""
    candidates = _candidates(db, wanted, look)
    numbers = json.dumps(list(candidates))
    for no, piece, *columns in db.execute(
        _EVIDENCE, {**reader_values(wanted.reader), "edges": numbers}
    ):
        edge, known = candidates[no]
        edge.evidence.append(stored_evidence(columns))
        edge.is_new = edge.is_new or piece > known
    edges = [edge for edge, _ in candidates.values()]
    end = edge_order(edges[-1].key) if len(edges) == look else None
    return EdgeLook([edge for edge in edges if passes(wanted, edge)], end)


def _candidates(
    db: sqlite3.Connection, wanted: EdgeFilter, look: int | None
) -> dict[int, tuple[GatheredEdge, int]]:
    """Edges that pass the filter if they can be seen, by number, in order.

    Each with the number of the last piece of evidence before its last verdict.
    """
    after = edge_order(wanted.after) if wanted.after else ("", "", "", "")
    statement = _CANDIDATES + _where_to_look(wanted) + _VERDICT
    for given, condition in (
        (wanted.kinds, _KINDS),
        (wanted.provenances, _PROVENANCES),
        (wanted.nodes, _NODES),
        (wanted.doc_ids, _DOCUMENTS),
        (wanted.models, _MODELS),
        (wanted.verdicts, _VERDICTS),
    ):
        if given:
            statement += condition
    rows = db.execute(
        statement + _ORDER,
        {
            **dict(zip(("kind", "source", "target", "provenance"), after, strict=True)),
            "ids": json.dumps(list(wanted.ids)),
            "kinds": json.dumps(list(wanted.kinds)),
            "provenances": json.dumps([p.value for p in wanted.provenances]),
            "nodes": json.dumps(list(wanted.nodes)),
            "doc_ids": json.dumps(list(wanted.doc_ids)),
            "models": json.dumps(list(wanted.models)),
            "verdicts": json.dumps([v.value for v in wanted.verdicts]),
            "mixed": bool(wanted.provenances),
            "profile": PROFILE_DOC_ID,
            "look": -1 if look is None else look,
        },
    )
    return {row[0]: _edge(row) for row in rows}


def _where_to_look(wanted: EdgeFilter) -> str:
    if wanted.ids:
        return _AMONG_IDS
    if wanted.nodes:
        return _AMONG_NODES
    return _AMONG_DOCUMENTS if wanted.doc_ids else _AMONG_ALL


def _edge(row: Row) -> tuple[GatheredEdge, int]:
    _, kind, source, target, provenance, known, *logged, edge_id, count = row
    key = EdgeKey(source, kind, target, Provenance(provenance))
    if key.provenance is not Provenance.MODEL:
        return GatheredEdge(key), 0
    if known is None:
        return GatheredEdge(key, Verdict.UNVERIFIED), 0
    edge_hash, document, verdict, reviewer, note, at = logged
    entry = VerdictEntry(count, edge_hash, document, Verdict(verdict), reviewer, note, at, edge_id)
    return GatheredEdge(key, entry.verdict, entry), known


def _made(db: sqlite3.Connection, wanted: EdgeFilter, look: int | None) -> EdgeLook:
    """Edges that references make."""
    if not wants_references(wanted):
        return EdgeLook([])
    after = wanted.after
    references, next_source = read_references(
        db,
        wanted.reader,
        nodes=wanted.nodes,
        doc_ids=wanted.doc_ids,
        source=after.source if after and after.kind == REFERS_TO else "",
        look=look,
    )
    return edges_of_references(wanted, references, next_source)
