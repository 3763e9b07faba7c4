"""From a question to the best children: arms, fusion, and a walk from what they found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragspine_graph.retrieval import narrative_link
from ragspine_graph.retrieval.fusion import Fuse, Ranking, weighted_sum
from ragspine_graph.retrieval.retriever import LEXICAL, LexicalRetriever, Question, Retriever
from ragspine_graph.retrieval.snippet import Mark, Scores, Step
from ragspine_graph.retrieval.walk import Walk
from ragspine_store.protocols import Candidate, Scope, StoreReader
from ragspine_store.query import parse_query
from ragspine_store.records import Hit
from ragspine_store.sealed import Cleared

# How many of the best of each arm are fused.
ARM_DEPTH = 50
# How many of the best of a single arm a walk weighs against what it reaches.
WALK_DEPTH = 20


@dataclass(frozen=True, slots=True)
class Arm:
    """A retriever and how much it counts beside the others."""

    retriever: Retriever
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Findings:
    """The best children, best first, and why each was found, by its key."""

    children: list[Cleared[Candidate]]
    marks: Mapping[int, Mark]


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds the best children for a question.

    Attributes:
        arms: each finds children in its own way; the scores of a single arm stay as they are.
        fuse: makes one ranking of several.
        walk: goes on from what they found; None stays there.
    """

    arms: Sequence[Arm] = (Arm(LexicalRetriever()),)
    fuse: Fuse = weighted_sum
    walk: Walk | None = None

    def ask(self, text: str) -> Question:
        """The question as the arms need it.

        Raises:
            QueryError: nothing searchable in it, or it is too long.
        """
        return Question(text, parse_query(text))

    def find(self, transaction: StoreReader, question: Question, scope: Scope, k: int) -> Findings:
        """The k best children inside the scope that pass the link exit, best first.

        Equal scores order by document id, then position.
        """
        depth = max(k, self._depth)
        if len(self.arms) == 1:
            hits = self.arms[0].retriever.find(transaction, question, scope, depth)
            by_arm = {hit.key: {self.arms[0].retriever.name: hit.score} for hit in hits}
        else:
            hits, by_arm = self._fused(transaction, question, scope, depth)
        children = narrative_link.link(transaction, hits, scope.reader)
        children.sort(key=_place)
        via: Mapping[int, tuple[Step, ...]] = {}
        if self.walk is not None:
            children, via = self.walk.extend(transaction, question, scope, children)
        found = children[:k]
        return Findings(
            found,
            {
                c.value.key: Mark(
                    _scores(by_arm.get(c.value.key, {}), c.value.score), via.get(c.value.key, ())
                )
                for c in found
            },
        )

    @property
    def _depth(self) -> int:
        if len(self.arms) > 1:
            return ARM_DEPTH
        return WALK_DEPTH if self.walk else 0

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
