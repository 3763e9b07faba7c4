"""From a question to the best children: arms, fusion, and a walk from what they found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragspine_graph.embedding.coverage import Coverage
from ragspine_graph.embedding.protocol import Embedder, Vector
from ragspine_graph.embedding.texts import stored_model
from ragspine_graph.errors import ProviderError
from ragspine_graph.retrieval import narrative_link
from ragspine_graph.retrieval.addresses import ADDRESS, lifted_by_article
from ragspine_graph.retrieval.fusion import SCALED_OVER, Fuse, Ranking, weighted_sum
from ragspine_graph.retrieval.question_reader import QuestionReader
from ragspine_graph.retrieval.retriever import LEXICAL, LexicalRetriever, Question, Retriever
from ragspine_graph.retrieval.snippet import Mark, Scores
from ragspine_graph.retrieval.via import Step
from ragspine_graph.retrieval.walk import Walk
from ragspine_graph.retrieval.words_held import share_held, weight_of_vectors
from ragspine_store.protocols import Candidate, Scope, StoreReader
from ragspine_store.records import Hit
from ragspine_store.sealed import Cleared

# How many of the best of each arm are fused.
ARM_DEPTH = SCALED_OVER
# How many of the best of a single arm a walk weighs against what it reaches.
WALK_DEPTH = 20

# Chosen on questions about statutes; those about company rules are indifferent to them.
ADDRESS_WEIGHT = 0.5
ARTICLE_WEIGHT = 0.4


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
        reader: reads questions.
        addresses: finds what stands at an address that a question names, and how much that counts
            beside the best of all other arms; None for nothing.
        article_weight: how far a child's score is drawn to that of the best child of its article.
        walk: goes on from what they found; None stays there.
    """

    arms: Sequence[Arm] = (Arm(LexicalRetriever()),)
    fuse: Fuse = weighted_sum
    embedders: Sequence[Embedder] = ()
    coverage: Coverage = field(default_factory=lambda: Coverage(()))
    reader: QuestionReader = field(default_factory=QuestionReader)
    addresses: Arm | None = None
    article_weight: float = 0.0
    walk: Walk | None = None

    def ask(self, text: str) -> Question:
        """The question as the arms need it.

        An embedder that fails leaves it to the others, and a note says so.

        Raises:
            QueryError: nothing searchable in it, or it is too long.
        """
        question = self.reader.read(text)
        vectors: dict[str, Vector] = {}
        notes: list[str] = []
        for embedder in self.embedders:
            try:
                vectors[stored_model(embedder)] = embedder.embed_question(question.expanded or text)
            except ProviderError as error:
                notes.append(f"found without the vectors of {embedder.name}: {error}")
        return replace(question, vectors=vectors, notes=tuple(notes))

    def find(self, transaction: StoreReader, question: Question, scope: Scope, k: int) -> Findings:
        """The k best children inside the scope that pass the link exit, best first.

        Equal scores order by document id, then position.

        Raises:
            NotEmbeddedError: the store lacks vectors of an embedder.
        """
        self.coverage.check(transaction)
        weighed = self._depth(question) or k
        named = self._rank(transaction, question, scope, max(k, weighed))
        rankings = list(named.values())
        by_arm = _scores_by_arm(named, weighed)
        if len(self.arms) == 1:
            hits = list(rankings[0].hits[:weighed])
        else:
            best = [Ranking(weight, hits[:weighed]) for weight, hits in rankings]
            hits = [Hit(*scored) for scored in self.fuse(best).items()]
        if self.addresses is not None and question.addresses:
            hits = _with_addresses(self.addresses, transaction, question, scope, hits, by_arm)
        rest = _behind(rankings, weighed, {hit.key for hit in hits})
        linked = narrative_link.link(transaction, [*hits, *rest], scope.reader)
        behind = {hit.key for hit in rest}
        if behind:
            whole = _scores_by_arm(named, None)
            by_arm.update({key: whole[key] for key in behind})
        children = [child for child in linked if child.value.key not in behind]
        if self.article_weight:
            children = _lifted(children, self.article_weight)
        children.sort(key=_place)
        via: Mapping[int, tuple[Step, ...]] = {}
        if self.walk is not None:
            children, via = self.walk.extend(transaction, question, scope, children)
        if behind:
            seen = {child.value.key for child in children}
            children += [c for c in linked if c.value.key in behind - seen]
        found = children[:k]
        return Findings(
            found,
            {
                c.value.key: Mark(
                    _scores(by_arm.get(c.value.key, {}), c.value.score), via.get(c.value.key, ())
                )
                for c in found
            },
            question.notes,
        )

    def _depth(self, question: Question) -> int:
        """How many hits are weighed against each other, however many are asked for; 0 for all.

        So that asking for more moves none of the first.
        """
        if len(self.arms) > 1 or self.article_weight or question.addresses:
            return ARM_DEPTH
        return WALK_DEPTH if self.walk else 0

    def _rank(
        self, transaction: StoreReader, question: Question, scope: Scope, depth: int
    ) -> dict[str, Ranking]:
        """What each arm finds, by its name.

        Vectors count the less the more the best hit by words holds.
        """
        rankings: dict[str, Ranking] = {}
        left = 1.0
        for retriever, weight in ((arm.retriever, arm.weight * left) for arm in self.arms):
            if not weight:
                continue
            hits = retriever.find(transaction, question, scope, depth)
            if retriever.name == LEXICAL and len(self.arms) > 1:
                best = narrative_link.link(transaction, hits[:1], scope.reader)
                shares = [share_held(question.query, child.value) for child in best]
                left = weight_of_vectors(max(shares, default=0.0))
            rankings[retriever.name] = Ranking(weight, hits)
        return rankings


