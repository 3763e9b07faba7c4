"""From a question to the best children: arms, fusion, and a walk from what they found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragspine_graph.embedding.coverage import Coverage
from ragspine_graph.embedding.protocol import Embedder, Vector
from ragspine_graph.embedding.texts import stored_model
from ragspine_graph.errors import ProviderError
from ragspine_graph.retrieval import narrative_link
from ragspine_graph.retrieval.fusion import Fuse, Ranking, weighted_sum
from ragspine_graph.retrieval.retriever import LEXICAL, LexicalRetriever, Question, Retriever
from ragspine_graph.retrieval.snippet import Mark, Scores
from ragspine_store.protocols import Candidate, Scope, StoreReader
from ragspine_store.query import parse_query
from ragspine_store.records import Hit
from ragspine_store.sealed import Cleared

# How many of the best of each arm are fused.
ARM_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Arm:
    """A retriever and how much it counts beside the others."""

    retriever: Retriever
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Findings:
    """The best children, best first, and why each was found, by its key.

    Attributes:
        notes: what could not be done on the way, one sentence each; no document text.
    """

    children: list[Cleared[Candidate]]
    marks: Mapping[int, Mark]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds the best children for a question.

    Attributes:
        arms: each finds children in its own way; the scores of a single arm stay as they are.
        fuse: makes one ranking of several.
        embedders: make the vectors of questions that arms ask for.
        coverage: sees that the store can be searched with them.
    """

    arms: Sequence[Arm] = (Arm(LexicalRetriever()),)
    fuse: Fuse = weighted_sum
    embedders: Sequence[Embedder] = ()
    coverage: Coverage = field(default_factory=lambda: Coverage(()))

    def ask(self, text: str) -> Question:
        """The question as the arms need it.

        An embedder that fails leaves it to the others, and a note says so.

        Raises:
            QueryError: nothing searchable in it, or it is too long.
        """
        query = parse_query(text)
        vectors: dict[str, Vector] = {}
        notes: list[str] = []
        for embedder in self.embedders:
            try:
                vectors[stored_model(embedder)] = embedder.embed_question(text)
            except ProviderError as error:
                notes.append(f"found without the vectors of {embedder.name}: {error}")
        return Question(text, query, vectors, tuple(notes))

    def find(self, transaction: StoreReader, question: Question, scope: Scope, k: int) -> Findings:
        """The k best children inside the scope that pass the link exit, best first.

        Equal scores order by document id, then position.

        Raises:
            NotEmbeddedError: the store lacks vectors of an embedder.
        """
        self.coverage.check(transaction)
        if len(self.arms) == 1:
            hits = self.arms[0].retriever.find(transaction, question, scope, k)
            by_arm = {hit.key: {self.arms[0].retriever.name: hit.score} for hit in hits}
        else:
            hits, by_arm = self._fused(transaction, question, scope, max(k, ARM_DEPTH))
        children = narrative_link.link(transaction, hits, scope.reader)
        children.sort(key=_place)
        found = children[:k]
        return Findings(
            found,
            {c.value.key: Mark(_scores(by_arm[c.value.key], c.value.score)) for c in found},
            question.notes,
        )

    def _fused(
        self, transaction: StoreReader, question: Question, scope: Scope, depth: int
    ) -> tuple[list[Hit], dict[int, dict[str, float]]]:
        rankings: list[Ranking] = []
        by_arm: defaultdict[int, dict[str, float]] = defaultdict(dict)
        for retriever, weight in ((arm.retriever, arm.weight) for arm in self.arms):
            hits = retriever.find(transaction, question, scope, depth)
            rankings.append(Ranking(weight, hits))
            for hit in hits:
                by_arm[hit.key][retriever.name] = hit.score
        return [Hit(*scored) for scored in self.fuse(rankings).items()], by_arm


def _place(child: Cleared[Candidate]) -> tuple[float, str, int]:
    candidate = child.value
    return -candidate.score, candidate.chunk.doc_id, candidate.chunk.seq


def _scores(by_arm: Mapping[str, float], fused: float) -> Scores:
    cosines = [score for name, score in by_arm.items() if name != LEXICAL]
    return Scores(bm25=by_arm.get(LEXICAL), vector=max(cosines, default=None), fused=fused)
