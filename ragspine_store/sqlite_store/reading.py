"""The read side of the embedded store: every call of one transaction sees the same state."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from ragspine_store.links import Seed
from ragspine_store.protocols import (
    Branch,
    BranchKey,
    Candidate,
    Census,
    DocumentRow,
    DocumentView,
    Links,
    NodeView,
    Place,
    Scope,
    SectionLabel,
    SectionView,
    Window,
)
from ragspine_store.query import Query
from ragspine_store.records import (
    Hit,
    OffsetMap,
    Span,
    StoredChunk,
    pages_of,
)
from ragspine_store.sensitivity import Reader, Sensitivity, is_known_label, stored_label
from ragspine_store.sqlite_store.access import AccessReading
from ragspine_store.sqlite_store.branches import read_branches
from ragspine_store.sqlite_store.copying.reading import KeptReading
from ragspine_store.sqlite_store.links import read_links
from ragspine_store.sqlite_store.meta import UNFINISHED_COPY, change_counter, find_meta
from ragspine_store.sqlite_store.parts import restricted_parts
from ragspine_store.sqlite_store.relations.reading import RelationReading
from ragspine_store.sqlite_store.scope import reader_values
from ragspine_store.sqlite_store.scoring import ranked_hits, rescored
from ragspine_store.sqlite_store.service_jobs import JobReading
from ragspine_store.sqlite_store.texts import find_text, read_passages
from ragspine_store.sqlite_store.vectors.rows import count_vectors
from ragspine_store.sqlite_store.vectors.search import VectorSearch
from ragspine_store.sqlite_store.writing import ERASURE_PENDING
from ragspine_store.storage_rules.linking import passes_filters, reference_order
from ragspine_store.storage_rules.offsets import unpack_offsets
from ragspine_store.storage_rules.relations.nodes import parts_of_nodes
from ragspine_store.storage_rules.rows import paragraphs_of
from ragspine_store.storage_rules.texts import can_be_stored, windows_in_texts
from ragspine_store.vectors import VectorCount, VectorKind

Row = tuple[Any, ...]  # the driver gives untyped columns

_ANCESTORS = """
WITH RECURSIVE above (doc_no, origin, no, parent, heading, sensitivity, start, stop) AS (
    SELECT q.doc_no, q.no, q.no, q.parent, q.heading, q.sensitivity, q.span_start, q.span_end
    FROM (SELECT DISTINCT value ->> 0 AS doc_no, value ->> 1 AS no FROM json_each(:sections)) j
    JOIN section q ON q.doc_no = j.doc_no AND q.no = j.no
    UNION ALL
    SELECT q.doc_no, a.origin, q.no, q.parent, q.heading, q.sensitivity, q.span_start, q.span_end
    FROM above a JOIN section q ON q.doc_no = a.doc_no AND q.no = a.parent
)
SELECT doc_no, origin, no, heading, sensitivity, start, stop FROM above
WHERE parent IS NOT NULL ORDER BY no
"""

# Whatever overlaps a passage has its text in it: children, and sections with a label of their own.
_PASSAGE_LABELS = """
WITH wanted (doc_no, doc_id, longest_child, span_start, span_end) AS (
    SELECT d.no, d.doc_id, d.longest_child, value ->> 1, value ->> 2
    FROM json_each(:places) JOIN document d ON d.doc_id = value ->> 0
)
SELECT w.doc_id, w.span_start, w.span_end, c.sensitivity FROM wanted w JOIN current_chunk c
ON c.doc_no = w.doc_no AND c.span_end > w.span_start
AND c.span_start < w.span_end AND c.span_start > w.span_start - w.longest_child
UNION
SELECT w.doc_id, w.span_start, w.span_end, q.sensitivity
FROM wanted w JOIN section q INDEXED BY ix_section_label
ON q.doc_no = w.doc_no AND q.sensitivity != ''
AND q.span_start < w.span_end AND q.span_end > w.span_start
"""

# A window kept as text says which children it holds by its id or its locator. One that says
# neither may hold any child of its document.
_TEXT_WINDOW_LABELS = """
SELECT DISTINCT value ->> 0, c.sensitivity
FROM json_each(:windows) JOIN current_chunk c ON c.doc_id = value ->> 1
WHERE c.chunk_id = value ->> 0
   OR (value ->> 2 != '' AND c.parent_id = value ->> 2)
   OR (c.para_end >= value ->> 3 AND c.para_start <= ifnull(value ->> 4, c.para_start)
       AND (value ->> 4 IS NOT NULL OR value ->> 2 = ''))
