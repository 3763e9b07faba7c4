"""What an arm of retrieval is: one way to find children for a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ragspine_graph.retrieval.asked_addresses import AskedAddress
from ragspine_store.protocols import Scope, StoreReader
from ragspine_store.query import Query
from ragspine_store.records import Hit
from ragspine_store.vectors import VectorKind

LEXICAL = "bm25"


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the arms need it; made before the read transaction, since models take time.

    Attributes:
        text: as asked.
        query: what it asks the index for.
        vectors: by the name that the store keeps a model's under; without those that were not had.
        notes: what was not had, one sentence each; no document text.
        expanded: the text and the documents' own terms for words in it, which an embedder reads.
        addresses: that it names.
    """

    text: str = field(repr=False)
    query: Query
    vectors: Mapping[str, Sequence[float]] = field(default_factory=dict[str, Sequence[float]])
    notes: tuple[str, ...] = ()
    expanded: str = field(default="", repr=False)
    addresses: Sequence[AskedAddress] = ()


class Retriever(Protocol):
    """One arm. What a reader may not see takes no slot in what it finds."""

    @property
    def name(self) -> str:
        """What it is called in scores."""
        ...

    def find(
        self, transaction: StoreReader, question: Question, scope: Scope, depth: int
    ) -> list[Hit]:
        """The best children inside the scope, best first, in the order of the store's ties.

        Args:
            transaction: a read transaction.
            question: what is asked.
            scope: for whom, and what may be found.
            depth: how many.
        """
        ...


@dataclass(frozen=True, slots=True)
class LexicalRetriever:
    """Words: BM25 over the store's full-text index."""

    @property
    def name(self) -> str:
        """What it is called in scores."""
        return LEXICAL

    def find(
        self, transaction: StoreReader, question: Question, scope: Scope, depth: int
    ) -> list[Hit]:
        """The children whose text and headings fit the words best."""
        return transaction.search(question.query, scope, depth)


@dataclass(frozen=True, slots=True)
class VectorRetriever:
    """Meaning: cosines with the vectors of children, or of their parents.

    Attributes:
        name: what it is called in scores.
        model: the name that the store keeps the vectors under.
        kind: of what; a parent's cosine is that of all its children inside the scope.
    """

    name: str
    model: str
    kind: VectorKind

    def find(
        self, transaction: StoreReader, question: Question, scope: Scope, depth: int
    ) -> list[Hit]:
        """The nearest children, or the children of the nearest parents; none without a vector."""
        vector = question.vectors.get(self.model)
        if vector is None:
            return []
        return transaction.nearest(self.model, vector, self.kind, scope, depth)
