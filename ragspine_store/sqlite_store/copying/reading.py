"""All that the file keeps, as values."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

from ragspine_store.kept import (
    KeptBranch,
    KeptChild,
    KeptDocument,
    KeptLogs,
    KeptProfile,
    KeptRelations,
    KeptSection,
    KeptStub,
)
from ragspine_store.records import Paragraphs, Span
from ragspine_store.sensitivity import spelled_label
from ragspine_store.sqlite_store.copying.relations import read_profile, read_relations
from ragspine_store.sqlite_store.meta import UNFINISHED_COPY, find_meta
from ragspine_store.sqlite_store.texts import find_text
from ragspine_store.sqlite_store.vectors.rows import read_vectors
from ragspine_store.storage_rules.offsets import unpack_offsets
from ragspine_store.storage_rules.stub_key import CHECK

_DOCUMENT = """
SELECT no, offsets, pages, is_stated, doc_id, title, topic, entity, geography, period, language,
    collection, sensitivity, valid_as_of, version, chunker, fingerprint, source_path, content_hash,
    inputs_hash
FROM document WHERE doc_id = ?
"""
_SECTIONS = """
SELECT no, parent, level, heading, span_start, span_end, own_end, own_label, sensitivity, is_erased
FROM section WHERE doc_no = ? ORDER BY no
"""
_BRANCHES = """
SELECT no, parent, name, span_start, span_end, para_start, para_end, children
FROM tree_node WHERE doc_no = ? ORDER BY no
"""
_CHILDREN = """
SELECT c.ingested_at, c.para_start, c.para_end, c.window_start, c.window_end, c.span_start,
    c.span_end, s.lead_in_start, s.lead_in_end, s.is_erased, c.chunk_id, c.seq, c.text,
    c.source_locator, c.parent_id, c.heading, c.window_text, c.parent_locator, c.section, c.node,
    s.own_label, c.sensitivity, c.level
FROM current_chunk c JOIN chunk_span s ON s.id = c.id WHERE c.doc_no = ? ORDER BY c.seq
"""
_STUBS = """
SELECT folder_hashes, is_stated, id_hash, source_hash, content_hash, inputs_hash, sensitivity,
    labelled_at
FROM stub ORDER BY id_hash
"""


class KeptReading:
    """What one transaction sees; see `KeptReader`."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def document_ids(self) -> list[str]:
        """Ids of all documents of which more than a stub is kept, in order of code points."""
        rows = self._db.execute("SELECT doc_id FROM document ORDER BY doc_id")
        return [doc_id for (doc_id,) in rows]

    def document(self, doc_id: str) -> KeptDocument | None:
        """A document; None when it is gone."""
        db = self._db
        row = db.execute(_DOCUMENT, (doc_id,)).fetchone()
        if row is None:
            return None
        no, offsets, pages, is_stated, *stored = row
        named = dict(zip(_OF_DOCUMENT, stored, strict=True))
        children = db.execute(_CHILDREN, (no,)).fetchall()
        return KeptDocument(
            **named,
            is_stated=bool(is_stated),
            ingested_at=max((written_at for written_at, *_ in children), default=""),
            text=find_text(db, no) or "",
            offsets=unpack_offsets(offsets) if offsets else None,
            pages=tuple(json.loads(pages)),
            sections=tuple(self._sections(no, named["label"])),
            branches=tuple(self._branches(no)),
            children=tuple(_child(row) for row in children),
            vectors=tuple(read_vectors(db, no)),
        )

    def _sections(self, doc_no: int, label: str) -> Iterator[KeptSection]:
        for (
            no,
            parent,
            level,
            heading,
            start,
            end,
            own_end,
            own,
            in_force,
            erased,
        ) in self._db.execute(_SECTIONS, (doc_no,)):
            yield KeptSection(
                no=no,
                parent=parent,
                level=level,
                heading=heading,
                span=Span(start, end),
                own_end=own_end,
                own_label=own,
                label="" if spelled_label(in_force) == spelled_label(label) else in_force,
                is_erased=bool(erased),
            )

    def _branches(self, doc_no: int) -> Iterator[KeptBranch]:
        for no, parent, name, start, end, first, last, children in self._db.execute(
            _BRANCHES, (doc_no,)
        ):
            yield KeptBranch(no, parent, name, Span(start, end), Paragraphs(first, last), children)

    def relations(self, doc_id: str) -> KeptRelations:
        """What the graph keeps of a document."""
        return read_relations(self._db, doc_id)

    def stubs(self) -> Iterator[KeptStub]:
        """All stubs by the hash of their id."""
        for folders, is_stated, *stored in self._db.execute(_STUBS):
            named = dict(zip(_OF_STUB, stored, strict=True))
            yield KeptStub(
                **named, folder_hashes=tuple(json.loads(folders)), is_stated=bool(is_stated)
            )

    def profile(self) -> KeptProfile:
        """What the graph keeps that is no document's own."""
        return read_profile(self._db)

    def logs(self) -> KeptLogs:
        """The logs."""
        verdicts = self._db.execute(
            "SELECT edge, document, verdict, reviewer, note, at FROM verdict_log ORDER BY no"
        )
        lowered = self._db.execute("SELECT id_hash, before, after, lowered_at FROM lowered_label")
        return KeptLogs.of(verdicts, lowered)

    def key_check(self) -> str:
        """The check value of the key that names stubs; '' when none was used so far."""
        return find_meta(self._db, CHECK) or ""

    def unfinished_copy(self) -> str:
        """Of which store a copy was begun here and not finished; '' for none."""
        return find_meta(self._db, UNFINISHED_COPY) or ""


_OF_DOCUMENT = (
    *("doc_id", "title", "topic", "entity", "geography", "period", "language", "collection"),
    *("label", "valid_as_of", "version", "chunker", "fingerprint", "source_path"),
    *("content_hash", "inputs_hash"),
)
_OF_STUB = ("id_hash", "source_hash", "content_hash", "inputs_hash", "label", "labelled_at")
_OF_CHILD = (
    *("chunk_id", "seq", "text", "source_locator", "parent_id", "heading", "window_text"),
    *("parent_locator", "section", "node", "own_label", "label", "level"),
)


def _child(row: tuple[Any, ...]) -> KeptChild:
    _, first, last, window_start, window_end, start, end, *rest = row
    lead_in_start, lead_in_end, is_erased, *stored = rest
    return KeptChild(
        **dict(zip(_OF_CHILD, stored, strict=True)),
        paragraphs=Paragraphs(first, last),
        window=_span(window_start, window_end),
        span=_span(start, end),
        lead_in=_span(lead_in_start, lead_in_end),
        is_erased=bool(is_erased),
    )


def _span(start: int | None, end: int | None) -> Span | None:
    return None if start is None or end is None else Span(start, end)
