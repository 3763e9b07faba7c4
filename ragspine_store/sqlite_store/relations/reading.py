"""The read side of the relation graph."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from ragspine_store.relation_protocols import (
    EdgeFilter,
    RelationCensus,
    RelationState,
    StoredEdge,
    StoredEnd,
    StoredEvidence,
    StoredReference,
    StoredRejection,
    VerdictEntry,
)
from ragspine_store.relations import Answer, AnswerKey, Rejection
from ragspine_store.sensitivity import Reader
from ragspine_store.sqlite_store.meta import BUILT_RULES, find_meta
from ragspine_store.sqlite_store.relations.answers import find_answer
from ragspine_store.sqlite_store.relations.edges import read_edges
from ragspine_store.sqlite_store.relations.places import (
    EVIDENCE_COLUMNS,
    FROM_SEEN,
    SEEN,
    read_ends,
    stored_evidence,
)
from ragspine_store.sqlite_store.relations.references import read_references
from ragspine_store.sqlite_store.relations.verdicts import read_log
from ragspine_store.sqlite_store.scope import reader_values
from ragspine_store.storage_rules.relations.edges import (
    census_of,
    dangling_references,
    named_ends,
    numbered_rejections,
)
from ragspine_store.storage_rules.texts import can_be_stored, fold_heading

# A term's name may hold an @ as well as its document's id may.
_NAMED = """
SELECT id FROM (
    SELECT source AS id FROM relation_edge UNION SELECT target FROM relation_edge
    UNION SELECT source FROM relation_reference UNION SELECT node FROM relation_address
    UNION SELECT 'document:' || d.doc_id FROM document d
)
WHERE id = :name OR substr(id, instr(id, ':') + 1) = :name
    OR substr(id, 1, length(:name) + 6) = 'term:' || :name || '@'
UNION SELECT node FROM relation_address
WHERE address = :name OR substr(address, 1, length(:name) + 1) = :name || '/'
UNION SELECT id FROM relation_node WHERE label != '' AND fold_heading(label) = :folded
UNION SELECT a.id FROM relation_node a
JOIN relation_document r ON r.no = a.doc JOIN document d ON d.doc_id = r.doc_id
JOIN section s ON s.doc_no = d.no AND s.no = a.section WHERE fold_heading(s.heading) = :folded
UNION SELECT 'document:' || doc_id FROM document WHERE fold_heading(title) = :folded
"""

# Hidden evidence may write a node in a way that no visible one does: who reads them looks again.
_WRITTEN = """
SELECT e.source FROM relation_evidence v JOIN relation_edge e ON e.no = v.edge
WHERE v.source_name = :name
UNION SELECT e.target FROM relation_evidence v JOIN relation_edge e ON e.no = v.edge
WHERE v.target_name = :name
"""

_REJECTIONS = "".join(
    (
        """
WITH wanted AS (
    SELECT j.evidence FROM relation_rejection j
    JOIN relation_evidence v ON v.no = j.evidence
    WHERE :doc_ids IS NULL OR v.doc IN (
        SELECT r.no FROM relation_document r JOIN json_each(:doc_ids) i ON r.doc_id = i.value)
),
""",
        SEEN,
        "SELECT j.rule, j.reason, j.source, j.kind, j.target, j.quote, ",
        EVIDENCE_COLUMNS,
        FROM_SEEN,
        "CROSS JOIN relation_rejection j ON j.evidence = v.no",
    )
)

_STATES = """
SELECT d.doc_id, d.version, ifnull(r.rules, '')
FROM document d LEFT JOIN relation_document r ON r.doc_id = d.doc_id
WHERE label_level(d.sensitivity) < label_level('RESTRICTED') ORDER BY d.doc_id
"""


class RelationReading:
    """The part of a read transaction that reads the graph."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def edges(self, wanted: EdgeFilter) -> list[StoredEdge]:
        """Visible edges by kind, source, target and provenance; in a constant number of statements.

        References are resolved among what the reader sees; a page costs what it holds, unless most
        of what comes before its end is hidden.
        """
        return read_edges(self._db, wanted)

    def find_nodes(self, reader: Reader, name: str) -> list[StoredEnd]:
        """Ends of visible edges that a name means, by id; see `RelationReader.find_nodes`."""
        if not name.strip() or not can_be_stored(name):
            return []
        wanted = {"name": name, "folded": fold_heading(name)}
        named = {node for (node,) in self._db.execute(_NAMED, wanted)}
        written = {node for (node,) in self._db.execute(_WRITTEN, wanted)}
        if not named and not written:
            return []
        edges = self.edges(EdgeFilter(reader, nodes=sorted(named | written)))
        return named_ends(edges, named, name)

    def dangling(self, reader: Reader, doc_ids: Sequence[str] = ()) -> list[StoredReference]:
        """Visible references that no visible part answers to, by document and place."""
        references, _ = read_references(self._db, reader, doc_ids=doc_ids)
        dangling = [reference.source for reference in references if reference.target is None]
        return dangling_references(references, read_ends(self._db, reader, dangling))

    def rejections(self, reader: Reader, doc_ids: Sequence[str] = ()) -> list[StoredRejection]:
        """Visible rejections by document and place, numbered among what the reader sees."""
        rows = self._db.execute(
            _REJECTIONS,
            {**reader_values(reader), "doc_ids": json.dumps(list(doc_ids)) if doc_ids else None},
        )
        found: list[tuple[Rejection, StoredEvidence]] = []
        for rule, reason, source, kind, target, quote, *columns in rows:
            stored = stored_evidence(columns)
            rejection = Rejection(rule, reason, source, kind, target, quote, stored.evidence)
            found.append((rejection, stored))
        return numbered_rejections(found)

    def verdict_log(self, reader: Reader | None) -> list[VerdictEntry]:
        """Entries of the log, oldest first; those of edges the reader sees, or all for None."""
        return read_log(self._db, reader)

    def relation_census(self, reader: Reader) -> RelationCensus:
        """Counts over what the reader can see."""
        edges = self.edges(EdgeFilter(reader))
        return census_of(edges, len(self.dangling(reader)))

    def relation_states(self) -> list[RelationState]:
        """Every document that is not RESTRICTED, by id; for the operator's side only."""
        return [RelationState(*row) for row in self._db.execute(_STATES)]

    def built_rules(self) -> str:
        """Fingerprint that the graph was last built with, '' before; for the operator's side."""
        return find_meta(self._db, BUILT_RULES) or ""

    def find_answer(self, key: AnswerKey) -> Answer | None:
        """A cached answer of a model."""
        return find_answer(self._db, key)
