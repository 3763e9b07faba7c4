"""Children and sections as vectors need them, read from the rows."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from ragspine_store.records import Span
from ragspine_store.storage_rules.vector_parts import LabelledChild, Parent, parents_of

# The clearance that a search asks of a child: that of its label, as derived and as stored, of its
# document's, and of those of the sections around it. What was erased is RESTRICTED, which is 3.
_CHILDREN = """
SELECT c.doc_no, label_level(c.document_label), c.id, c.seq,
    max(c.level, 3 * s.is_erased, label_level(c.sensitivity), label_level(c.document_label),
      ifnull((SELECT max(label_level(q.sensitivity)) FROM section q INDEXED BY ix_section_label
        WHERE q.doc_no = c.doc_no AND q.sensitivity != ''
          AND q.span_start <= c.span_start AND c.span_end <= q.span_end), 0)),
    c.span_start, c.span_end, c.window_start, c.window_end,
    c.doc_id, c.collection, c.topic, c.entity, c.geography, c.period, c.language
FROM current_chunk c JOIN chunk_span s ON s.id = c.id
WHERE c.doc_no IN (SELECT value FROM json_each(?)) ORDER BY c.doc_no, c.seq
"""
_SECTIONS = """
SELECT q.doc_no, q.span_start, q.span_end, label_level(q.sensitivity)
FROM section q INDEXED BY ix_section_label
WHERE q.sensitivity != '' AND q.doc_no IN (SELECT value FROM json_each(?))
"""


class StoredChild(NamedTuple):
    """A child with its key in the index and the values that filters compare."""

    key: int
    part: LabelledChild
    filtered: tuple[str, ...]


class DocumentParts(NamedTuple):
    """Children of a document in order, and its parents by where their text stands."""

    doc_no: int
    children: list[StoredChild]
    parents: dict[Span, Parent]


FILTERED = ("doc_id", "collection", "topic", "entity", "geography", "period", "language")
"""The filter keys whose values `StoredChild.filtered` has."""


def read_parts(db: sqlite3.Connection, doc_nos: Iterable[int]) -> Iterator[DocumentParts]:
    """The parts of documents that have children, in two statements."""
    wanted = json.dumps(list(doc_nos))
    sections: defaultdict[int, list[tuple[Span, int]]] = defaultdict(list)
    for doc_no, start, end, level in db.execute(_SECTIONS, (wanted,)):
        sections[doc_no].append((Span(start, end), level))
    rows = db.execute(_CHILDREN, (wanted,))
    for (doc_no, document), family in groupby(rows, key=itemgetter(0, 1)):
        children = [
            StoredChild(
                key,
                LabelledChild(
                    seq,
                    floor,
                    None if start is None else Span(start, end),
                    None if window_start is None else Span(window_start, window_end),
                ),
                tuple(filtered),
            )
            for _, _, key, seq, floor, start, end, window_start, window_end, *filtered in family
        ]
        parents = parents_of([child.part for child in children], sections[doc_no], document)
        yield DocumentParts(doc_no, children, parents)
