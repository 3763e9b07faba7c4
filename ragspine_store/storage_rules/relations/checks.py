"""What writers of relations refuse, and what they make fit to be kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ragspine_store.errors import RelationError
from ragspine_store.relations import (
    REFERS_TO,
    RESERVED_KINDS,
    ChunkRange,
    DocumentRelations,
    EdgeKey,
    ModelRelations,
    Provenance,
    Reference,
    Rejection,
    Relation,
    Verdict,
)
from ragspine_store.sealed import Screened, unseal_screened
from ragspine_store.storage_rules.stub_key import Name
from ragspine_store.storage_rules.texts import can_be_stored


def check_profile_relations(relations: Sequence[Screened[Relation]]) -> list[Relation]:
    """What `put_profile_relations` is given, opened.

    Raises:
        RelationError: a relation is not controlled, or names children.
    """
    opened = [unseal_screened(screened) for screened in relations]
    for relation in opened:
        _check_storable(relation, frozenset({Provenance.CONTROLLED}), "put_profile_relations")
        if relation.evidence.chunks is not None:
            raise RelationError(
                "a relation of the profile that stands in a document's children; expected one "
                "without: children's relations go to put_document_relations"
            )
    return opened


def check_document_relations(found: DocumentRelations) -> list[Relation]:
    """The relations that rules found in a document, opened.

    Raises:
        RelationError: a relation is a model's or a reference, or evidence names another document.
    """
    relations = [unseal_screened(screened) for screened in found.relations]
    rules = frozenset({Provenance.CONTROLLED, Provenance.RULE})
    for relation in relations:
        _check_storable(relation, rules, "put_document_relations")
        if relation.kind == REFERS_TO:
            raise RelationError(
                f"a relation of kind {REFERS_TO} given; expected a Reference, which is "
                "resolved at each read"
            )
    _check_lineage(found.doc_id, [*relations, *found.rejections, *found.references])
    return relations


def check_model_relations(found: ModelRelations) -> list[Relation]:
    """The relations of a model's answer, opened.

    Raises:
        RelationError: a relation is not a model's, or of a kind that rules own, or evidence names
            another document, model or prompt.
    """
    relations = [unseal_screened(screened) for screened in found.relations]
    for relation in relations:
        _check_storable(relation, frozenset({Provenance.MODEL}), "put_model_relations")
        if relation.kind in RESERVED_KINDS:
            raise RelationError(
                f"a model's relation of kind {relation.kind} given; expected a kind that "
                "profile and rules do not own"
            )
        lineage = (relation.evidence.model, relation.evidence.prompt)
        if relation.evidence.chunks is None or lineage != (found.model, found.prompt):
            raise RelationError(
                "a model's relation without children, or of another model or prompt than the "
                "answer; expected the lineage of the answer"
            )
    _check_lineage(found.doc_id, [*relations, *found.rejections])
    return relations


def check_verdict(verdict: Verdict, reviewer: str, note: str) -> None:
    """Refuse a verdict that decides nothing, or that nobody gave.

    Raises:
        RelationError: the verdict is unverified, or the reviewer is blank.
    """
    if verdict is Verdict.UNVERIFIED:
        raise RelationError("verdict unverified given; expected verified or rejected")
    if not reviewer.strip() or not can_be_stored(reviewer + note):
        raise RelationError("a reviewer without a name, or text that is not valid Unicode, given")


def reach_of(found: ModelRelations) -> ChunkRange:
    """The children that an answer is about."""
    ranges = [ChunkRange(found.seq, found.seq)]
    ranges += [
        chunks
        for one in (*map(unseal_screened, found.relations), *found.rejections)
        if (chunks := one.evidence.chunks) is not None
    ]
    return ChunkRange(min(r.first for r in ranges), max(r.last for r in ranges))


def model_rejections(found: ModelRelations) -> list[Rejection]:
    """What was stopped of a model's answer, with the answer's lineage."""
    return [
        replace(r, evidence=replace(r.evidence, model=found.model, prompt=found.prompt))
        for r in found.rejections
    ]


def storable_rejection(rejection: Rejection) -> Rejection:
    """A rejection as it is kept: what a model proposed may be anything, even no Unicode."""
    evidence = rejection.evidence
    return Rejection(
        rule=_storable(rejection.rule),
        reason=_storable(rejection.reason),
        source=_storable(rejection.source),
        kind=_storable(rejection.kind),
        target=_storable(rejection.target),
        quote=_storable(rejection.quote),
        evidence=replace(
            evidence,
            quote=_storable(evidence.quote),
            source_name=_storable(evidence.source_name),
            target_name=_storable(evidence.target_name),
        ),
    )


def edge_hash(key: EdgeKey, name: Name) -> str:
    """What the verdict log calls an edge; '' for one that nobody gives a verdict on."""
    if key.provenance is not Provenance.MODEL:
        return ""
    return name("\0".join((key.kind, key.source, key.target)))


def _check_storable(relation: Relation, provenances: frozenset[Provenance], writer: str) -> None:
    if relation.provenance not in provenances:
        raise RelationError(
            f"a relation of provenance {relation.provenance.value} given to {writer}; expected "
            f"{' or '.join(sorted(p.value for p in provenances))}"
        )
    texts = (*relation.key[:3], relation.evidence.locator, relation.evidence.quote)
    if not all(map(can_be_stored, texts)):
        raise RelationError(
            f"a relation given to {writer} holds an unpaired surrogate; expected valid Unicode"
        )


def _check_lineage(doc_id: str, found: Iterable[Relation | Rejection | Reference]) -> None:
    for one in found:
        if one.evidence.doc_id != doc_id:
            raise RelationError(
                f"evidence of document {one.evidence.doc_id!r} given as found in {doc_id!r}; "
                "expected the document itself"
            )


def _storable(text: str) -> str:
    return text if can_be_stored(text) else ""
