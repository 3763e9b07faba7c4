"""The write side of the embedded store: one transaction, all or nothing."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable

from ragspine_store.document_id import split_node_id
from ragspine_store.errors import NotFoundError
from ragspine_store.protocols import KeptSource
from ragspine_store.records import DocumentState, Origin, PartState, PreparedDocument
from ragspine_store.sensitivity import Sensitivity, stored_label
from ragspine_store.sqlite_store.access import AccessWriting
from ragspine_store.sqlite_store.copying.writing import KeptWriting
from ragspine_store.sqlite_store.indexing import add_to_index, remove_from_index
from ragspine_store.sqlite_store.meta import set_meta
from ragspine_store.sqlite_store.parts import (
    changing_labels,
    erase_restricted_parts,
    find_part,
    set_part_label,
    strictest_part,
)
from ragspine_store.sqlite_store.relations.cascade import (
    forget_relations,
    forget_restricted,
    move_relations,
    note_relabelled_part,
    outdate_rules,
)
from ragspine_store.sqlite_store.relations.reanchoring import attach_relations, detach_relations
from ragspine_store.sqlite_store.relations.writing import RelationWriting
from ragspine_store.sqlite_store.service_jobs import JobWriting
from ragspine_store.sqlite_store.sources import (
    documents_below,
    documents_of,
    find_origin,
    move_document,
    note_origin,
)
from ragspine_store.sqlite_store.stub_rows import (
    is_stub_made_of,
    move_stub,
    note_stub_origin,
    relabel_stub,
    stubs_below,
    stubs_of,
    write_stub,
)
from ragspine_store.sqlite_store.stubs import StoreStubKey
from ragspine_store.sqlite_store.texts import delete_text, write_text
from ragspine_store.sqlite_store.vectors.rows import remove_vectors, write_vectors
from ragspine_store.sqlite_store.vectors.writing import VectorWriting
from ragspine_store.storage_rules.offsets import pack_offsets
from ragspine_store.storage_rules.rows import branch_rows, longest_child
from ragspine_store.storage_rules.texts import can_be_stored, now

ERASURE_PENDING = "erasure_pending"


class WriteTransaction(VectorWriting, RelationWriting, AccessWriting, JobWriting):
    """Changes documents inside one open transaction.

    Args:
        db: a connection inside a write transaction.
        keeps_text: whether a RESTRICTED document keeps its text (`restricted_at_rest = "text"`).
        stub_key: names the stubs.
    """

    def __init__(
        self,
        db: sqlite3.Connection,
        *,
        keeps_text: bool,
        stub_key: StoreStubKey,
    ) -> None:
        super().__init__(db, stub_key)
        self._keeps_text = keeps_text

    def find(self, doc_id: str) -> DocumentState | None:
        """What is known of a document, stubs included."""
        if not can_be_stored(doc_id):
            return None
        row = self._db.execute(
            "SELECT no, sensitivity, fingerprint, source_path, version, chunker, is_stated,"
            " collection FROM document WHERE doc_id = ?",
            (doc_id,),
        ).fetchone()
        if row is not None:
            doc_no, label, fingerprint, source_path, version, chunker, is_stated, collection = row
            level = stored_label(label)
            return DocumentState(
                level,
                fingerprint,
                source_path,
                version,
                is_stub=False,
                chunker=chunker,
                strictest_part=strictest_part(self._db, doc_no),
                is_settled=level < Sensitivity.RESTRICTED or self._keeps_text,
                is_stated=bool(is_stated),
                collection=collection,
            )
        if not self._has_stubs():
            return None
        row = self._db.execute(
            "SELECT sensitivity, is_stated FROM stub WHERE id_hash = ?", (self._name(doc_id),)
        ).fetchone()
        if row is None:
            return None
        level = stored_label(row[0])
        is_settled = level is Sensitivity.RESTRICTED and not self._keeps_text
        return DocumentState(
            level, "", "", 0, is_stub=True, is_settled=is_settled, is_stated=bool(row[1])
        )

    def find_other_id(self, source_path: str, doc_id: str) -> str | None:
        """Under which id other than this one a file's real path is stored; '' for a stub."""
        row = self._db.execute(
            "SELECT doc_id FROM document WHERE source_path = ? AND doc_id != ?",
            (source_path, doc_id),
        ).fetchone()
        if row is not None:
            return row[0]
        if not self._has_stubs():
            return None
        row = self._db.execute(
            "SELECT 1 FROM stub WHERE source_hash = ? AND id_hash != ?",
            (self._name(source_path), self._name(doc_id)),
        ).fetchone()
        return None if row is None else ""

    def put(self, document: PreparedDocument) -> None:
        """Write a document in place of what stood under its id."""
        meta = document.meta
        before = self.find(meta.doc_id)
        self._note_lowering(meta.doc_id, before, meta.sensitivity)
        if meta.sensitivity is Sensitivity.RESTRICTED and not self._keeps_text:
            if before is None or not before.is_stub:
                self._remove(meta.doc_id, erase=True)
            forget_relations(self._db, meta.doc_id)
            write_stub(
                self._db,
                self._name,
                meta.doc_id,
                meta.sensitivity,
                document.source_path,
                document.origin,
            )
            return
        raises = before is not None and before.sensitivity < meta.sensitivity
        if meta.sensitivity is Sensitivity.RESTRICTED:
            forget_relations(self._db, meta.doc_id)
        relations = detach_relations(self._db, meta.doc_id)
        self._remove(meta.doc_id, erase=raises and meta.sensitivity is Sensitivity.RESTRICTED)
        version = before.version + 1 if before else 1
        doc_no = self._insert_document(document, version)
        self._insert_nodes(document, doc_no)
        self._insert_chunks(document, doc_no, version)
        add_to_index(self._db, doc_no)
        attach_relations(self._db, relations, document)
        if document.vectors:
            write_vectors(self._db, doc_no, document.vectors)

    def delete(self, doc_id: str) -> bool:
        """Remove a document or its stub; whether there was one."""
        if self.find(doc_id) is None:
            return False
        self._remove(doc_id, erase=True)
        forget_relations(self._db, doc_id)
        return True

    def relabel(self, doc_id: str, level: Sensitivity) -> DocumentState:
        """Change a document's label at once; returns the state after it.

        Inactive rows of the document go; children with a stricter label of their own keep it.

        Raises:
            NotFoundError: no such document.
        """
        before = self.find(doc_id)
        if before is None:
            raise NotFoundError(f"no document {doc_id!r}: expected an id that was ingested")
        self._note_lowering(doc_id, before, level)
        if before.is_stub:
            relabel_stub(self._db, self._name(doc_id), level)
        elif level is Sensitivity.RESTRICTED and not self._keeps_text:
            self._reduce(doc_id, level, before.source_path)
            relabel_stub(self._db, self._name(doc_id), level)
        else:
            self._change_label(doc_id, level)
        after = self.find(doc_id)
        assert after is not None
        return after

    def stub_restricted(self) -> int:
        """Erase the text of every RESTRICTED document and part; how many documents had any."""
        reduced = 0
        rows = self._db.execute(
            "SELECT no, doc_id, sensitivity, source_path FROM document"
        ).fetchall()
        for doc_no, doc_id, label, source_path in rows:
            if stored_label(label) is Sensitivity.RESTRICTED:
                self._reduce(doc_id, Sensitivity.RESTRICTED, source_path)
                reduced += 1
            elif erase_restricted_parts(self._db, doc_no):
                forget_restricted(self._db, doc_id)
                self._erase()
                reduced += 1
        return reduced

    def is_made_of(self, doc_id: str, inputs: str) -> bool:
        """Whether a document is as an ingest of these inputs left it, its label included."""
        if find_origin(self._db, doc_id).inputs == inputs:
            return True
        return self._has_stubs() and is_stub_made_of(
            self._db, self._name(doc_id), self._name(inputs)
        )

    def note_origin(self, doc_id: str, origin: Origin) -> None:
        """Note that an ingest of this origin would change nothing of a document."""
        note_origin(self._db, doc_id, origin)
        if self._has_stubs():
            note_stub_origin(self._db, self._name, doc_id, origin)

    def alias(self, text: str) -> str:
        """The name under which a path or hash is kept: itself, or a keyed hash among stubs."""
        return self._name(text) if self._has_stubs() else text

    def sources_below(self, folder: str, root: str) -> list[KeptSource]:
        """Documents whose files lay below a folder, by id, and stubs likewise."""
        documents = documents_below(self._db, self.alias, folder)
        if not self._has_stubs():
            return documents
        return documents + stubs_below(self._db, self._name, folder, root)

    def sources_of(self, contents: Iterable[str]) -> list[KeptSource]:
        """Documents made of files with one of these hashes, by id, and stubs likewise."""
        contents = set(contents)
        documents = documents_of(self._db, self.alias, contents)
        if not self._has_stubs():
            return documents
        return documents + stubs_of(self._db, map(self._name, contents))

    def move(self, kept: KeptSource, doc_id: str, source_path: str) -> bool:
        """Give a document the id of the place its file was moved to; labels stay."""
        if self.find(doc_id) is not None:
            return False
        if kept.doc_id:
            moved = move_document(self._db, kept, doc_id, source_path)
            if moved:
                move_relations(self._db, self._name, kept.doc_id, doc_id)
            return moved
        return move_stub(self._db, self._name, kept, doc_id, source_path)

    def remove(self, kept: KeptSource) -> bool:
        """Remove a document or stub; whether it was still there."""
        if not kept.doc_id:
            return self._db.execute("DELETE FROM stub WHERE id_hash = ?", (kept.key,)).rowcount > 0
        state = self.find(kept.doc_id)
        return (
            state is not None and state.source_path == kept.source_path and self.delete(kept.doc_id)
        )

    def find_part(self, node_id: str) -> PartState | None:
        """What is known of a section (`{doc}#s2`) or child (`{doc}#c3`)."""
        doc_id, fragment = split_node_id(node_id)
        return find_part(self._db, doc_id, fragment) if fragment and self.find(doc_id) else None

    def relabel_part(self, node_id: str, level: Sensitivity) -> None:
        """Change the label of a section or child at once; its document's is the least it can be.

        Raises:
            NotFoundError: no such section or child.
        """
        part = self.find_part(node_id)
        if part is None:
            raise NotFoundError(f"no section or child {node_id!r}: expected an id as show gives it")
        if level < part.label:
            self._record_lowering(node_id, part.label, level)
            if part.is_erased:
                # Only the document can bring the text back: its next ingest must write it.
                self._db.execute(
                    "UPDATE document SET fingerprint = '' WHERE no = ?", (part.doc_no,)
                )
        set_part_label(self._db, part, level)
        doc_id, _ = split_node_id(node_id)
        note_relabelled_part(self._db, doc_id)
        if level is Sensitivity.RESTRICTED:
            forget_restricted(self._db, doc_id)
            if not self._keeps_text:
                erase_restricted_parts(self._db, part.doc_no)
            self._erase()

    @property
    def kept(self) -> KeptWriting:
        """Writes what another store keeps, for a copy."""
        return KeptWriting(self._db, keeps_text=self._keeps_text, stub_key=self._stub_key)

    def _change_label(self, doc_id: str, level: Sensitivity) -> None:
        (doc_no,) = self._db.execute(
            "SELECT no FROM document WHERE doc_id = ?", (doc_id,)
        ).fetchone()
        with changing_labels(self._db, doc_no):
            self._db.execute(
                "UPDATE document SET sensitivity = ?, inputs_hash = '', is_stated = 1 WHERE no = ?",
                (level.name, doc_no),
            )
        outdate_rules(self._db, doc_id)
        if level is Sensitivity.RESTRICTED:
            forget_relations(self._db, doc_id)
            self._erase()

    def _insert_document(self, document: PreparedDocument, version: int) -> int:
        meta, loaded = document.meta, document.loaded
        cursor = self._db.execute(
            "INSERT INTO document (doc_id, title, topic, entity, geography, period, language,"
            " collection, sensitivity, valid_as_of, version, chunker, fingerprint,"
            " source_path, longest_child, offsets, pages, content_hash, inputs_hash, is_stated)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                meta.doc_id,
                meta.title,
                meta.topic,
                meta.entity,
                meta.geography,
                meta.period,
                meta.language,
                meta.collection,
                meta.sensitivity.name,
                meta.valid_as_of,
                version,
                document.chunker,
                document.fingerprint,
                document.source_path,
                longest_child(document),
                pack_offsets(loaded.offsets) if loaded.offsets else None,
                json.dumps(loaded.pages),
                document.origin.content,
                document.origin.inputs,
                document.origin.is_stated,
            ),
        )
        doc_no = cursor.lastrowid
        assert doc_no is not None
        write_text(self._db, doc_no, loaded.text)
        self._db.executemany(
            "INSERT INTO section (doc_no, no, parent, level, heading, span_start, span_end,"
            " own_end) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (doc_no, s.no, s.parent, s.level, s.heading, s.span.start, s.span.end, s.own_end)
                for s in loaded.outline.sections
            ),
        )
        return doc_no

    def _insert_nodes(self, document: PreparedDocument, doc_no: int) -> None:
        self._db.executemany(
            "INSERT INTO tree_node (doc_no, no, parent, name, span_start, span_end, para_start,"
            " para_end, children) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (doc_no, b.no, b.parent, b.name, *b.span, *b.paragraphs, b.children)
                for b in branch_rows(document)
            ),
        )

    def _insert_chunks(self, document: PreparedDocument, doc_no: int, version: int) -> None:
        meta, ingested_at = document.meta, now()
        self._db.executemany(
            "INSERT INTO narrative_chunk (chunk_id, doc_id, seq, text, source_locator, para_start,"
            " para_end, title, topic, entity, geography, period, language, sensitivity,"
            " valid_as_of, ingested_at, version, active, parent_id, heading, window_text,"
            " parent_locator)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?)",
            (
                (
                    chunk.chunk_id,
                    meta.doc_id,
                    chunk.seq,
                    chunk.text,
                    chunk.source_locator,
                    chunk.para_start,
                    chunk.para_end,
                    meta.title,
                    meta.topic,
                    meta.entity,
                    meta.geography,
                    meta.period,
                    meta.language,
                    meta.sensitivity.name,
                    meta.valid_as_of,
                    ingested_at,
                    version,
                    chunk.parent_id,
                    chunk.heading,
                    chunk.window_text,
                    chunk.parent_locator,
                )
                for chunk in document.chunks
            ),
        )
        self._db.executemany(
            "INSERT INTO chunk_span (doc_no, seq, level, section, node, span_start, span_end,"
            " window_start, window_end, lead_in_start, lead_in_end)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    doc_no,
                    chunk.seq,
                    meta.sensitivity,
                    chunk.section,
                    chunk.node if document.nodes else None,
                    *chunk.span,
                    *(chunk.window or (None, None)),
                    *(chunk.lead_in or (None, None)),
                )
                for chunk in document.chunks
            ),
        )

    def _remove(self, doc_id: str, *, erase: bool) -> None:
        """Remove the rows, index entries and stub of a document, all versions."""
        db = self._db
        row = db.execute("SELECT no FROM document WHERE doc_id = ?", (doc_id,)).fetchone()
        if row is not None:
            remove_from_index(db, row[0])
            db.execute("DELETE FROM chunk_span WHERE doc_no = ?", row)
            db.execute("DELETE FROM section WHERE doc_no = ?", row)
            db.execute("DELETE FROM tree_node WHERE doc_no = ?", row)
            delete_text(db, row[0])
            remove_vectors(db, row[0])
            db.execute("DELETE FROM document WHERE no = ?", row)
        elif self._has_stubs():
            db.execute("DELETE FROM stub WHERE id_hash = ?", (self._name(doc_id),))
        db.execute("DELETE FROM narrative_chunk WHERE doc_id = ?", (doc_id,))
        if erase:
            self._erase()

    def _reduce(self, doc_id: str, level: Sensitivity, source_path: str) -> None:
        """Leave a stub in the place of a document."""
        origin = find_origin(self._db, doc_id)
        self._remove(doc_id, erase=True)
        forget_relations(self._db, doc_id)
        write_stub(self._db, self._name, doc_id, level, source_path, origin)

    def _note_lowering(self, doc_id: str, before: DocumentState | None, after: Sensitivity) -> None:
        if before is not None and after < before.sensitivity:
            self._record_lowering(doc_id, before.sensitivity, after)

    def _record_lowering(self, node_id: str, before: Sensitivity, after: Sensitivity) -> None:
        self._db.execute(
            "INSERT INTO lowered_label (id_hash, before, after, lowered_at) VALUES (?, ?, ?, ?)",
            (self._name(node_id), before.name, after.name, now()),
        )

    def _has_stubs(self) -> bool:
        return self._db.execute("SELECT EXISTS (SELECT 1 FROM stub)").fetchone()[0] == 1

    def _erase(self) -> None:
        """Note that the file holds what must be erased; `ChunkStore.erase` does it."""
        set_meta(self._db, ERASURE_PENDING, secrets.token_hex(8))
