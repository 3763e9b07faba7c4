"""From the answers about a document to its edges: grounded, screened, bounded, written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ragspine_graph.extraction.llm import EdgeBound, LLMRelationExtractor
from ragspine_graph.extraction.screening import ExtractionScreen
from ragspine_graph.security.gate import SecurityGate
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.protocols import Store
from ragspine_store.relations import Answer, EdgeKey, ModelRelations
from ragspine_store.retrying import retried
from ragspine_store.sealed import Cleared, unseal, unseal_screened


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
        screen = ExtractionScreen(self._gate, document)
        bound = EdgeBound(self._extractor.max_relations)
        for chunk in document.chunks:
            answer = answers.get(chunk.seq)
            if answer is None:
                continue
            screened = screen.screen(reader.read(chunk, answer))
            found = ModelRelations(
                document.doc_id,
                chunk.seq,
                document.version,
                self._extractor.model,
                self._extractor.prompt,
                [each for each in screened.relations if bound.admits(unseal_screened(each).key)],
                screened.rejections,
            )
            self._count(found, is_written=self._put(found))
        self.left_out += bound.left_out

    @retried
    def _put(self, found: ModelRelations) -> bool:
        with self._store.writing() as transaction:
            return transaction.put_model_relations(found)

    def _count(self, found: ModelRelations, *, is_written: bool) -> None:
        if not is_written:
            self.outdated += 1
            return
        self.relations += len(found.relations)
        self.edges.update(unseal_screened(relation).key for relation in found.relations)
        self.rejected.update(rejection.rule for rejection in found.rejections)
