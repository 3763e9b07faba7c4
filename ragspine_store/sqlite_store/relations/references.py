"""References, resolved at each read among what the reader sees.

Nothing of it is stored, so that the order in which documents come does not matter, and a target
that is hidden is exactly one that is missing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field

from ragspine_store.relation_protocols import StoredEvidence
from ragspine_store.sensitivity import Reader
from ragspine_store.sqlite_store.relations.places import (
    DOCUMENT_IS_SEEN,
    EVIDENCE_COLUMNS,
    IS_SEEN,
    JOIN_SEEN,
    PART_IS_SEEN,
    SEEN,
    parameters,
    stored_evidence,
)

_WANTED = """
WITH wanted AS MATERIALIZED (
    SELECT f.evidence, f.doc, f.source, f.title, f.address FROM relation_reference f
    WHERE f.source >= :source AND (:before IS NULL OR f.source < :before)
"""

_NEXT_SOURCE = """
SELECT f.source FROM relation_reference f WHERE f.source >= :source
"""

_OF_DOCUMENTS = """
AND f.evidence IN (
    SELECT v.no FROM json_each(:doc_ids) j JOIN relation_document r ON r.doc_id = j.value
    JOIN relation_evidence v ON v.doc = r.no)
"""

# Those that stand in one of the nodes, and those that may be resolved to one.
_AT_NODES = """
AND f.evidence IN (
    WITH named AS (
        SELECT a.doc, a.address FROM json_each(:nodes) j JOIN relation_address a ON a.node = j.value
        UNION SELECT r.no, '' FROM json_each(:nodes) j
        JOIN relation_document r ON j.value = 'document:' || r.doc_id
    )
    SELECT x.evidence FROM json_each(:nodes) j JOIN relation_reference x ON x.source = j.value
    UNION SELECT x.evidence FROM named n
    JOIN relation_reference x ON x.title = '' AND x.address = n.address AND x.doc = n.doc
    UNION SELECT x.evidence FROM named n JOIN relation_title t ON t.doc = n.doc
    JOIN relation_reference x ON x.title = t.title AND x.address = n.address
)
"""

_RESOLVED = "".join(
    (
        "),",
        SEEN,
        """,
asking AS MATERIALIZED (
    SELECT w.evidence, w.doc, w.source, w.title, w.address, p.collection
    FROM wanted w JOIN piece p ON p.no = w.evidence
""",
        JOIN_SEEN,
        "WHERE ",
        IS_SEEN,
        """
),
named AS MATERIALIZED (
    SELECT t.title, t.doc, d.doc_id, d.collection
    FROM (SELECT DISTINCT title FROM asking WHERE title != '') k
    JOIN relation_title t ON t.title = k.title
    JOIN relation_document r ON r.no = t.doc
    JOIN document d ON d.doc_id = r.doc_id
    WHERE
""",
        DOCUMENT_IS_SEEN,
        """
),
titled AS MATERIALIZED (
    SELECT k.title, k.collection, n.doc, ROW_NUMBER() OVER (
        PARTITION BY k.title, k.collection ORDER BY n.collection != k.collection, n.doc_id
    ) AS place
    FROM (SELECT DISTINCT title, collection FROM asking WHERE title != '') k
    JOIN named n ON n.title = k.title
),
asked AS MATERIALIZED (
    SELECT q.evidence, q.source, q.title, q.address, iif(q.title = '', q.doc, t.doc) AS into_doc
    FROM asking q
    LEFT JOIN titled t ON t.title = q.title AND t.collection = q.collection AND t.place = 1
),
answer AS MATERIALIZED (
    SELECT k.into_doc, k.address, iif(k.address = '', 'document:' || d.doc_id, (
        SELECT a.id FROM relation_address m JOIN relation_node a ON a.id = m.node
        WHERE m.doc = k.into_doc AND m.address = k.address AND
""",
        PART_IS_SEEN,
        """
        ORDER BY m.position LIMIT 1
    )) AS node
    FROM (SELECT DISTINCT into_doc, address FROM asked) k
    JOIN relation_document r ON r.no = k.into_doc
    JOIN document d ON d.doc_id = r.doc_id
)
SELECT k.source, k.title, k.address, n.node,
""",
        EVIDENCE_COLUMNS,
        """
FROM asked k
JOIN piece p ON p.no = k.evidence
JOIN relation_evidence v ON v.no = k.evidence
""",
        JOIN_SEEN,
        """
LEFT JOIN answer n ON n.into_doc = k.into_doc AND n.address = k.address
""",
    )
)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A reference that the reader sees the evidence of, and the node that answers to it.

    Attributes:
        source: id of the node in which it stands; whether the reader sees that is left open.
        title, address: as in `Reference`.
        target: id of the node that answers, which the reader sees; None for a dangling reference.
        evidence: where it stands.
    """

    source: str
    title: str = field(repr=False)
    address: str
    target: str | None
    evidence: StoredEvidence


def read_references(
    db: sqlite3.Connection,
    reader: Reader,
    *,
    nodes: Sequence[str] = (),
    doc_ids: Sequence[str] = (),
    source: str = "",
    look: int | None = None,
) -> tuple[list[Resolved], str | None]:
    """References, and the source from which on they were left for a later look.

    Args:
        db: inside a read transaction.
        reader: for whom.
        nodes: only those that start or may end at one of these nodes.
        doc_ids: only those that stand in one of these documents.
        source: only those from this node on.
        look: at most so many are looked at, seen or not; None for all.
    """
    narrowed = (_AT_NODES if nodes else "") + (_OF_DOCUMENTS if doc_ids else "")
    values: dict[str, object] = {
        **parameters(reader),
        "nodes": json.dumps(list(nodes)),
        "doc_ids": json.dumps(list(doc_ids)),
        "source": source,
    }
    next_source: str | None = None
    if look is not None:
        row = db.execute(
            _NEXT_SOURCE + narrowed + " ORDER BY f.source LIMIT 1 OFFSET :look",
            {**values, "look": look},
        ).fetchone()
        next_source = row[0] if row else None
    rows = db.execute(_WANTED + narrowed + _RESOLVED, {**values, "before": next_source})
    found = [
        Resolved(source, title, address, target, stored_evidence(columns))
        for source, title, address, target, *columns in rows
    ]
    return found, next_source
