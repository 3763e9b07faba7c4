"""Writes into the file what another store keeps."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from ragspine_store.kept import KeptDocument, KeptLogs, KeptProfile, KeptRelations, KeptStub
from ragspine_store.sqlite_store.copying.relations import (
    clear_profile,
    clear_relations,
    write_profile,
    write_relations,
)
from ragspine_store.sqlite_store.indexing import add_to_index
from ragspine_store.sqlite_store.meta import UNFINISHED_COPY, find_meta, set_meta
from ragspine_store.sqlite_store.stubs import StoreStubKey
from ragspine_store.sqlite_store.texts import write_text
from ragspine_store.sqlite_store.vectors.rows import write_vectors
from ragspine_store.storage_rules.offsets import pack_offsets
from ragspine_store.storage_rules.stub_key import CHECK, check_same_key


class KeptWriting:
    """Writes what another store keeps; see `KeptWriter`.

    Args:
        db: a connection inside a write transaction.
        keeps_text: whether a RESTRICTED document keeps its text.
        stub_key: names the stubs.
    """

    def __init__(self, db: sqlite3.Connection, *, keeps_text: bool, stub_key: StoreStubKey) -> None:
        self._db = db
        self._keeps_text = keeps_text
        self._stub_key = stub_key

    @property
    def keeps_text(self) -> bool:
        """Whether a RESTRICTED document keeps its text here."""
        return self._keeps_text

    def name(self, text: str) -> str:
        """The keyed hash of an id, a path or a hash.

        Raises:
            StoreFormatError: the key is missing, or is not the one the store was written with.
        """
        return self._stub_key.name(self._db, text)

    def begin_copy(self, source: str, key_check: str) -> None:
        """Note that a copy of a store begins, and that its stubs are named by the same key.

        Raises:
            StoreFormatError: the key of this store is another one, or missing.
        """
        if key_check:
            check_same_key(key_check, find_meta(self._db, CHECK))
            set_meta(self._db, CHECK, key_check)
            self.name("")  # with the key in hand
        set_meta(self._db, UNFINISHED_COPY, source)

    def finish_copy(self) -> None:
        """Note that the copy is complete."""
        self._db.execute("DELETE FROM store_meta WHERE key = ?", (UNFINISHED_COPY,))

    def write_document(self, document: KeptDocument) -> None:
        """Write a document as it is; nothing stands under its id."""
        doc_no = self._insert_document(document)
        write_text(self._db, doc_no, document.text)
        self._insert_structure(document, doc_no)
        self._insert_children(document, doc_no)
        add_to_index(self._db, doc_no)
        if document.vectors:
            write_vectors(self._db, doc_no, document.vectors)

    def _insert_document(self, document: KeptDocument) -> int:
        lengths = [c.span.end - c.span.start for c in document.children if c.span]
        cursor = self._db.execute(
            "INSERT INTO document (doc_id, title, topic, entity, geography, period, language,"
            " collection, sensitivity, valid_as_of, version, chunker, fingerprint,"
            " source_path, longest_child, offsets, pages, content_hash, inputs_hash, is_stated)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                document.doc_id,
                *_described(document),
                document.collection,
                document.label,
                document.valid_as_of,
                document.version,
                document.chunker,
                document.fingerprint,
                document.source_path,
                max(lengths, default=0),
                pack_offsets(document.offsets) if document.offsets else None,
                json.dumps(document.pages),
                document.content_hash,
                document.inputs_hash,
                document.is_stated,
            ),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def _insert_structure(self, document: KeptDocument, doc_no: int) -> None:
        self._db.executemany(
            "INSERT INTO section (doc_no, no, parent, level, heading, span_start, span_end,"
            " own_end, own_label, sensitivity, is_erased)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    *(doc_no, s.no, s.parent, s.level, s.heading, *s.span, s.own_end),
                    *(s.own_label, s.label, s.is_erased),
                )
                for s in document.sections
            ),
        )
        self._db.executemany(
            "INSERT INTO tree_node (doc_no, no, parent, name, span_start, span_end, para_start,"
            " para_end, children) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (doc_no, b.no, b.parent, b.name, *b.span, *b.paragraphs, b.children)
                for b in document.branches
            ),
        )

    def _insert_children(self, document: KeptDocument, doc_no: int) -> None:
        described = _described(document)
        self._db.executemany(
            "INSERT INTO narrative_chunk (chunk_id, doc_id, seq, text, source_locator, para_start,"
            " para_end, title, topic, entity, geography, period, language, sensitivity,"
            " valid_as_of, ingested_at, version, active, parent_id, heading, window_text,"
            " parent_locator)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?)",
            (
                (
                    *(c.chunk_id, document.doc_id, c.seq, c.text, c.source_locator),
                    *(*c.paragraphs, *described, c.label, document.valid_as_of),
                    *(document.ingested_at, document.version, c.parent_id, c.heading),
                    *(c.window_text, c.parent_locator),
                )
                for c in document.children
            ),
        )
        self._db.executemany(
            "INSERT INTO chunk_span (doc_no, seq, level, own_label, is_erased, section, node,"
            " span_start, span_end, window_start, window_end, lead_in_start, lead_in_end)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    *(doc_no, c.seq, c.level, c.own_label, c.is_erased, c.section, c.node),
                    *(*(c.span or (None, None)), *(c.window or (None, None))),
                    *(c.lead_in or (None, None)),
                )
                for c in document.children
            ),
        )

    def clear_relations(self, doc_id: str) -> None:
        """Remove what the graph keeps of a document."""
        clear_relations(self._db, doc_id)

    def write_relations(self, relations: KeptRelations) -> None:
        """Write what the graph keeps of a document, of which it keeps nothing."""
        write_relations(self._db, relations, self.name)

    def clear_profile(self) -> None:
        """Remove what the graph keeps that is no document's own."""
        clear_profile(self._db)

    def write_profile(self, profile: KeptProfile) -> None:
        """Write what the graph keeps that is no document's own; it keeps none."""
        write_profile(self._db, profile, self.name)

    def write_stubs(self, stubs: Sequence[KeptStub]) -> None:
        """Write stubs, each in place of one of its name."""
        self._db.executemany(
            "INSERT OR REPLACE INTO stub (id_hash, source_hash, sensitivity, labelled_at,"
            " content_hash, inputs_hash, is_stated, folder_hashes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    *(s.id_hash, s.source_hash, s.label, s.labelled_at, s.content_hash),
                    *(s.inputs_hash, s.is_stated, json.dumps(s.folder_hashes)),
                )
                for s in stubs
            ),
        )

    def remove_stub(self, id_hash: str) -> None:
        """Remove a stub."""
        self._db.execute("DELETE FROM stub WHERE id_hash = ?", (id_hash,))

    def append_logs(self, logs: KeptLogs) -> None:
        """Append to the logs."""
        # What a verdict knew of is copied with numbers below 1.
        self._db.executemany(
            "INSERT INTO verdict_log (edge, document, verdict, reviewer, note, at, evidence)"
            " VALUES (?, ?, ?, ?, ?, ?, 0)",
            (
                (entry.edge, entry.document, entry.verdict.value, *entry[3:])
                for entry in logs.verdicts
            ),
        )
        self._db.executemany(
            "INSERT INTO lowered_label (id_hash, before, after, lowered_at) VALUES (?, ?, ?, ?)",
            logs.lowered,
        )


def _described(document: KeptDocument) -> tuple[str, ...]:
    return (
        *(document.title, document.topic, document.entity),
        *(document.geography, document.period, document.language),
    )
