"""Where names and references lead: to children that the reader sees."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from ragspine_store.links import MOST_CHILDREN, MOST_TITLED, Referred, Seed, Titled
from ragspine_store.sensitivity import Reader
from ragspine_store.sqlite_store.relations.places import DOCUMENT_IS_SEEN
from ragspine_store.sqlite_store.relations.references import read_references
from ragspine_store.sqlite_store.scope import reader_values
from ragspine_store.storage_rules.linking import part_of, seed_of

_TITLED = "".join(
    (
        """
SELECT t.title, d.doc_id
FROM json_each(:names) j
CROSS JOIN relation_title t ON t.title = j.value
CROSS JOIN relation_document r ON r.no = t.doc
CROSS JOIN document d ON d.doc_id = r.doc_id
WHERE
""",
        DOCUMENT_IS_SEEN,
        "ORDER BY t.title, d.doc_id",
    )
)

# The first children of each part that the reader sees, in order.
_CHILDREN = "".join(
    (
        """
SELECT j.key, n.value
FROM json_each(:parts) j
CROSS JOIN document d ON d.doc_id = j.value ->> 0
LEFT JOIN section t ON t.doc_no = d.no AND t.no = j.value ->> 1
CROSS JOIN json_each((
    SELECT json_group_array(id) FROM (
        SELECT c.id FROM current_chunk c
        WHERE c.doc_no = d.no
          AND (j.value ->> 2 IS NULL OR c.seq = j.value ->> 2)
          AND (t.no IS NULL OR (c.span_start >= t.span_start AND c.span_end <= t.span_end))
          AND c.level <= :clearance AND label_level(c.sensitivity) <= :clearance
          AND NOT EXISTS (
            SELECT 1 FROM section q INDEXED BY ix_section_label
            WHERE q.doc_no = d.no AND q.sensitivity != ''
              AND q.span_start <= c.span_start AND c.span_end <= q.span_end
              AND label_level(q.sensitivity) > :clearance
          )
        ORDER BY c.seq LIMIT :most
    )
)) n
WHERE
""",
        DOCUMENT_IS_SEEN,
        "AND (j.value ->> 1 IS NULL OR t.no IS NOT NULL)",
    )
)


class FoundLinks(NamedTuple):
    """Where names and seeds lead; see `ragspine_store.links.Links`."""

    titled: dict[str, list[Titled]]
    referred: list[Referred]


def read_links(
    db: sqlite3.Connection, names: Iterable[str], seeds: Sequence[Seed], reader: Reader
) -> FoundLinks:
    """Documents of these titles and parts that references in the seeds lead to."""
    visible = reader_values(reader)
    rows = db.execute(_TITLED, {**visible, "names": json.dumps(sorted(set(names)))}).fetchall()
    titled: dict[str, list[str]] = {}
    for title, documents in groupby(rows, itemgetter(0)):
        found = [doc_id for _, doc_id in documents]
        if len(found) <= MOST_TITLED:
            titled[title] = found
    references, _ = read_references(db, reader, seeds=seeds)
    targets = [reference.target for reference in references if reference.target]
    documents = [f"document:{doc_id}" for found in titled.values() for doc_id in found]
    nodes: list[str] = list(dict.fromkeys([*documents, *targets]))
    children: dict[str, list[int]] = {}
    parts = json.dumps(list(map(part_of, nodes)))
    rows = db.execute(_CHILDREN, {**visible, "parts": parts, "most": MOST_CHILDREN}).fetchall()
    for number, key in rows:
        children.setdefault(nodes[int(number)], []).append(key)
    return FoundLinks(
        {
            title: [
                Titled(doc_id, tuple(children.get(f"document:{doc_id}", ()))) for doc_id in found
            ]
            for title, found in titled.items()
        },
        [
            Referred(
                seed_of(reference.evidence.evidence),
                reference.source,
                reference.evidence.evidence.span,
                target,
                tuple(children.get(target, ())),
            )
            for reference in references
            if (target := reference.target)
        ],
    )