def _scores_by_arm(
    rankings: Mapping[str, Ranking], depth: int | None
) -> defaultdict[int, dict[str, float]]:
    """The scores of each child by arm, of so many of its best."""
    by_arm: defaultdict[int, dict[str, float]] = defaultdict(dict)
    for name, (_, hits) in rankings.items():
        for key, score in hits[:depth]:
            by_arm[key][name] = score
    return by_arm


def _behind(rankings: Sequence[Ranking], weighed: int, seen: Collection[int]) -> list[Hit]:
    """What stands behind all that was weighed, as its arm ranks it."""
    found: dict[int, Hit] = {}
    for _, hits in rankings:
        for key, score in hits[weighed:]:
            found.setdefault(key, Hit(key, score if len(rankings) == 1 else 0.0))
    return [hit for key, hit in found.items() if key not in seen]


def _with_addresses(
    arm: Arm,
    transaction: StoreReader,
    question: Question,
    scope: Scope,
    hits: list[Hit],
    by_arm: dict[int, dict[str, float]],
) -> list[Hit]:
    """The hits, and what stands at an address of the question, lifted by as much as that counts.

    What it counts is measured in the distance from the best hit to the last, so that it is the same
    beside any ranking.
    """
    scores = dict(hits)
    last = min(scores.values(), default=0.0)
    unit = max(scores.values(), default=1.0) - last or 1.0
    for key, share in arm.retriever.find(transaction, question, scope, ARM_DEPTH):
        scores[key] = scores.get(key, last) + arm.weight * share * unit
        by_arm.setdefault(key, {})[arm.retriever.name] = share
    return [Hit(*scored) for scored in scores.items()]


def _lifted(children: list[Cleared[Candidate]], weight: float) -> list[Cleared[Candidate]]:
    scores = lifted_by_article([child.value for child in children], weight)
    return [child.map(lambda c: replace(c, score=scores[c.key])) for child in children]


def _place(child: Cleared[Candidate]) -> tuple[float, str, int]:
    candidate = child.value
    return -candidate.score, candidate.chunk.doc_id, candidate.chunk.seq


def _scores(by_arm: Mapping[str, float], fused: float) -> Scores:
    cosines = [score for name, score in by_arm.items() if name not in (LEXICAL, ADDRESS)]
    return Scores(bm25=by_arm.get(LEXICAL), vector=max(cosines, default=None), fused=fused)
