"""From what is found in a document to what may be written: lineage, then the gate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragspine_graph.extraction.protocol import Extraction
from ragspine_graph.security.gate import SecurityGate
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.relations import Evidence, Provenance, Rejection, Relation
from ragspine_store.sealed import Screened


@dataclass(frozen=True, slots=True)
class ScreenedRelations:
    """What the gate left.

    Attributes:
        relations: those that passed, in their order.
        rejections: the extractor's own, and those that did not pass.
        left_out: as in `Extraction`.
    """

    relations: tuple[Screened[Relation], ...]
    rejections: tuple[Rejection, ...]
    left_out: int = 0


def screen_stated(gate: SecurityGate, relations: Iterable[Relation]) -> ScreenedRelations:
    """Screen what profile, facts and metadata state."""
    return _sort(map(gate.screen_controlled, relations))


class ExtractionScreen:
    """Screens what extractors find in one document, whoever wrote them.

    A relation whose evidence does not stand in this document, in children that the extractor was
    given and with nothing withheld between them, is rejected by the rule `foreign-lineage`; one
    that claims to be controlled, or a model's without its name, by `not-extracted`. Such a
    rejection keeps no text.

    Args:
        gate: screens every relation.
        source: the document.
    """

    def __init__(self, gate: SecurityGate, source: RelationSource) -> None:
        self._gate = gate
        self._doc_id = source.doc_id
        # For each child the number of its run of children that follow one upon the other.
        self._runs = {chunk.seq: chunk.seq - no for no, chunk in enumerate(source.chunks)}

    def screen(self, extraction: Extraction) -> ScreenedRelations:
        """What is left of an extraction."""
        own = [
            rejection if self._holds(rejection.evidence) else self._foreign(rejection.rule)
            for rejection in extraction.rejections
        ]
        screened = _sort(map(self._screen_relation, extraction.relations))
        return ScreenedRelations(
            screened.relations, (*own, *screened.rejections), extraction.left_out
        )

    def _screen_relation(self, relation: Relation) -> Screened[Relation] | Rejection:
        if not _is_extracted(relation):
            reason = "what is extracted is rule-made, or a model's that is named"
            return self._without_text("not-extracted", reason)
        if not self._holds(relation.evidence):
            return self._foreign("foreign-lineage")
        return self._gate.screen(relation)

    def _holds(self, evidence: Evidence) -> bool:
        if evidence.doc_id != self._doc_id or evidence.chunks is None:
            return False
        (first, last), runs = evidence.chunks, self._runs
        return first <= last and first in runs and runs[first] == runs.get(last)

    def _foreign(self, rule: str) -> Rejection:
        return self._without_text(rule, "its evidence is not in the document")

    def _without_text(self, rule: str, reason: str) -> Rejection:
        return Rejection(rule, reason, "", "", "", "", Evidence(self._doc_id, self._doc_id))


def _sort(outcomes: Iterable[Screened[Relation] | Rejection]) -> ScreenedRelations:
    """Outcomes of screening, those that passed apart from those that did not."""
    passed: list[Screened[Relation]] = []
    stopped: list[Rejection] = []
    for outcome in outcomes:
        if isinstance(outcome, Rejection):
            stopped.append(outcome)
        else:
            passed.append(outcome)
    return ScreenedRelations(tuple(passed), tuple(stopped))


def _is_extracted(relation: Relation) -> bool:
    by_model = relation.provenance is Provenance.MODEL
    return relation.provenance is Provenance.RULE or (by_model and relation.evidence.model != "")
