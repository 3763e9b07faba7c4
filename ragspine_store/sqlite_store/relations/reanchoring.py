"""Finds what a model found again when its document's text has changed."""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from ragspine_store.records import Chunk, Paragraphs, PreparedDocument, Span, format_locator
from ragspine_store.relations import ChunkRange
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.sqlite_store.relations.cascade import clear_rules, forget_nodes
from ragspine_store.sqlite_store.relations.rows import Origin
from ragspine_store.sqlite_store.relations.targets import find_document

# With the strictest label of what each rests on; RESTRICTED when a child is missing.
_MODEL_EVIDENCE = """
SELECT v.no, v.edge, v.model, v.prompt, v.quote, ifnull(v.chunk_first, 0), max(
    v.floor,
    label_level(d.sensitivity),
    iif(v.chunk_first IS NULL, 0, (
        SELECT iif(COUNT(*) = v.chunk_last - v.chunk_first + 1,
            MAX(max(c.level, label_level(c.sensitivity), ifnull((
                SELECT MAX(label_level(q.sensitivity))
                FROM section q INDEXED BY ix_section_label
                WHERE q.doc_no = d.no AND q.sensitivity != ''
                  AND q.span_start < c.span_end AND q.span_end > c.span_start
            ), 0))), :restricted)
        FROM current_chunk c
        WHERE c.doc_no = d.no AND c.seq BETWEEN v.chunk_first AND v.chunk_last
    ))
)
FROM relation_evidence v
JOIN relation_document r ON r.no = v.doc JOIN document d ON d.doc_id = r.doc_id
WHERE v.doc = :doc AND v.origin = :origin AND v.edge IS NOT NULL
ORDER BY v.no
"""

_ANSWERED = """
SELECT a.rowid, c.text FROM model_answer a
JOIN relation_document r ON r.no = a.doc JOIN document d ON d.doc_id = r.doc_id
JOIN current_chunk c ON c.doc_no = d.no AND c.seq = a.seq WHERE a.doc = ?
"""


class _Found(NamedTuple):
    """A piece of a model's evidence before its document's text changes."""

    no: int
    edge: int
    model: str
    prompt: str
    quote: str
    first: int
    floor: int


@dataclass(frozen=True, slots=True)
class Detached:
    """What models found in a document, between its old text and its new one.

    Attributes:
        doc: the document's number in the graph.
        evidence: in the order it came.
        answered: keys of cached answers, each with the text of its child.
    """

    doc: int
    evidence: Sequence[_Found]
    answered: Sequence[tuple[int, str]] = field(repr=False)


def detach_relations(db: sqlite3.Connection, doc_id: str) -> Detached | None:
    """Take away what rests on a document's text, before it is replaced; None without any."""
    doc = find_document(db, doc_id)
    if doc is None:
        return None
    wanted = {"doc": doc, "origin": Origin.MODEL, "restricted": Sensitivity.RESTRICTED}
    detached = Detached(
        doc,
        [_Found(*row) for row in db.execute(_MODEL_EVIDENCE, wanted).fetchall()],
        db.execute(_ANSWERED, (doc,)).fetchall(),
    )
    clear_rules(db, doc)
    # Rejections rest on the text too; the answer that a model gave about it brings them back.
    db.execute("DELETE FROM relation_evidence WHERE doc = ? AND edge IS NULL", (doc,))
    parts = db.execute(
        "SELECT id FROM relation_node WHERE doc = ? AND (section IS NOT NULL OR child IS NOT NULL)",
        (doc,),
    ).fetchall()
    forget_nodes(db, [node for (node,) in parts])
    return detached


def attach_relations(
    db: sqlite3.Connection, detached: Detached | None, document: PreparedDocument
) -> None:
    """Find what models found again in the new text of its document."""
    if detached is None:
        return
    _attach_answers(db, detached, document)
    text = _Text(document)
    placed: set[tuple[object, ...]] = set()
    for found in detached.evidence:
        place = text.find(found.quote, found.first)
        if place is None and found.floor >= Sensitivity.RESTRICTED:
            db.execute("DELETE FROM relation_evidence WHERE no = ?", (found.no,))
            continue
        if place is None:
            db.execute(
                "UPDATE relation_evidence SET is_stale = 1, floor = ?, seq = NULL,"
                " chunk_first = NULL, chunk_last = NULL, span_start = NULL, span_end = NULL"
                " WHERE no = ?",
                (found.floor, found.no),
            )
            continue
        chunks, span, locator = place
        same = (found.edge, found.model, found.prompt, place)
        if same in placed:
            db.execute("DELETE FROM relation_evidence WHERE no = ?", (found.no,))
            continue
        placed.add(same)
        db.execute(
            "UPDATE relation_evidence SET is_stale = 0, floor = 0, seq = ?, chunk_first = ?,"
            " chunk_last = ?, span_start = ?, span_end = ?, locator = ? WHERE no = ?",
            (chunks.first, *chunks, *span, locator, found.no),
        )


def _attach_answers(db: sqlite3.Connection, detached: Detached, document: PreparedDocument) -> None:
    positions = {chunk.text: chunk.seq for chunk in reversed(document.chunks)}
    kept = [(positions[text], key) for key, text in detached.answered if text in positions]
    keys = {key for _, key in kept}
    db.executemany("UPDATE model_answer SET seq = ? WHERE rowid = ?", kept)
    answers = db.execute("SELECT rowid FROM model_answer WHERE doc = ?", (detached.doc,)).fetchall()
    db.executemany(
        "DELETE FROM model_answer WHERE rowid = ?", [key for key in answers if key[0] not in keys]
    )


class _Text:
    """A document's new text and its children."""

    def __init__(self, document: PreparedDocument) -> None:
        self._doc_id = document.meta.doc_id
        self._text = document.loaded.text
        self._chunks = sorted(document.chunks, key=attrgetter("span", "seq"))
        self._starts = [chunk.span.start for chunk in self._chunks]
        self._longest = max((c.span.end - c.span.start for c in self._chunks), default=0)

    def find(self, quote: str, near: int) -> tuple[ChunkRange, Span, str] | None:
        """Where a quote stands: in the child nearest to a position, or over several children."""
        best: tuple[int, int, Chunk, Span] | None = None
        across: tuple[ChunkRange, Span, str] | None = None
        at = self._text.find(quote) if quote else -1
        while at >= 0:
            span = Span(at, at + len(quote))
            touched = self._overlapping(span)
            for chunk in touched:
                distance = (abs(chunk.seq - near), chunk.seq)
                if chunk.span.contains(span) and (best is None or distance < best[:2]):
                    best = (*distance, chunk, span)
            if touched and across is None:
                across = self._across(touched, span)
            at = self._text.find(quote, span.end)
        if best is None:
            return across
        _, seq, chunk, span = best
        return ChunkRange(seq, seq), span, chunk.source_locator

    def _across(self, chunks: Sequence[Chunk], span: Span) -> tuple[ChunkRange, Span, str]:
        paragraphs = Paragraphs(
            min(chunk.para_start for chunk in chunks), max(chunk.para_end for chunk in chunks)
        )
        range_ = ChunkRange(min(c.seq for c in chunks), max(c.seq for c in chunks))
        return range_, span, format_locator(self._doc_id, paragraphs)

    def _overlapping(self, span: Span) -> list[Chunk]:
        found: list[Chunk] = []
        for n in range(bisect_right(self._starts, span.end - 1) - 1, -1, -1):
            if self._starts[n] <= span.start - self._longest:
                break
            if self._chunks[n].span.overlaps(span):
                found.append(self._chunks[n])
        return found
