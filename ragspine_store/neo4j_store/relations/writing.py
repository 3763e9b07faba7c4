"""The write side of the relation graph.

Profile, rules and models each give what they find in place of what they gave before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from ragspine_store.neo4j_store.meta import BUILT_RULES, set_meta
from ragspine_store.neo4j_store.relations.answers import put_answer
from ragspine_store.neo4j_store.relations.changes import RelationChanges
from ragspine_store.neo4j_store.relations.places import chunks_of, span_of
from ragspine_store.neo4j_store.relations.rows import (
    Origin,
    PlacedRelation,
    end_rows,
    evidence_properties,
    place_row,
)
from ragspine_store.neo4j_store.relations.targets import Target, find_target
from ragspine_store.neo4j_store.relations.verdicts import record_verdict
from ragspine_store.neo4j_store.rows import Row, batches
from ragspine_store.neo4j_store.stubs import Stubs
from ragspine_store.neo4j_store.transaction import Opened
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
from ragspine_store.storage_rules.relations.checks import (
    check_document_relations,
    check_model_relations,
    check_profile_relations,
    model_rejections,
    reach_of,
    storable_rejection,
)
from ragspine_store.storage_rules.relations.nodes import OF_A_DOCUMENT, place_of_node


class RelationWriting(ABC):
    """The part of a write transaction that changes the graph.

    Args:
        opened: the open transaction.
        stubs: makes the hashes of the verdict log.
    """

    def __init__(self, opened: Opened, stubs: Stubs) -> None:
        self._opened = opened
        self._stubs = stubs
        self._relations = RelationChanges(opened, stubs.name)

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
        row = self._opened.queries.row("delete_profile_places")
        assert row is not None
        doc_ids = sorted({r.evidence.doc_id for r in opened} - {PROFILE_DOC_ID})
        hidden = {doc_id for doc_id in doc_ids if self._is_restricted(doc_id)}
        # Who sees a fact is noted once its document is looked at.
        levels = {PROFILE_DOC_ID: Sensitivity.PUBLIC}
        placed = [
            PlacedRelation(r, None, levels.get(r.evidence.doc_id, Sensitivity.RESTRICTED))
            for r in opened
            if r.evidence.doc_id not in hidden
        ]
        self._add(placed, Origin.PROFILE, None, None)
        self._relations.drop_unused(row["ids"])
        for doc_id in doc_ids:
            self._relations.show_clearances(doc_id)

    def _is_restricted(self, doc_id: str) -> bool:
        state = self.find(doc_id)
        return state is not None and state.sensitivity is Sensitivity.RESTRICTED

    def note_build(self, rules: str) -> None:
        """Note with which profile and rules the graph is built from now on, by fingerprint."""
        set_meta(self._opened.queries, BUILT_RULES, rules)

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
        queries = self._opened.queries
        target = find_target(queries, found.doc_id, found.version)
        if target is None:
            return False
        titles = self._relations.titles_of(found.doc_id)
        before = self._relations.clear_rules(found.doc_id)
        self._add(_placed(target, relations), Origin.RULES, None, target.collection)
        self._add_rejections(target, found.rejections, Origin.RULES, None)
        self._add_references(target, found)
        queries.run("note_rules", doc_id=found.doc_id, rules=found.rules)
        self._relations.drop_unused(before)
        self._relations.link([*titles, *found.titles], found.doc_id)
        return True

    def put_model_relations(self, found: ModelRelations) -> bool:
        """What a model's answer about one child came to; returns as `put_document_relations`.

        Evidence that the model gave before for the same child stays the same piece.

        Raises:
            RelationError: a relation is not a model's, or of a kind that rules own, or evidence
                names another document, model or prompt.
        """
        relations = check_model_relations(found)
        queries = self._opened.queries
        target = find_target(queries, found.doc_id, found.version, reach_of(found))
        if target is None or found.seq not in target.open_children:
            return False
        rows = queries.rows(
            "read_answer_places",
            doc_id=found.doc_id,
            seq=found.seq,
            model=found.model,
            prompt=found.prompt,
        )
        before = {_stored_key(row["source"], row["target"], row["place"]): row for row in rows}
        kept = {_given_key(one): one for one in _placed(target, relations)}
        added = [one for key, one in kept.items() if key not in before]
        self._add(added, Origin.MODEL, found.seq, target.collection)
        gone = [row for key, row in before.items() if key not in kept]
        if gone:
            queries.run("delete_places", keys=[row["key"] for row in gone])
            self._relations.drop_unused(
                end for row in gone for end in (row["source"], row["target"])
            )
        child = f"child:{found.doc_id}#c{found.seq}"
        queries.run("delete_answer_rejections", child=child, model=found.model, prompt=found.prompt)
        self._add_rejections(target, model_rejections(found), Origin.MODEL, child)
        return True

    def put_answer(
        self, key: AnswerKey, doc_id: str, seq: int, version: int, answer: Answer
    ) -> bool:
        """Keep a model's answer about a child.

        Returns:
            False, and nothing is kept, when the child is gone, RESTRICTED or of another version
            now, or when the answer is not valid Unicode.
        """
        return put_answer(self._opened.queries, key, doc_id, seq, version, answer)

    def record_verdict(
        self, edge_id: str, verdict: Verdict, *, reviewer: str, note: str
    ) -> VerdictEntry:
        """Append a person's verdict on an edge of a model.

        Raises:
            NotFoundError: no such edge.
            RelationError: the edge is not a model's, or the verdict is none.
        """
        return record_verdict(
            self._opened, self._stubs.name, edge_id, verdict, reviewer=reviewer, note=note
        )

    def _add(
        self,
        relations: Sequence[PlacedRelation],
        origin: Origin,
        seq: int | None,
        collection: str | None,
    ) -> None:
        """Add places that state edges, the nodes at their ends first, all in a fixed order."""
        ends = [
            (node, r.relation.evidence.doc_id)
            for r in relations
            for node in (r.relation.source, r.relation.target)
        ]
        rows = end_rows(ends)
        for batch in batches(row._asdict() for row in rows):
            self._opened.queries.run("merge_ends", rows=batch)
        self._relations.show_terms(row.properties["doc_id"] for row in rows if row.label == "Term")
        self._relations.add_places(
            place_row(one, origin, seq, collection, self._stubs.name) for one in relations
        )
        if any(node.type in OF_A_DOCUMENT for node, _ in ends):
            # The other end may be a part that is not there.
            self._relations.drop_unused(row.id for row in rows)

    def _add_rejections(
        self,
        target: Target,
        rejections: Sequence[Rejection],
        origin: Origin,
        child: str | None,
    ) -> None:
        rows: list[Row] = []
        for one in map(storable_rejection, rejections):
            chunks = target.place(one.evidence)
            if target.is_open(chunks, one.evidence.span):
                rows.append(
                    {
                        "child": child,
                        "properties": {
                            **evidence_properties(one.evidence, chunks, origin, None),
                            "rule": one.rule,
                            "reason": one.reason,
                            "source": one.source,
                            "kind": one.kind,
                            "target": one.target,
                            "proposed_quote": one.quote,
                        },
                    }
                )
        for batch in batches(iter(rows)):
            self._opened.queries.run("create_rejections", rows=batch)

    def _add_references(self, target: Target, found: DocumentRelations) -> None:
        queries, closed = self._opened.queries, target.closed_nodes
        if found.titles:
            queries.run(
                "create_titles", doc_id=found.doc_id, titles=list(dict.fromkeys(found.titles))
            )
        addresses: list[Row] = [
            {"address": one.address, "position": position, "node": one.node.id}
            for position, one in enumerate(found.addresses)
            if one.node.id not in closed
        ]
        for batch in batches(iter(addresses)):
            queries.run("create_addresses", doc_id=found.doc_id, rows=batch)
        references: list[Row] = []
        for one in found.references:
            place_of_node(one.source, found.doc_id)
            chunks = target.place(one.evidence)
            if target.is_open(chunks, one.evidence.span) and one.source.id not in closed:
                references.append(
                    {
                        "source": one.source.id,
                        "properties": {
                            **evidence_properties(one.evidence, chunks, Origin.RULES, None),
                            "source": one.source.id,
                            "title": one.title,
                            "address": one.address,
                            "clearance": int(target.level_of(chunks)),
                            "collection": target.collection,
                        },
                    }
                )
        for batch in batches(iter(references)):
            queries.run("create_references", rows=batch)


def _placed(target: Target, relations: Iterable[Relation]) -> list[PlacedRelation]:
    """The relations that rest on nothing RESTRICTED and name nothing RESTRICTED."""
    found: list[PlacedRelation] = []
    for relation in relations:
        chunks = target.place(relation.evidence)
        is_named = {relation.source.id, relation.target.id} & target.closed_nodes
        if target.is_open(chunks, relation.evidence.span) and not is_named:
            found.append(PlacedRelation(relation, chunks, target.level_of(chunks)))
    return found


_Said = tuple[object, ...]


def _given_key(placed: PlacedRelation) -> _Said:
    """What tells whether a model gave the same piece of evidence before."""
    evidence, key = placed.relation.evidence, placed.relation.key
    return (
        *(key.kind, key.source, key.target, placed.chunks, evidence.span, evidence.locator),
        *(evidence.quote, evidence.source_name, evidence.target_name),
        *(evidence.count, evidence.weight),
    )


def _stored_key(source: str, target: str, place: dict[str, object]) -> _Said:
    return (
        *(place["kind"], source, target, chunks_of(place), span_of(place), place["locator"]),
        *(place["quote"], place["source_name"], place["target_name"]),
        *(place["count"], place["weight"]),
    )