"""

_FIRST_CHILDREN = """
SELECT j.value ->> 0, c.id FROM json_each(:wanted) j
JOIN document d ON d.doc_id = j.value ->> 1
JOIN chunk_span c ON c.doc_no = d.no AND c.seq = iif(
    j.value ->> 2 = 'c', j.value ->> 3,
    (SELECT min(f.seq) FROM section q JOIN chunk_span f ON f.doc_no = q.doc_no
        AND f.span_start >= q.span_start AND f.span_start < q.span_end
     WHERE q.doc_no = d.no AND q.no = j.value ->> 3))
"""

_VISIBLE_COUNTS = """
WITH visible AS (
    SELECT no FROM document
    WHERE label_level(sensitivity) <= :clearance
      AND (:collections IS NULL OR collection IN (SELECT value FROM json_each(:collections)))
)
SELECT (SELECT COUNT(*) FROM visible), COUNT(*)
FROM visible v JOIN current_chunk c ON c.doc_no = v.no
WHERE label_level(c.sensitivity) <= :clearance
  AND NOT EXISTS (
    SELECT 1 FROM section q INDEXED BY ix_section_label
    WHERE q.doc_no = c.doc_no AND q.sensitivity != ''
      AND q.span_start <= c.span_start AND c.span_end <= q.span_end
      AND label_level(q.sensitivity) > :clearance
  )
