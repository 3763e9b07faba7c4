"""The write side of the relation graph.

Profile, rules and models each give what they find in place of what they gave before.
"""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from ragspine_store.records import DocumentState
from ragspine_store.relation_protocols import VerdictEntry
from ragspine_store.relations import (
    PROFILE_DOC_ID,
    Answer,
    AnswerKey,
    DocumentRelations,
    ModelRelations,
    Rejection,
    Relation,
    Verdict,
)
from ragspine_store.sealed import Screened
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.sqlite_store.meta import BUILT_RULES, set_meta
from ragspine_store.sqlite_store.relations.answers import put_answer
from ragspine_store.sqlite_store.relations.cascade import clear_rules, forget_restricted_nodes
from ragspine_store.sqlite_store.relations.rows import (
    PROFILE,
    Origin,
    PlacedRelation,
    add_edges,
    add_evidence,
    add_nodes,
    add_relations,
)
from ragspine_store.sqlite_store.relations.targets import Target, add_document, find_target
from ragspine_store.sqlite_store.relations.verdicts import record_verdict
from ragspine_store.sqlite_store.stubs import StoreStubKey
from ragspine_store.storage_rules.relations.checks import (
    check_document_relations,
    check_model_relations,
    check_profile_relations,
    model_rejections,
    reach_of,
    storable_rejection,
)

# What tells whether a model gave the same piece of evidence before.
_MODEL_EVIDENCE = """
SELECT v.no, e.kind, e.source, e.target, v.chunk_first, v.chunk_last, v.span_start, v.span_end,
    v.locator, v.quote, v.source_name, v.target_name, v.count, v.weight
FROM relation_evidence v JOIN relation_edge e ON e.no = v.edge
WHERE v.doc = ? AND v.origin = ? AND v.seq = ? AND v.model = ? AND v.prompt = ?
"""

_DELETE_REJECTIONS = """
DELETE FROM relation_evidence
WHERE edge IS NULL AND doc = ? AND origin = ? AND seq = ? AND model = ? AND prompt = ?
"""


