"""References, resolved at each read among what the reader sees.

Nothing of it is stored, so that the order in which documents come does not matter, and a target
that is hidden is exactly one that is missing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from ragspine_store.links import Seed
from ragspine_store.relation_protocols import StoredEvidence
from ragspine_store.sensitivity import Reader
from ragspine_store.sqlite_store.relations.places import (
    DOCUMENT_IS_SEEN,
    EVIDENCE_COLUMNS,
    FROM_SEEN,
    PART_IS_SEEN,
    SEEN,
    stored_evidence,
)
from ragspine_store.sqlite_store.scope import reader_values
from ragspine_store.storage_rules.relations.edges import Resolved

_WANTED = """
WITH wanted AS MATERIALIZED (
    SELECT f.evidence FROM relation_reference f
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

# Those that stand in one child alone, which is one of the seeds.
_IN_SEEDS = """
AND f.evidence IN (
    SELECT v.no FROM json_each(:seeds) j
    CROSS JOIN relation_document r ON r.doc_id = j.value ->> 0
    CROSS JOIN relation_evidence v INDEXED BY ix_relation_evidence_child
        ON v.doc = r.no AND v.chunk_first = j.value ->> 1 AND v.chunk_last = v.chunk_first)
"""

# Those that stand in one of the nodes, and those that may be resolved to one.
_AT_NODES = """
AND f.evidence IN (
    WITH named AS (
        SELECT a.doc, a.address FROM json_each(:nodes) j JOIN relation_address a ON a.node = j.value
        UNION SELECT r.no, '' FROM json_each(:nodes) j
        JOIN relation_document r ON r.doc_id = substr(j.value, length('document:') + 1)
        WHERE substr(j.value, 1, length('document:')) = 'document:'
    )
    SELECT x.evidence FROM json_each(:nodes) j JOIN relation_reference x ON x.source = j.value
    UNION SELECT x.evidence FROM named n
    JOIN relation_reference x ON x.title = '' AND x.address = n.address AND x.doc = n.doc
    UNION SELECT x.evidence FROM named n JOIN relation_title t ON t.doc = n.doc
    JOIN relation_reference x ON x.title = t.title AND x.address = n.address
)
"""

_SEEN_REFERENCES = "".join(
    (
        "),",
        SEEN,
        "SELECT f.doc, f.source, f.title, f.address, ",
        EVIDENCE_COLUMNS,
        FROM_SEEN,
        "CROSS JOIN relation_reference f ON f.evidence = v.no ORDER BY f.source, v.no",
    )
)

# For each title and collection, the first document of that title, those inside before others.
_TITLED = "".join(
    (
        """
SELECT j.key, ifnull((
    SELECT t.doc FROM relation_title t
    JOIN relation_document r ON r.no = t.doc JOIN document d ON d.doc_id = r.doc_id
    WHERE t.title = j.value ->> 0 AND d.collection = j.value ->> 1 AND
""",
        DOCUMENT_IS_SEEN,
        """
    ORDER BY d.doc_id LIMIT 1
), (
    SELECT t.doc FROM relation_title t
    JOIN relation_document r ON r.no = t.doc JOIN document d ON d.doc_id = r.doc_id
    WHERE t.title = j.value ->> 0 AND
""",
        DOCUMENT_IS_SEEN,
        """
    ORDER BY d.doc_id LIMIT 1
))
FROM json_each(:titles) j
""",
    )
)

# For each document and address, the first part of that address.
_ANSWERS = "".join(
    (
        """
SELECT j.key, iif(j.value ->> 1 = '', 'document:' || d.doc_id, (
    SELECT a.id FROM relation_address m JOIN relation_node a ON a.id = m.node
    WHERE m.doc = r.no AND m.address = j.value ->> 1 AND
""",
        PART_IS_SEEN,
        """
    ORDER BY m.position LIMIT 1
))
FROM json_each(:asked) j
CROSS JOIN relation_document r ON r.no = j.value ->> 0
JOIN document d ON d.doc_id = r.doc_id
""",
    )
)


def read_references(
    db: sqlite3.Connection,
    reader: Reader,
    *,
    nodes: Sequence[str] = (),
    doc_ids: Sequence[str] = (),
    seeds: Sequence[Seed] | None = None,
    source: str = "",
    look: int | None = None,
) -> tuple[list[Resolved], str | None]:
    """References, and the source from which on they were left for a later look.

    Args:
        db: inside a read transaction.
        reader: for whom.
        nodes: only those that start or may end at one of these nodes.
        doc_ids: only those that stand in one of these documents.
        seeds: only those that stand in one of these children alone; None for any.
        source: only those from this node on.
        look: at most so many are looked at, seen or not; None for all.
    """
    narrowed = (_AT_NODES if nodes else "") + (_OF_DOCUMENTS if doc_ids else "")
    narrowed += "" if seeds is None else _IN_SEEDS
    values: dict[str, object] = {
        **reader_values(reader),
        "nodes": json.dumps(list(nodes)),
        "doc_ids": json.dumps(list(doc_ids)),
        "seeds": json.dumps(list(seeds or ())),
        "source": source,
    }
    next_source: str | None = None
    if look is not None:
        row = db.execute(
            _NEXT_SOURCE + narrowed + " ORDER BY f.source LIMIT 1 OFFSET :look",
            {**values, "look": look},
        ).fetchone()
        next_source = row[0] if row else None
    rows = db.execute(
        _WANTED + narrowed + _SEEN_REFERENCES, {**values, "before": next_source}
    ).fetchall()
    found = [
        _Seen(doc, source, title, address, stored_evidence(columns))
        for doc, source, title, address, *columns in rows
    ]
    return _resolved(db, reader, found), next_source


class _Seen(NamedTuple):
    """A reference that the reader sees, before it is resolved."""

    doc: int
    source: str
    title: str
    address: str
    evidence: StoredEvidence


def _resolved(
    db: sqlite3.Connection, reader: Reader, references: Sequence[_Seen]
) -> list[Resolved]:
    titles = list(dict.fromkeys((r.title, r.evidence.collection) for r in references if r.title))
    values = reader_values(reader)
    documents: dict[tuple[str, str], int | None] = {
        titles[n]: doc for n, doc in db.execute(_TITLED, {**values, "titles": json.dumps(titles)})
    }
    into = [
        (documents[r.title, r.evidence.collection] if r.title else r.doc, r.address)
        for r in references
    ]
    asked = list(dict.fromkeys(into))
    answers: dict[tuple[int | None, str], str | None] = {
        asked[n]: node for n, node in db.execute(_ANSWERS, {**values, "asked": json.dumps(asked)})
    }
    return [
        Resolved(r.source, r.title, r.address, answers.get(place), r.evidence)
        for r, place in zip(references, into, strict=True)
    ]
