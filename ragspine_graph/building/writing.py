"""Keeping in a store what one call of `build_relation_graph` finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragspine_graph.building.finding import FoundRelations, find_relations
from ragspine_graph.extraction.protocol import RelationExtractor
from ragspine_graph.facts import Fact
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_graph.security.exits import clear_source
from ragspine_graph.security.gate import SecurityGate
from ragspine_store.protocols import Store
from ragspine_store.relations import (
    DocumentRelations,
    Evidence,
    ModelRelations,
    Node,
    Provenance,
    Rejection,
    Relation,
)
from ragspine_store.retrying import retried
from ragspine_store.sealed import Screened, unseal, unseal_screened
from ragspine_store.sensitivity import Reader


def visible_facts(store: Store, facts: Iterable[Fact]) -> list[Fact]:
    """The facts whose documents are in the store and not RESTRICTED."""
    with store.reading() as transaction:
        visible = {state.doc_id for state in transaction.relation_states()}
    return [fact for fact in facts if fact.source_doc_id in visible]


def write_relations(
    store: Store,
    nodes: ProfileNodes,
    gate: SecurityGate,
    stated: Sequence[Screened[Relation]],
    doc_ids: Iterable[str],
    extractor: RelationExtractor | None,
) -> list[tuple[Node, Sequence[Screened[Relation]]]]:
    """Find the relations of documents and keep them, with what profile and facts state.

    All is kept in one transaction. A document that is gone, was changed or became RESTRICTED while
    an extractor was at work is left out (promise G3).

    Returns:
        The documents that were kept, with their relations.
    """
    found: list[FoundRelations] = []
    for doc_id in doc_ids:
        with store.reading() as transaction:
            view = transaction.find_document(doc_id)
        source = clear_source(view, Reader()) if view else None
        if source is not None:
            extracted = [extractor.extract(source)] if extractor else []
            found.append(find_relations(nodes, gate, unseal(source), extracted))
    kept = _write(store, stated, found)
    store.erase()
    return kept


@retried
def _write(
    store: Store, stated: Sequence[Screened[Relation]], found: Iterable[FoundRelations]
) -> list[tuple[Node, Sequence[Screened[Relation]]]]:
    kept: list[tuple[Node, Sequence[Screened[Relation]]]] = []
    with store.writing() as transaction:
        transaction.put_profile_relations(stated)
        for each in found:
            if transaction.put_document_relations(_by_rules(each)):
                kept.append((each.document, each.relations))
                for answer in _by_model(each):
                    transaction.put_model_relations(answer)
    return kept


def _by_rules(found: FoundRelations) -> DocumentRelations:
    # The relations of a whole build hold more, references above all: so no fingerprint, and the
    # next build makes them anew.
    return DocumentRelations(
        found.document.key,
        found.version,
        rules="",
        relations=[each for each in found.relations if not _is_of_model(each)],
        rejections=[each for each in found.rejections if not each.evidence.model],
    )


def _by_model(found: FoundRelations) -> list[ModelRelations]:
    relations: dict[tuple[int, str, str], list[Screened[Relation]]] = {}
    rejections: dict[tuple[int, str, str], list[Rejection]] = {}
    for screened in found.relations:
        if _is_of_model(screened):
            key = _answer(unseal_screened(screened).evidence)
            relations.setdefault(key, []).append(screened)
    for rejection in found.rejections:
        if rejection.evidence.model:
            rejections.setdefault(_answer(rejection.evidence), []).append(rejection)
    return [
        ModelRelations(
            found.document.key,
            seq,
            found.version,
            model,
            prompt,
            relations.get((seq, model, prompt), ()),
            rejections.get((seq, model, prompt), ()),
        )
        for seq, model, prompt in sorted({*relations, *rejections})
    ]


def _answer(evidence: Evidence) -> tuple[int, str, str]:
    seq = evidence.chunks.first if evidence.chunks else 0
    return seq, evidence.model, evidence.prompt


def _is_of_model(screened: Screened[Relation]) -> bool:
    return unseal_screened(screened).provenance is Provenance.MODEL