"""


class ReadTransaction(RelationReading, AccessReading, JobReading):
    """Reads inside one open transaction.

    Args:
        db: a connection inside a transaction.
        vectors: what is held in memory of the store's vectors.
    """

    def __init__(self, db: sqlite3.Connection, vectors: VectorSearch) -> None:
        super().__init__(db)
        self._vectors = vectors

    @property
    def kept(self) -> KeptReading:
        """All that the store keeps, for a copy."""
        return KeptReading(self._db)

    def nearest(
        self, model: str, vector: Sequence[float], kind: VectorKind, scope: Scope, k: int
    ) -> list[Hit]:
        """The children inside the scope that a vector is nearest to, best first.

        Raises:
            VectorError: it has other dimensions than the store's, or no direction; or the extra
                `embed` is missing.
        """
        return self._vectors.nearest(self._db, model, vector, kind, scope, k)

    def vector_counts(self) -> list[VectorCount]:
        """How far the store is embedded, by the name of the model."""
        return count_vectors(self._db)

    def search(self, query: Query, scope: Scope, k: int) -> list[Hit]:
        """The k best hits inside the scope, best first."""
        return ranked_hits(self._db, query, scope, k)

    def rescore(self, query: Query, keys: Sequence[int]) -> dict[int, float]:
        """The scores of children for a query as `search` gives them, of those that it finds."""
        return rescored(self._db, query, keys)

    def candidates(self, hits: Sequence[Hit]) -> list[Candidate]:
        """The rows of the hits, in their order; a vanished one is left out."""
        scores = dict(hits)
        rows = self._db.execute(
            "SELECT * FROM current_chunk WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps([hit.key for hit in hits]),),
        ).fetchall()
        found = self._as_candidates(rows, scores)
        return [found[hit.key] for hit in hits if hit.key in found]

    def children(self, parent_ids: Sequence[str]) -> dict[str, list[Candidate]]:
        """All current children of each parent id, in document order."""
        rows = self._db.execute(
            "SELECT * FROM current_chunk WHERE parent_id IN (SELECT value FROM json_each(:ids))"
            " AND doc_id IN"
            " (SELECT substr(value, 1, instr(value, '#') - 1) FROM json_each(:ids))"
            " ORDER BY doc_no, seq",
            {"ids": json.dumps(list(parent_ids))},
        ).fetchall()
        found: dict[str, list[Candidate]] = {}
        for candidate in self._as_candidates(rows, {}).values():
            found.setdefault(candidate.chunk.parent_id, []).append(candidate)
        return found

    def first_children(self, node_ids: Sequence[str]) -> dict[str, Candidate]:
        """The first child inside each section, and each child, that a graph node stands for."""
        rows = self._db.execute(
            _FIRST_CHILDREN, {"wanted": json.dumps(list(parts_of_nodes(node_ids)))}
        ).fetchall()
        hits = [Hit(key, 0.0) for key in {key for _, key in rows}]
        found = {candidate.key: candidate for candidate in self.candidates(hits)}
        return {node: found[key] for node, key in rows if key in found}

    def windows(self, candidates: Sequence[Candidate]) -> dict[str, Window]:
        """The windows of the candidates by chunk id; one that cannot be resolved is left out."""
        found = windows_in_texts(candidates, self.passages)
        texts = [c.chunk for c in candidates if c.chunk.window_text]
        return {**found, **self._text_windows(texts)} if texts else found

    def _text_windows(self, chunks: Sequence[StoredChunk]) -> dict[str, Window]:
        """Windows that are kept as text, with the labels of all that may stand in them."""
        wanted = [
            (c.chunk_id, c.doc_id, c.parent_id, *(paragraphs_of(c.parent_locator) or (0, None)))
            for c in chunks
        ]
        labels: dict[str, list[str]] = {}
        for chunk_id, label in self._db.execute(
            _TEXT_WINDOW_LABELS, {"windows": json.dumps(wanted)}
        ):
            labels.setdefault(chunk_id, []).append(label)
        return {c.chunk_id: Window(c.window_text, tuple(labels[c.chunk_id])) for c in chunks}

    def passages(self, places: Sequence[Place]) -> dict[Place, Window]:
        """The texts at the places; one that cannot be resolved is left out."""
        texts = read_passages(self._db, places)
        labels: dict[Place, list[str]] = {}
        wanted = json.dumps(sorted({(doc_id, *span) for doc_id, span in places}))
        for doc_id, start, end, label in self._db.execute(_PASSAGE_LABELS, {"places": wanted}):
            labels.setdefault(Place(doc_id, Span(start, end)), []).append(label)
        return {
            place: Window(texts[place], tuple(found))
            for place, found in labels.items()
            if place in texts
        }

    def branches(
        self, candidates: Sequence[Candidate], clearance: Sensitivity
    ) -> dict[BranchKey, Branch]:
        """All branches above the candidates, in one statement whatever the depth."""
        return read_branches(self._db, candidates, clearance)

    def links(self, names: Collection[str], seeds: Sequence[Seed], scope: Scope) -> Links:
        """Where names and the references of seeds lead inside the scope, in one look."""
        found = read_links(self._db, names, seeds, scope.reader)
        keys = {
            *(key for titled in found.titled.values() for one in titled for key in one.children),
            *(key for referred in found.referred for key in referred.children),
        }
        reached = {c.key: c for c in self.candidates([Hit(key, 0.0) for key in sorted(keys)])}
        children = {
            key: child for key, child in reached.items() if passes_filters(child, scope.filters)
        }
        return Links(found.titled, sorted(found.referred, key=reference_order), children)

    def find_document(self, doc_id: str) -> DocumentView | None:
        """A document's row and structure; None when there is none, or only a stub."""
        if not can_be_stored(doc_id):
            return None
        row = self._db.execute(
            "SELECT no, title, collection, sensitivity, version, chunker, offsets, pages"
            " FROM document WHERE doc_id = ?",
            (doc_id,),
        ).fetchone()
        if row is None:
            return None
        doc_no, title, collection, sensitivity, version, chunker, offsets, pages = row
        sections = tuple(
            SectionView(no, parent, level, heading, Span(start, end), label)
            for no, parent, level, heading, start, end, label in self._db.execute(
                "SELECT no, parent, level, heading, span_start, span_end, sensitivity"
                " FROM section WHERE doc_no = ? ORDER BY no",
                (doc_no,),
            )
        )
        nodes = tuple(
            NodeView(name, Span(start, end))
            for name, start, end in self._db.execute(
                "SELECT name, span_start, span_end FROM tree_node WHERE doc_no = ? ORDER BY no",
                (doc_no,),
            )
        )
        rows = self._db.execute(
            "SELECT * FROM current_chunk WHERE doc_no = ? ORDER BY seq", (doc_no,)
        ).fetchall()
        return DocumentView(
            doc_id=doc_id,
            title=title,
            collection=collection,
            sensitivity=sensitivity,
            version=version,
            chunker=chunker,
            text=find_text(self._db, doc_no),
            offsets=unpack_offsets(offsets) if offsets else None,
            pages=tuple(json.loads(pages)),
            sections=sections,
            nodes=nodes,
            chunks=tuple(self._as_candidates(rows, {}).values()),
        )

    def visible_documents(self, reader: Reader, after: str, limit: int) -> list[DocumentRow]:
        """Documents that this reader may see, by id, behind an id."""
        if not can_be_stored(after):
            return []
        rows = self._db.execute(
            "SELECT doc_id, title, collection, sensitivity, version FROM document"
            " WHERE doc_id > :after AND label_level(sensitivity) <= :clearance"
            " AND (:collections IS NULL"
            " OR collection IN (SELECT value FROM json_each(:collections)))"
            " ORDER BY doc_id LIMIT :limit",
            {**reader_values(reader), "after": after, "limit": limit},
        )
        return [DocumentRow(*row) for row in rows]

    def visible_counts(self, reader: Reader) -> tuple[int, int]:
        """How many documents and children this reader may see."""
        return self._db.execute(
            _VISIBLE_COUNTS,
            reader_values(reader),
        ).fetchone()

    def census(self) -> Census:
        """Counts for the operator."""
        documents = self._db.execute("SELECT sensitivity FROM document").fetchall()
        hidden = sum(stored_label(label) is Sensitivity.RESTRICTED for (label,) in documents)
        labels = self._db.execute(
            "SELECT sensitivity, document_label, COUNT(*) FROM current_chunk GROUP BY 1, 2"
        ).fetchall()
        return Census(
            documents=len(documents) - hidden,
            chunks=sum(
                n
                for label, above, n in labels
                if max(stored_label(label), stored_label(above)) < Sensitivity.RESTRICTED
            ),
            restricted_documents=hidden,
            stubs=self._count("SELECT COUNT(*) FROM stub"),
            restricted_parts=restricted_parts(self._db),
            unknown_labels=sum(n for label, _, n in labels if not is_known_label(label)),
            missing_windows=self._count(
                "SELECT COUNT(*) FROM current_chunk c LEFT JOIN"
                " (SELECT doc_no, SUM(length(text)) AS length FROM document_text GROUP BY doc_no) t"
                " ON t.doc_no = c.doc_no WHERE c.parent_locator != '' AND c.window_text = ''"
                " AND (c.window_end IS NULL OR c.window_end > ifnull(t.length, 0))"
            ),
            missing_branches=self._count(
                "SELECT COUNT(*) FROM (SELECT doc_no, node AS above FROM chunk_span"
                " UNION ALL SELECT doc_no, parent FROM tree_node) b"
                " LEFT JOIN tree_node t ON t.doc_no = b.doc_no AND t.no = b.above"
                " WHERE b.above IS NOT NULL AND t.no IS NULL"
            ),
            erasure_pending=find_meta(self._db, ERASURE_PENDING) is not None,
            copy_unfinished=find_meta(self._db, UNFINISHED_COPY) is not None,
        )

    def change_counter(self) -> int:
        """Another number after each write that changed anything."""
        return change_counter(self._db)

    def withheld_documents(self) -> list[tuple[str, Sensitivity]]:
        """Ids and labels of RESTRICTED documents kept with their text, by id; operators only."""
        rows = self._db.execute("SELECT doc_id, sensitivity FROM document ORDER BY doc_id")
        labelled = ((doc_id, stored_label(label)) for doc_id, label in rows)
        return [(doc_id, level) for doc_id, level in labelled if level is Sensitivity.RESTRICTED]

    def _count(self, statement: str) -> int:
        return self._db.execute(statement).fetchone()[0]

    def _as_candidates(self, rows: Sequence[Row], scores: dict[int, float]) -> dict[int, Candidate]:
        ancestors = self._ancestors({(row[1], row[2]) for row in rows})
        sources = self._sources({row[1] for row in rows})
        found: dict[int, Candidate] = {}
        for row in rows:
            key, doc_no, section, _, node, start, end, *window, collection, label = row[:11]
            chunk, span = _stored(row), _span(start, end)
            source = sources[doc_no]
            found[key] = Candidate(
                key=key,
                chunk=chunk,
                score=scores.get(key, 0.0),
                collection=collection,
                document_label=label,
                ancestors=tuple(
                    SectionLabel(f"{chunk.doc_id}#s{no}", heading, own, span)
                    for no, heading, own, span in ancestors.get((doc_no, section), ())
                ),
                node=node,
                span=span,
                window=_span(*window),
                raw_span=source.offsets.raw_span(span) if span and source.offsets else None,
                pages=pages_of(source.pages, span) if span else None,
            )
        return found

    def _ancestors(
        self, sections: set[tuple[int, int]]
    ) -> dict[tuple[int, int], list[tuple[int, str, str, Span]]]:
        found: dict[tuple[int, int], list[tuple[int, str, str, Span]]] = {}
        for doc_no, origin, no, heading, label, start, end in self._db.execute(
            _ANCESTORS, {"sections": json.dumps([list(pair) for pair in sections])}
        ):
            found.setdefault((doc_no, origin), []).append((no, heading, label, Span(start, end)))
        return found

    def _sources(self, doc_numbers: set[int]) -> dict[int, _Source]:
        rows = self._db.execute(
            "SELECT no, offsets, pages FROM document WHERE no IN (SELECT value FROM json_each(?))",
            (json.dumps(list(doc_numbers)),),
        )
        return {
            no: _Source(unpack_offsets(offsets) if offsets else None, tuple(json.loads(pages)))
            for no, offsets, pages in rows
        }


class _Source(NamedTuple):
    """Where canonical text came from: the way back to the file, and its pages."""

    offsets: OffsetMap | None
    pages: tuple[int, ...]


def stored_chunks(db: sqlite3.Connection, doc_id: str | None) -> list[StoredChunk]:
    """All current rows, whatever their label, by document id and position."""
    rows = db.execute(
        "SELECT * FROM current_chunk WHERE ? IS NULL OR doc_id = ? ORDER BY doc_id, seq",
        (doc_id, doc_id),
    )
    return [_stored(row) for row in rows]


def _stored(row: Row) -> StoredChunk:
    """The part of a `current_chunk` row that is the stored chunk."""
    values = dict(zip(_STORED_FIELDS, row[-len(_STORED_FIELDS) :], strict=True))
    values["active"] = bool(values["active"])
    return StoredChunk(**values)


_STORED_FIELDS = tuple(field.name for field in dataclasses.fields(StoredChunk))


def _span(start: int | None, end: int | None) -> Span | None:
    return None if start is None or end is None else Span(start, end)
