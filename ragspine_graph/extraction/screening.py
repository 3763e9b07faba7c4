"""From what an extractor gives to what may be written: lineage, then the gate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragspine_graph.extraction.protocol import Extraction
from ragspine_graph.security.gate import SecurityGate
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.relations import Evidence, Provenance, Rejection, Relation
from ragspine_store.sealed import Screened


@dataclass(frozen=True, slots=True)
class ScreenedExtraction:
    """What is left of an extraction.

    Attributes:
        relations: those that passed, in their order.
        rejections: the extractor's own, and those that did not pass.
        left_out: as in `Extraction`.
    """

    relations: tuple[Screened[Relation], ...]
    rejections: tuple[Rejection, ...]
    left_out: int


def screen_stated(gate: SecurityGate, relations: Iterable[Relation]) -> list[Screened[Relation]]:
    """Those that pass of what profile, facts and metadata state."""
    screened = (gate.screen_controlled(relation) for relation in relations)
    return [relation for relation in screened if not isinstance(relation, Rejection)]


def screen_extraction(
    gate: SecurityGate, source: RelationSource, extraction: Extraction
) -> ScreenedExtraction:
    """Screen what an extractor found in a document, whoever wrote the extractor.

    A relation whose evidence does not stand in this document, in children that the extractor was
    given and with nothing withheld between them, is rejected by the rule `foreign-lineage`; one
    that claims to be controlled, or a model's without its name, by `not-extracted`. Such a
    rejection keeps no text.
    """
    runs = _runs(source)
    passed: list[Screened[Relation]] = []
    rejections = [
        rejection
        if _stands_in(rejection.evidence, source.doc_id, runs)
        else _without_text(rejection.rule, "its evidence is not in the document", source)
        for rejection in extraction.rejections
    ]
    for relation in extraction.relations:
        if not _is_extracted(relation):
            reason = "what is extracted is rule-made, or a model's that is named"
            rejections.append(_without_text("not-extracted", reason, source))
        elif not _stands_in(relation.evidence, source.doc_id, runs):
            reason = "its evidence is not in the document"
            rejections.append(_without_text("foreign-lineage", reason, source))
        else:
            screened = gate.screen(relation)
            if isinstance(screened, Rejection):
                rejections.append(screened)
            else:
                passed.append(screened)
    return ScreenedExtraction(tuple(passed), tuple(rejections), extraction.left_out)


def _runs(source: RelationSource) -> dict[int, int]:
    """For each child the number of its run of children that follow one upon the other."""
    return {chunk.seq: chunk.seq - no for no, chunk in enumerate(source.chunks)}


def _stands_in(evidence: Evidence, doc_id: str, runs: dict[int, int]) -> bool:
    if evidence.doc_id != doc_id or evidence.chunks is None:
        return False
    first, last = evidence.chunks
    return first <= last and first in runs and runs[first] == runs.get(last)


def _is_extracted(relation: Relation) -> bool:
    by_model = relation.provenance is Provenance.MODEL
    return relation.provenance is Provenance.RULE or (by_model and relation.evidence.model != "")


def _without_text(rule: str, reason: str, source: RelationSource) -> Rejection:
    return Rejection(rule, reason, "", "", "", "", Evidence(source.doc_id, source.doc_id))
