"""Writes to the server what another store keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ragspine_store.kept import (
    KeptDocument,
    KeptLogs,
    KeptProfile,
    KeptRelation,
    KeptRelations,
    KeptStub,
)
from ragspine_store.neo4j_store.copying.relations import (
    answer_row,
    ends_of,
    kept_place,
    node_of,
    reference_row,
    rejection_row,
)
from ragspine_store.neo4j_store.copying.rows import (
    branch_rows,
    child_rows,
    document_row,
    keys_of,
    section_rows,
)
from ragspine_store.neo4j_store.meta import BUILT_RULES, UNFINISHED_COPY, find_meta, set_meta
from ragspine_store.neo4j_store.relations.changes import RelationChanges
from ragspine_store.neo4j_store.relations.rows import end_rows
from ragspine_store.neo4j_store.rows import Row, batches, document_node
from ragspine_store.neo4j_store.stubs import Stubs
from ragspine_store.neo4j_store.texts import write_text
from ragspine_store.neo4j_store.transaction import Opened
from ragspine_store.neo4j_store.vectors import DocumentVectors
from ragspine_store.relations import PROFILE_DOC_ID, Node
from ragspine_store.storage_rules.stub_key import CHECK, check_same_key


class KeptWriting:
    """Writes what another store keeps; see `KeptWriter`.

    Args:
        opened: an open write transaction.
        keeps_text: whether a RESTRICTED document keeps its text.
        stubs: names them.
        relations: keeps the graph in step with its documents.
        take_keys: gives the first of so many keys for children.
    """

    def __init__(
        self,
        opened: Opened,
        *,
        keeps_text: bool,
        stubs: Stubs,
        relations: RelationChanges,
        take_keys: Callable[[int], int],
    ) -> None:
        self._opened = opened
        self._queries = opened.queries
        self._keeps_text = keeps_text
        self._stubs = stubs
        self._relations = relations
        self._take_keys = take_keys

    @property
    def keeps_text(self) -> bool:
        """Whether a RESTRICTED document keeps its text here."""
        return self._keeps_text

    def name(self, text: str) -> str:
        """The keyed hash of an id, a path or a hash.

        Raises:
            StoreFormatError: the key is missing, or is not the one the store was written with.
        """
        return self._stubs.name(text)

    def begin_copy(self, source: str, key_check: str) -> None:
        """Note that a copy of a store begins, and that its stubs are named by the same key.

        Raises:
            StoreFormatError: the key of this store is another one, or missing.
        """
        if key_check:
            check_same_key(key_check, find_meta(self._queries, CHECK))
            set_meta(self._queries, CHECK, key_check)
            self.name("")  # with the key in hand
        # Edges that name them are written again; their ids are wanted for the documents.
        self._queries.run("forget_missing_documents")
        set_meta(self._queries, UNFINISHED_COPY, source)

    def finish_copy(self) -> None:
        """Note that the copy is complete."""
        source = find_meta(self._queries, UNFINISHED_COPY) or ""
        self._queries.run("forget_meta", key=UNFINISHED_COPY, value=source)

    def write_document(self, document: KeptDocument) -> None:
        """Write a document as it is; nothing stands under its id."""
        doc_id = document.doc_id
        # One key more than there are children, since a document without any has one too.
        first_key = self._take_keys(keys_of(document) + 1)
        self._queries.run(
            "create_document",
            id=document_node(doc_id),
            properties=document_row(document, first_key, self._opened.state),
        )
        write_text(self._queries, doc_id, document.text)
        sections, branches = list(section_rows(document)), list(branch_rows(document))
        self._run("create_sections", sections)
        self._run("link_sections", sections)
        self._run("create_branches", branches)
        self._run("link_branches", branches)
        shared = {"doc_id": doc_id, "collection": document.collection}
        for batch in batches(child_rows(document, first_key, self._opened.find_words)):
            self._queries.run("create_children", rows=batch, shared=shared)
        if document.vectors:
            DocumentVectors(self._queries, doc_id).write(document.vectors)

    def clear_relations(self, doc_id: str) -> None:
        """Remove what the graph keeps of a document."""
        row = self._queries.row("clear_kept_relations", doc_id=doc_id)
        assert row is not None
        self._relations.drop_unused(row["ids"])

    def write_relations(self, relations: KeptRelations) -> None:
        """Write what the graph keeps of a document, of which it keeps nothing."""
        doc_id = relations.doc_id
        if relations == KeptRelations(doc_id):
            return
        self._add(relations.relations)
        if relations.titles:
            self._queries.run("create_titles", doc_id=doc_id, titles=list(relations.titles))
        for batch in batches(_address_rows(relations)):
            self._queries.run("create_addresses", doc_id=doc_id, rows=batch)
        self._run("create_references", map(reference_row, relations.references))
        self._run("create_rejections", map(rejection_row, relations.rejections))
        self._run("create_answers", (answer_row(one, doc_id) for one in relations.answers))
        self._queries.run("note_rules", doc_id=doc_id, rules=relations.rules)
        self._relations.show_clearances(doc_id)
        self._relations.link(relations.titles, doc_id)

    def clear_profile(self) -> None:
        """Remove what the graph keeps that is no document's own."""
        row = self._queries.row("delete_profile_places")
        assert row is not None
        self._queries.run("clear_labels")
        self._relations.drop_unused(row["ids"])

    def write_profile(self, profile: KeptProfile) -> None:
        """Write what the graph keeps that is no document's own; it keeps none."""
        self._add(profile.relations)
        self._merge((node_of(node, label), "") for node, label in profile.labels)
        for doc_id in sorted({r.evidence.doc_id for r in profile.relations} - {PROFILE_DOC_ID}):
            self._relations.show_clearances(doc_id)
        if profile.rules:
            set_meta(self._queries, BUILT_RULES, profile.rules)

    def _add(self, relations: Sequence[KeptRelation]) -> None:
        terms = self._merge(ends_of(relations))
        self._relations.show_terms(terms)
        self._relations.add_places(kept_place(one, self.name) for one in relations)

    def _merge(self, nodes: Iterable[tuple[Node, str]]) -> set[str]:
        """Make nodes that are not there; the documents of the terms among them."""
        rows = end_rows(nodes)
        self._run("merge_ends", (row._asdict() for row in rows))
        return {row.properties["doc_id"] for row in rows if row.label == "Term"}

    def write_stubs(self, stubs: Sequence[KeptStub]) -> None:
        """Write stubs, each in place of one of its name."""
        self._run("write_stubs", map(_stub_row, stubs))

    def remove_stub(self, id_hash: str) -> None:
        """Remove a stub."""
        self._stubs.delete(id_hash)

    def append_logs(self, logs: KeptLogs) -> None:
        """Append to the logs."""
        verdicts: list[Row] = [
            {
                "edge_hash": entry.edge,
                "document_hash": entry.document,
                "verdict": entry.verdict.value,
                "reviewer": entry.reviewer,
                "note": entry.note,
                "at": entry.at,
            }
            for entry in logs.verdicts
        ]
        self._run("append_verdicts", verdicts)
        self._run("append_lowered", (entry._asdict() for entry in logs.lowered))

    def _run(self, query: str, rows: Iterable[Row]) -> None:
        for batch in batches(iter(rows)):
            self._queries.run(query, rows=batch)


def _address_rows(relations: KeptRelations) -> Iterator[Row]:
    for one in relations.addresses:
        yield {"address": one.address, "position": one.position, "node": one.node}


def _stub_row(stub: KeptStub) -> Row:
    return {
        "id": f"stub:{stub.id_hash}",
        "properties": {
            "id_hash": stub.id_hash,
            "source_hash": stub.source_hash,
            "content_hash": stub.content_hash,
            "inputs_hash": stub.inputs_hash,
            "folder_hashes": list(stub.folder_hashes),
            "sensitivity": stub.label,
            "labelled_at": stub.labelled_at,
            "is_stated": stub.is_stated,
        },
    }
