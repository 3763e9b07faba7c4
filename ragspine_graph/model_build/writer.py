"""From the answers about a document to its edges: grounded, screened, bounded, written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ragspine_graph.extraction.llm import EdgeBound, LLMRelationExtractor
from ragspine_graph.security.gate import SecurityGate
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.protocols import Store
from ragspine_store.relations import Answer, EdgeKey, ModelRelations, Rejection, Relation
from ragspine_store.sealed import Cleared, Screened, unseal, unseal_screened


class ModelWriter:
    """Writes what a model's answers come to, and counts it.

    Args:
        store: written, in a transaction for each child.
        extractor: reads the answers.
        gate: screens every relation.

    Attributes:
        relations: occurrences written.
        edges: distinct edges among them.
        rejected: what was not written, by rule.
        left_out: distinct edges beyond the bound of their document.
        outdated: children that were changed, withheld or deleted meanwhile.
    """

    def __init__(self, store: Store, extractor: LLMRelationExtractor, gate: SecurityGate) -> None:
        self._store = store
        self._extractor = extractor
        self._gate = gate
        self.relations = 0
        self.edges: set[EdgeKey] = set()
        self.rejected: Counter[str] = Counter()
        self.left_out = 0
        self.outdated = 0

    def write(self, source: Cleared[RelationSource], answers: Mapping[int, Answer]) -> None:
        """Write the relations of one document, child by child in order.

        Args:
            source: the document.
            answers: by `seq` of the child; of a child without one, what was written before stays.
        """
        document = unseal(source)
        reader = self._extractor.reader(source)
        bound = EdgeBound(self._extractor.max_relations)
        for chunk in document.chunks:
            answer = answers.get(chunk.seq)
            if answer is None:
                continue
            read = reader.read(chunk, answer)
            relations, stopped = self._screen(read.relations, bound)
            found = ModelRelations(
                document.doc_id,
                chunk.seq,
                document.version,
                self._extractor.model,
                self._extractor.prompt,
                relations,
                (*read.rejections, *stopped),
            )
            with self._store.writing() as transaction:
                is_written = transaction.put_model_relations(found)
            self._count(found, is_written=is_written)
        self.left_out += bound.left_out

    def _screen(
        self, relations: Sequence[Relation], bound: EdgeBound
    ) -> tuple[list[Screened[Relation]], list[Rejection]]:
        screened: list[Screened[Relation]] = []
        stopped: list[Rejection] = []
        for relation in relations:
            outcome = self._gate.screen(relation)
            if isinstance(outcome, Rejection):
                stopped.append(outcome)
            elif bound.admits(unseal_screened(outcome).key):
                screened.append(outcome)
        return screened, stopped

    def _count(self, found: ModelRelations, *, is_written: bool) -> None:
        if not is_written:
            self.outdated += 1
            return
        self.relations += len(found.relations)
        self.edges.update(unseal_screened(relation).key for relation in found.relations)
        self.rejected.update(rejection.rule for rejection in found.rejections)
