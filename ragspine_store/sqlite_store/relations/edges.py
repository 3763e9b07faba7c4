"""Reading edges: those that stand in the store, and those that references make."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, field

from ragspine_store.relation_protocols import (
    EdgeFilter,
    StoredEdge,
    StoredEvidence,
    VerdictEntry,
)
from ragspine_store.relations import PROFILE_DOC_ID, REFERS_TO, EdgeKey, Provenance, Verdict
from ragspine_store.sqlite_store.relations.places import (
    EVIDENCE_COLUMNS,
    FROM_SEEN,
    SEEN,
    Row,
    parameters,
    place_of,
    read_ends,
    stored_evidence,
)
from ragspine_store.sqlite_store.relations.references import read_references

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
_TRUSTED = " AND (e.provenance != 'model' OR l.verdict = 'verified')"
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

_Order = tuple[str, ...]


@dataclass(slots=True)
class _Edge:
    """An edge while its visible evidence is gathered.

    Attributes:
        key: which it is.
        verdict, entry: as in `StoredEdge`.
        known: number of the last piece of evidence before the last verdict.
        evidence: visible pieces with their numbers.
    """

    key: EdgeKey
    verdict: Verdict | None = None
    entry: VerdictEntry | None = None
    known: int = 0
    evidence: list[tuple[int, StoredEvidence]] = field(
        default_factory=list[tuple[int, StoredEvidence]]
    )


def read_edges(db: sqlite3.Connection, wanted: EdgeFilter) -> list[StoredEdge]:
    """Visible edges that pass the filter, in order, in a constant number of statements.

    A page is looked for among some more than it holds; when too many of those are hidden, among
    all.
    """
    if wanted.limit is None:
        return _look(db, wanted, None)[0]
    found, is_whole = _look(db, wanted, 4 * wanted.limit + 64)
    if len(found) < wanted.limit and not is_whole:
        found, _ = _look(db, wanted, None)
    return found[: wanted.limit]


def _look(
    db: sqlite3.Connection, wanted: EdgeFilter, look: int | None
) -> tuple[list[StoredEdge], bool]:
    """The edges among the first so many candidates, and whether there were no more."""
    edges, edges_end = _stored(db, wanted, look)
    made, made_end = _made(db, wanted, look)
    ends = read_ends(
        db, wanted.reader, (end for edge in (*edges, *made) for end in (edge.key[0], edge.key[2]))
    )
    horizon = min(filter(None, (edges_end, made_end)), default=None)
    found = [
        StoredEdge(
            key=edge.key,
            source=ends[edge.key.source],
            target=ends[edge.key.target],
            evidence=tuple(sorted((piece for _, piece in edge.evidence), key=place_of)),
            verdict=edge.verdict,
            entry=edge.entry,
            has_new_evidence=(
                edge.entry is not None and any(no > edge.known for no, _ in edge.evidence)
            ),
        )
        for edge in sorted((*edges, *made), key=lambda edge: _order(edge.key))
        if edge.key.source in ends and edge.key.target in ends
        if horizon is None or _order(edge.key) <= horizon
    ]
    return found, horizon is None


def _stored(
    db: sqlite3.Connection, wanted: EdgeFilter, look: int | None
) -> tuple[list[_Edge], _Order | None]:
    """Edges that stand in the store with their visible evidence, and where the look ended."""
    candidates = _candidates(db, wanted, look)
    numbers = json.dumps(list(candidates))
    for edge, no, *columns in db.execute(
        _EVIDENCE, {**parameters(wanted.reader), "edges": numbers}
    ):
        candidates[edge].evidence.append((no, stored_evidence(columns)))
    end = None
    if len(candidates) == look:
        end = _order(list(candidates.values())[-1].key)
    found = [edge for edge in candidates.values() if _passes(wanted, edge)]
    return found, end


def _candidates(db: sqlite3.Connection, wanted: EdgeFilter, look: int | None) -> dict[int, _Edge]:
    """Edges by number, in order, that pass the filter if they can be seen."""
    after = _order(wanted.after) if wanted.after else ("", "", "", "")
    statement = _CANDIDATES + _where_to_look(wanted) + _VERDICT
    for given, condition in (
        (wanted.kinds, _KINDS),
        (wanted.provenances, _PROVENANCES),
        (wanted.nodes, _NODES),
        (wanted.doc_ids, _DOCUMENTS),
        (wanted.models, _MODELS),
        (wanted.verdicts, _VERDICTS),
        (wanted.trusted, _TRUSTED),
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


def _edge(row: Row) -> _Edge:
    _, kind, source, target, provenance, known, *logged, edge_id, count = row
    key = EdgeKey(source, kind, target, Provenance(provenance))
    if key.provenance is not Provenance.MODEL:
        return _Edge(key)
    if known is None:
        return _Edge(key, Verdict.UNVERIFIED)
    edge_hash, document, verdict, reviewer, note, at = logged
    entry = VerdictEntry(count, edge_hash, document, Verdict(verdict), reviewer, note, at, edge_id)
    return _Edge(key, entry.verdict, entry, known)


def _passes(wanted: EdgeFilter, edge: _Edge) -> bool:
    """Whether the visible evidence of an edge is what the filter wants; none is not."""
    pieces = [piece for _, piece in edge.evidence]
    return (
        bool(pieces)
        and (not wanted.doc_ids or any(p.evidence.doc_id in wanted.doc_ids for p in pieces))
        and (not wanted.models or any(p.evidence.model in wanted.models for p in pieces))
        and (wanted.stale is None or wanted.stale == all(p.is_stale for p in pieces))
    )


def _made(
    db: sqlite3.Connection, wanted: EdgeFilter, look: int | None
) -> tuple[list[_Edge], _Order | None]:
    """Edges that references make, and where the look ended."""
    after = wanted.after
    if (
        (wanted.kinds and REFERS_TO not in wanted.kinds)
        or (wanted.provenances and Provenance.RULE not in wanted.provenances)
        or (wanted.verdicts and not wanted.provenances)
        or wanted.models
        or wanted.stale
        or (after and after.kind > REFERS_TO)
    ):
        return [], None
    references, next_source = read_references(
        db,
        wanted.reader,
        nodes=wanted.nodes,
        doc_ids=wanted.doc_ids,
        source=after.source if after and after.kind == REFERS_TO else "",
        look=look,
    )
    made: dict[EdgeKey, _Edge] = {}
    for n, reference in enumerate(references):
        if reference.target is None or reference.target == reference.source:
            continue
        key = EdgeKey(reference.source, REFERS_TO, reference.target, Provenance.RULE)
        made.setdefault(key, _Edge(key)).evidence.append((n, reference.evidence))
    found = [
        edge
        for key, edge in made.items()
        if not wanted.nodes or key.source in wanted.nodes or key.target in wanted.nodes
        if not wanted.ids or key.edge_id in wanted.ids
        if after is None or _order(key) > _order(after)
    ]
    return found, (REFERS_TO, next_source) if next_source is not None else None


def _order(key: EdgeKey) -> _Order:
    return key.kind, key.source, key.target, key.provenance.value
