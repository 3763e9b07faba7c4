"""What the server keeps of the relation graph, as values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragspine_store.kept import (
    KeptAddress,
    KeptAnswer,
    KeptOrigin,
    KeptProfile,
    KeptReference,
    KeptRejection,
    KeptRelation,
    KeptRelations,
    bag,
)
from ragspine_store.neo4j_store.meta import BUILT_RULES, find_meta
from ragspine_store.neo4j_store.relations.answers import answer_node
from ragspine_store.neo4j_store.relations.places import chunks_of, span_of
from ragspine_store.neo4j_store.relations.rows import (
    Origin,
    PlacedRelation,
    PlaceRow,
    evidence_properties,
    place_row,
)
from ragspine_store.neo4j_store.rows import Row
from ragspine_store.neo4j_store.transaction import Queries
from ragspine_store.relations import (
    Answer,
    AnswerKey,
    EdgeKey,
    Evidence,
    Node,
    NodeType,
    Provenance,
    Rejection,
    Relation,
)
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.storage_rules.stub_key import Name

Properties = Mapping[str, Any]  # the driver gives untyped values


def read_relations(queries: Queries, doc_id: str) -> KeptRelations:
    """What the graph keeps of a document."""
    row = queries.row("read_kept_relations", doc_id=doc_id)
    assert row is not None
    derived: Sequence[Properties] = row["derived"]
    return KeptRelations(
        doc_id,
        row["rules"] or "",
        bag(map(_relation, row["places"])),
        bag(one["title"] for one in derived if "Title" in one["labels"]),
        bag(
            KeptAddress(one["address"], one["position"], one["node"])
            for one in derived
            if "Address" in one["labels"]
        ),
        bag(
            KeptReference(one["source"], one["title"], one["address"], _evidence(one))
            for one in derived
            if "Reference" in one["labels"]
        ),
        bag(map(_rejection, (one for one in derived if "Rejection" in one["labels"]))),
        bag(map(_answer, (one for one in derived if "Answer" in one["labels"]))),
    )


def read_profile(queries: Queries) -> KeptProfile:
    """What the graph keeps that is no document's own."""
    row = queries.row("read_kept_profile")
    assert row is not None
    return KeptProfile(
        find_meta(queries, BUILT_RULES) or "",
        bag(map(_relation, row["places"])),
        bag((node, label) for node, label in row["labels"]),
    )


def _relation(place: Properties) -> KeptRelation:
    return KeptRelation(
        EdgeKey(place["source"], place["kind"], place["target"], Provenance(place["provenance"])),
        KeptOrigin(place["origin"]),
        _evidence(place),
        place.get("seq"),
        bool(place.get("stale")),
        place.get("floor") or 0,
        bool(place.get("is_judged")),
    )


def _rejection(stored: Properties) -> KeptRejection:
    return KeptRejection(
        origin=KeptOrigin(stored["origin"]),
        seq=next(iter(stored["answered"]), None),
        rejection=Rejection(
            rule=stored["rule"],
            reason=stored["reason"],
            source=stored["source"],
            kind=stored["kind"],
            target=stored["target"],
            quote=stored["proposed_quote"],
            evidence=_evidence(stored),
        ),
    )


def _answer(stored: Properties) -> KeptAnswer:
    return KeptAnswer(
        AnswerKey(stored["model"], stored["prompt"], stored["chunk"]),
        stored["seq"],
        Answer(stored["text"], stored["input_tokens"], stored["output_tokens"]),
    )


def _evidence(stored: Properties) -> Evidence:
    return Evidence(
        doc_id=stored["doc_id"],
        locator=stored["locator"],
        chunks=chunks_of(stored),
        span=span_of(stored),
        quote=stored["quote"],
        source_name=stored["source_name"],
        target_name=stored["target_name"],
        count=stored["count"],
        weight=float(stored["weight"]),
        model=stored["model"],
        prompt=stored["prompt"],
    )


def ends_of(relations: Iterable[KeptRelation]) -> list[tuple[Node, str]]:
    """The nodes at the ends of relations, each with the document that its evidence stands in."""
    return [
        (node_of(end), one.evidence.doc_id)
        for one in relations
        for end in (one.key.source, one.key.target)
    ]


def node_of(node_id: str, label: str = "") -> Node:
    """A node by its id."""
    type_, _, key = node_id.partition(":")
    return Node(NodeType(type_), key, label)


def kept_place(one: KeptRelation, name: Name) -> PlaceRow:
    """The relationship for one piece of evidence; who sees it is shown by its document."""
    key, evidence = one.key, one.evidence
    relation = Relation(
        node_of(key.source), key.kind, node_of(key.target), key.provenance, evidence
    )
    level = Sensitivity.PUBLIC if one.origin is KeptOrigin.PROFILE else Sensitivity.RESTRICTED
    placed = PlacedRelation(relation, evidence.chunks, level)
    row = place_row(placed, Origin(one.origin.value), one.seq, None, name)
    row.properties.update(stale=one.is_stale, floor=one.floor or None)
    if key.provenance is Provenance.MODEL:
        row.properties["is_judged"] = one.is_judged
    return row


def reference_row(one: KeptReference) -> Row:
    """A reference below the node in which it stands."""
    return {
        "source": one.source,
        "properties": {
            **evidence_properties(one.evidence, one.evidence.chunks, Origin.RULES, None),
            "source": one.source,
            "title": one.title,
            "address": one.address,
        },
    }


def rejection_row(one: KeptRejection) -> Row:
    """A rejection; a model's below the child that it was asked about."""
    rejection, evidence = one.rejection, one.rejection.evidence
    return {
        "child": None if one.seq is None else f"child:{evidence.doc_id}#c{one.seq}",
        "properties": {
            **evidence_properties(evidence, evidence.chunks, Origin(one.origin.value), None),
            "rule": rejection.rule,
            "reason": rejection.reason,
            "source": rejection.source,
            "kind": rejection.kind,
            "target": rejection.target,
            "proposed_quote": rejection.quote,
        },
    }


def answer_row(one: KeptAnswer, doc_id: str) -> Row:
    """A cached answer."""
    return {
        "id": answer_node(one.key),
        "properties": {
            **one.key._asdict(),
            "doc_id": doc_id,
            "seq": one.seq,
            "text": one.answer.text,
            "input_tokens": one.answer.input_tokens,
            "output_tokens": one.answer.output_tokens,
        },
    }