class RelationWriting(ABC):
    """The part of a write transaction that changes the graph.

    Args:
        db: a connection inside a write transaction.
        stub_key: makes the hashes of the verdict log.
    """

    def __init__(self, db: sqlite3.Connection, stub_key: StoreStubKey) -> None:
        self._db = db
        self._stub_key = stub_key

    @abstractmethod
    def find(self, doc_id: str) -> DocumentState | None:
        """What is known of a document, stubs included."""

    def put_profile_relations(self, relations: Sequence[Screened[Relation]]) -> None:
        """All that profile and facts say, in place of what they said before.

        What names a RESTRICTED document as its source is left out.

        Raises:
            RelationError: a relation is not controlled, or names children.
        """
        opened = check_profile_relations(relations)
        self._db.execute("DELETE FROM relation_evidence WHERE origin = ?", (Origin.PROFILE,))
        numbers = {doc_id: self._source(doc_id) for doc_id in {r.evidence.doc_id for r in opened}}
        placed = [
            PlacedRelation(r, doc, None)
            for r in opened
            if (doc := numbers[r.evidence.doc_id]) is not None
        ]
        add_edges(self._db, placed, self._name)
        add_relations(self._db, placed, Origin.PROFILE, None)

    def _source(self, doc_id: str) -> int | None:
        """The number of what a fact comes from; None for a RESTRICTED document."""
        if doc_id == PROFILE_DOC_ID:
            return PROFILE
        state = self.find(doc_id)
        if state is not None and state.sensitivity is Sensitivity.RESTRICTED:
            return None
        return add_document(self._db, doc_id)

    def note_build(self, rules: str) -> None:
        """Note with which profile and rules the graph is built from now on, by fingerprint."""
        set_meta(self._db, BUILT_RULES, rules)

    def put_document_relations(self, found: DocumentRelations) -> bool:
        """What rules found in a document, in place of what they found before.

        Returns:
            False, and nothing is written, when the document is gone, RESTRICTED or of another
            version now. What rests on a RESTRICTED part is left out.

        Raises:
            RelationError: a relation is a model's or a reference, or evidence names another
                document.
        """
        relations = check_document_relations(found)
        target = find_target(self._db, found.doc_id, found.version)
        if target is None:
            return False
        clear_rules(self._db, target.doc)
        placed = _placed(target, relations)
        add_edges(self._db, placed, self._name)
        add_relations(self._db, placed, Origin.RULES, None)
        self._add_rejections(target, found.rejections, Origin.RULES, None)
        self._add_references(target, found)
        self._db.execute(
            "UPDATE relation_document SET rules = ? WHERE no = ?", (found.rules, target.doc)
        )
        return True

    def put_model_relations(self, found: ModelRelations) -> bool:
        """What a model's answer about one child came to; returns as `put_document_relations`.

        Evidence that the model gave before for the same child stays the same piece.

        Raises:
            RelationError: a relation is not a model's, or of a kind that rules own, or evidence
                names another document, model or prompt.
        """
        relations = check_model_relations(found)
        target = find_target(self._db, found.doc_id, found.version, reach_of(found))
        if target is None or found.seq not in target.open_children:
            return False
        answer = (target.doc, Origin.MODEL, found.seq, found.model, found.prompt)
        before = {
            tuple(row[1:]): row[0] for row in self._db.execute(_MODEL_EVIDENCE, answer).fetchall()
        }
        placed = _placed(target, relations)
        kept = {_evidence_key(one): one for one in placed}
        add_edges(self._db, placed, self._name)
        added = [one for key, one in kept.items() if key not in before]
        add_relations(self._db, added, Origin.MODEL, found.seq)
        self._db.executemany(
            "DELETE FROM relation_evidence WHERE no = ?",
            [(no,) for key, no in before.items() if key not in kept],
        )
        self._db.execute(_DELETE_REJECTIONS, answer)
        self._add_rejections(target, model_rejections(found), Origin.MODEL, found.seq)
        return True

    def put_answer(
        self, key: AnswerKey, doc_id: str, seq: int, version: int, answer: Answer
    ) -> bool:
        """Keep a model's answer about a child.

        Returns:
            False, and nothing is kept, when the child is gone, RESTRICTED or of another version
            now, or when the answer is not valid Unicode.
        """
        return put_answer(self._db, key, doc_id, seq, version, answer)

    def record_verdict(
        self, edge_id: str, verdict: Verdict, *, reviewer: str, note: str
    ) -> VerdictEntry:
        """Append a person's verdict on an edge of a model.

        Raises:
            NotFoundError: no such edge.
            RelationError: the edge is not a model's, or the verdict is none.
        """
        return record_verdict(self._db, self._name, edge_id, verdict, reviewer=reviewer, note=note)

    def _add_rejections(
        self, target: Target, rejections: Sequence[Rejection], origin: Origin, seq: int | None
    ) -> None:
        for one in map(storable_rejection, rejections):
            chunks = target.place(one.evidence)
            if target.is_open(chunks, one.evidence.span):
                no = add_evidence(self._db, one.evidence, target.doc, origin, seq, chunks)
                self._db.execute(
                    "INSERT INTO relation_rejection (evidence, rule, reason, source, kind, target,"
                    " quote) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (no, one.rule, one.reason, one.source, one.kind, one.target, one.quote),
                )

    def _add_references(self, target: Target, found: DocumentRelations) -> None:
        db = self._db
        db.executemany(
            "INSERT OR IGNORE INTO relation_title (title, doc) VALUES (?, ?)",
            [(title, target.doc) for title in found.titles],
        )
        db.executemany(
            "INSERT INTO relation_address (doc, address, position, node) VALUES (?, ?, ?, ?)",
            [
                (target.doc, address.address, position, address.node.id)
                for position, address in enumerate(found.addresses)
            ],
        )
        add_nodes(db, [(address.node, found.doc_id) for address in found.addresses])
        for reference in found.references:
            chunks = target.place(reference.evidence)
            if not target.is_open(chunks, reference.evidence.span):
                continue
            no = add_evidence(db, reference.evidence, target.doc, Origin.RULES, None, chunks)
            db.execute(
                "INSERT INTO relation_reference (evidence, doc, source, title, address)"
                " VALUES (?, ?, ?, ?, ?)",
                (no, target.doc, reference.source.id, reference.title, reference.address),
            )
        add_nodes(db, [(reference.source, found.doc_id) for reference in found.references])
        forget_restricted_nodes(db, target)

    def _name(self, text: str) -> str:
        return self._stub_key.name(self._db, text)


def _placed(target: Target, relations: Iterable[Relation]) -> list[PlacedRelation]:
    """The relations that rest on nothing RESTRICTED."""
    placed = (PlacedRelation(r, target.doc, target.place(r.evidence)) for r in relations)
    return [one for one in placed if target.is_open(one.chunks, one.relation.evidence.span)]


def _evidence_key(placed: PlacedRelation) -> tuple[object, ...]:
    evidence, key = placed.relation.evidence, placed.relation.key
    return (
        *(key.kind, key.source, key.target),
        *(placed.chunks or (None, None)),
        *(evidence.span or (None, None)),
        *(evidence.locator, evidence.quote, evidence.source_name, evidence.target_name),
        *(evidence.count, evidence.weight),
    )
