"""The write side of the store on a server: one transaction, all or nothing."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from ragspine_store.document_id import split_node_id
from ragspine_store.errors import NotFoundError
from ragspine_store.neo4j_store.access import AccessWriting
from ragspine_store.neo4j_store.copying.writing import KeptWriting
from ragspine_store.neo4j_store.meta import ERASURE_PENDING, set_meta
from ragspine_store.neo4j_store.parts import DocumentParts
from ragspine_store.neo4j_store.relations.writing import RelationWriting
from ragspine_store.neo4j_store.rows import (
    batches,
    child_rows,
    document_node,
    document_row,
    section_rows,
    shared_properties,
    text_rows,
    tree_rows,
)
from ragspine_store.neo4j_store.service_jobs import JobWriting
from ragspine_store.neo4j_store.sources import (
    documents_below,
    documents_of,
    find_origin,
    move_document,
    note_origin,
    strictest_part,
)
from ragspine_store.neo4j_store.stubs import Stubs
from ragspine_store.neo4j_store.transaction import Opened
from ragspine_store.neo4j_store.vectors import DocumentVectors, VectorWriting
from ragspine_store.protocols import KeptSource
from ragspine_store.records import DocumentState, Origin, PartState, PreparedDocument
from ragspine_store.sensitivity import Sensitivity, stored_label
from ragspine_store.storage_rules.stub_key import StubKey
from ragspine_store.storage_rules.texts import can_be_stored, now

_KEYS_PER_CHANGE = 2**32
"""How many children one transaction can write; their keys start at its number times this."""


class WriteTransaction(VectorWriting, RelationWriting, AccessWriting, JobWriting):
    """Changes documents inside one open transaction.

    Args:
        opened: the open transaction.
        keeps_text: whether a RESTRICTED document keeps its text (`restricted_at_rest = "text"`).
        stub_key: names the stubs.
    """

    def __init__(self, opened: Opened, *, keeps_text: bool, stub_key: StubKey) -> None:
        super().__init__(opened, Stubs(opened.queries, stub_key))
        self._queries = opened.queries
        self._keeps_text = keeps_text
        self._next_key = opened.state * _KEYS_PER_CHANGE

    def find(self, doc_id: str) -> DocumentState | None:
        """What is known of a document, stubs included."""
        if not can_be_stored(doc_id):
            return None
        row = self._queries.row("find_document_state", doc_id=doc_id)
        if row is not None:
            document = row["document"]
            level = stored_label(document["sensitivity"])
            return DocumentState(
                level,
                document["fingerprint"],
                document["source_path"],
                document["version"],
                is_stub=False,
                chunker=document["chunker"],
                strictest_part=strictest_part(row),
                is_settled=level < Sensitivity.RESTRICTED or self._keeps_text,
                is_stated=document["is_stated"],
                collection=document["collection"],
            )
        stub = self._stubs.find(doc_id)
        if stub is None:
            return None
        level, is_stated = stub
        is_settled = level is Sensitivity.RESTRICTED and not self._keeps_text
        return DocumentState(
            level, "", "", 0, is_stub=True, is_settled=is_settled, is_stated=is_stated
        )

    def find_other_id(self, source_path: str, doc_id: str) -> str | None:
        """Under which id other than this one a file's real path is stored; '' for a stub."""
        row = self._queries.row("find_id_of_file", source_path=source_path, doc_id=doc_id)
        if row is not None:
            return row["doc_id"]
        return "" if self._stubs.is_of_file(source_path, doc_id) else None

    def put(self, document: PreparedDocument) -> None:
        """Write a document in place of what stood under its id."""
        meta = document.meta
        is_restricted = meta.sensitivity is Sensitivity.RESTRICTED
        before = self.find(meta.doc_id)
        self._note_lowering(meta.doc_id, before, meta.sensitivity)
        if is_restricted:
            self._relations.forget(meta.doc_id)
        if is_restricted and not self._keeps_text:
            if before is not None and not before.is_stub:
                self._remove(meta.doc_id, before, erase=True)
            self._stubs.write(meta.doc_id, meta.sensitivity, document.source_path, document.origin)
            return
        is_raised = before is not None and before.sensitivity < meta.sensitivity
        with self._relations.replacing(document):
            if before is not None:
                self._remove(meta.doc_id, before, erase=is_raised and is_restricted)
            self._insert(document, before.version + 1 if before else 1)
        if document.vectors:
            DocumentVectors(self._queries, meta.doc_id).write(document.vectors)

    def delete(self, doc_id: str) -> bool:
        """Remove a document or its stub; whether there was one."""
        before = self.find(doc_id)
        if before is None:
            return False
        self._relations.forget(doc_id)
        self._remove(doc_id, before, erase=True)
        return True

    def relabel(self, doc_id: str, level: Sensitivity) -> DocumentState:
        """Change a document's label at once; returns the state after it.

        Children with a stricter label of their own keep it.

        Raises:
            NotFoundError: no such document.
        """
        before = self.find(doc_id)
        if before is None:
            raise NotFoundError(f"no document {doc_id!r}: expected an id that was ingested")
        self._note_lowering(doc_id, before, level)
        if before.is_stub:
            self._stubs.relabel(doc_id, level)
        elif level is Sensitivity.RESTRICTED and not self._keeps_text:
            self._reduce(doc_id, before)
            self._stubs.relabel(doc_id, level)
        else:
            self._parts_of(doc_id).relabel_document(level)
            self._relations.outdate_rules(doc_id)
            if level is Sensitivity.RESTRICTED:
                self._relations.forget(doc_id)
                self._erase()
        after = self.find(doc_id)
        assert after is not None
        return after

    def stub_restricted(self) -> int:
        """Erase the text of every RESTRICTED document and part; how many documents had any."""
        reduced = 0
        for row in self._queries.rows("documents_with_restricted"):
            doc_id = row["doc_id"]
            state = self.find(doc_id)
            assert state is not None
            if state.sensitivity is Sensitivity.RESTRICTED:
                self._reduce(doc_id, state)
                reduced += 1
            elif self._parts_of(doc_id).erase_restricted():
                self._relations.forget_restricted(doc_id)
                self._erase()
                reduced += 1
        return reduced

    def is_made_of(self, doc_id: str, inputs: str) -> bool:
        """Whether a document is as an ingest of these inputs left it, its label included."""
        origin = find_origin(self._queries, doc_id)
        return origin.inputs == inputs or self._stubs.is_made_of(doc_id, inputs)

    def note_origin(self, doc_id: str, origin: Origin) -> None:
        """Note that an ingest of this origin would change nothing of a document."""
        note_origin(self._queries, doc_id, origin)
        self._stubs.note_origin(doc_id, origin)

    def alias(self, text: str) -> str:
        """The name under which a path or hash is kept: itself, or a keyed hash among stubs."""
        return self._stubs.name(text) if self._stubs.has_any() else text

    def sources_below(self, folder: str, root: str) -> list[KeptSource]:
        """Documents whose files lay below a folder, by id, and stubs likewise."""
        documents = documents_below(self._queries, self.alias, folder)
        return documents + self._stubs.below(folder, root)

    def sources_of(self, contents: Iterable[str]) -> list[KeptSource]:
        """Documents made of files with one of these hashes, by id, and stubs likewise."""
        hashes = list(contents)
        return documents_of(self._queries, self.alias, hashes) + self._stubs.of(hashes)

    def move(self, kept: KeptSource, doc_id: str, source_path: str) -> bool:
        """Give a document the id of the place its file was moved to; labels stay."""
        if self.find(doc_id) is not None:
            return False
        if not kept.doc_id:
            return self._stubs.move(kept.key, doc_id, source_path)
        before = self.find(kept.doc_id)
        if before is None or before.source_path != kept.source_path:
            return False
        self._relations.make_way(doc_id)
        move_document(self._opened, kept, doc_id, source_path)
        self._relations.move(kept.doc_id, doc_id)
        return True

    def remove(self, kept: KeptSource) -> bool:
        """Remove a document or stub; whether it was still there."""
        if not kept.doc_id:
            return self._stubs.delete(kept.key)
        state = self.find(kept.doc_id)
        return (
            state is not None and state.source_path == kept.source_path and self.delete(kept.doc_id)
        )

    def find_part(self, node_id: str) -> PartState | None:
        """What is known of a section (`{doc}#s2`) or child (`{doc}#c3`)."""
        doc_id, fragment = split_node_id(node_id)
        state = self.find(doc_id) if fragment else None
        return self._parts_of(doc_id).find(fragment) if state and not state.is_stub else None

    def relabel_part(self, node_id: str, level: Sensitivity) -> None:
        """Change the label of a section or child at once; its document's is the least it can be.

        Raises:
            NotFoundError: no such section or child.
        """
        doc_id, _ = split_node_id(node_id)
        part = self.find_part(node_id)
        if part is None:
            raise NotFoundError(f"no section or child {node_id!r}: expected an id as show gives it")
        if level < part.label:
            self._record_lowering(node_id, part.label, level)
            if part.is_erased:
                # Only the document can bring the text back: its next ingest must write it.
                self._queries.run("set_document", doc_id=doc_id, properties={"fingerprint": ""})
        parts = self._parts_of(doc_id)
        parts.relabel_part(part, level)
        self._relations.note_relabelled_part(doc_id)
        if level is Sensitivity.RESTRICTED:
            self._relations.forget_restricted(doc_id)
            if not self._keeps_text:
                parts.erase_restricted()
            self._erase()

    @property
    def kept(self) -> KeptWriting:
        """Writes what another store keeps, for a copy."""
        return KeptWriting(
            self._opened,
            keeps_text=self._keeps_text,
            stubs=self._stubs,
            relations=self._relations,
            take_keys=self._take_keys,
        )

    def _take_keys(self, count: int) -> int:
        first_key = self._next_key
        self._next_key += count
        return first_key

    def _parts_of(self, doc_id: str) -> DocumentParts:
        return DocumentParts(self._queries, doc_id, self._opened.state, self._opened.find_words)

    def _insert(self, document: PreparedDocument, version: int) -> None:
        queries, doc_id, first_key = self._queries, document.meta.doc_id, self._next_key
        # One key more than there are children, since a document without any has one too.
        self._next_key += len(document.chunks) + 1
        texts, *more_texts = list(batches(text_rows(doc_id, document.loaded.text))) or [[]]
        sections, *more_sections = list(batches(section_rows(document))) or [[]]
        queries.run(
            "create_document",
            id=document_node(doc_id),
            properties=document_row(document, version, first_key, self._opened.state),
            texts=texts,
            sections=sections,
        )
        for batch in more_texts:
            queries.run("create_texts", doc_id=doc_id, rows=batch)
        branches = list(batches(tree_rows(document)))
        for create, link, batched in (
            ("create_sections", "link_sections", more_sections),
            ("create_branches", "link_branches", branches),
        ):
            for query in (create, link):
                for batch in batched:
                    queries.run(query, rows=batch)
        shared = shared_properties(document)
        for batch in batches(child_rows(document, first_key, self._opened.find_words)):
            queries.run("create_children", rows=batch, shared=shared)

    def _remove(self, doc_id: str, before: DocumentState, *, erase: bool) -> None:
        """Remove a document and all that belongs to it, or its stub."""
        if before.is_stub:
            self._stubs.delete(self._stubs.name(doc_id))
        else:
            self._queries.run("delete_document", doc_id=doc_id)
        if erase:
            self._erase()

    def _reduce(self, doc_id: str, before: DocumentState) -> None:
        """Leave a stub in the place of a document."""
        origin = find_origin(self._queries, doc_id)
        self._relations.forget(doc_id)
        self._remove(doc_id, before, erase=True)
        self._stubs.write(doc_id, Sensitivity.RESTRICTED, before.source_path, origin)

    def _note_lowering(self, doc_id: str, before: DocumentState | None, after: Sensitivity) -> None:
        if before is not None and after < before.sensitivity:
            self._record_lowering(doc_id, before.sensitivity, after)

    def _record_lowering(self, node_id: str, before: Sensitivity, after: Sensitivity) -> None:
        self._queries.run(
            "record_lowering",
            properties={
                "id_hash": self._stubs.name(node_id),
                "before": before.name,
                "after": after.name,
                "lowered_at": now(),
            },
        )

    def _erase(self) -> None:
        """Note that the index holds what must be erased; `Neo4jStore.erase` does it."""
        set_meta(self._queries, ERASURE_PENDING, secrets.token_hex(8))
