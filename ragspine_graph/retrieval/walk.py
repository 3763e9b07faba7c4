"""A walk of one step from the best children along the relation graph, scored by the question.

What a passage lacks often stands in another that it names. So from each of the best children
(seeds) the walk goes to the documents whose title it mentions and to the parts that it refers to,
and asks how much of the rest of the question (without the words of the seed's title) stands near
the mention and in what is reached:

    walk(seed → child) = strength(seed) · (BASE + share near the mention)
                         · (1 + share in the child) / documents of that title

    score(child) = own score + GAIN · best score · best walk to it

A document that the question itself names gets a share of the best score too. Ranks would not do: a
child that is reached has no lexical score of its own (docs/adr/0028-walk-by-question.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ragspine_graph.retrieval.greedy import POOL, pick
from ragspine_graph.retrieval.names_in import Name, names_in
from ragspine_graph.retrieval.residual import Residual, words_of
from ragspine_graph.retrieval.retriever import Question
from ragspine_graph.retrieval.via import Step
from ragspine_graph.security.exits import clear_children
from ragspine_store.links import Seed
from ragspine_store.protocols import Candidate, Links, Scope, StoreReader
from ragspine_store.relations import MENTIONS, REFERS_TO, EdgeKey, Provenance
from ragspine_store.sealed import Cleared

# All measured on en_2wiki and en_hotpot; docs/search.md has what each is worth.
SEEDS = 5
BASE = 0.3
NEAR = 60
GAIN = 2.0
NAMED = 0.8

QUESTION = "question"
"""Where a path begins that begins in the question itself."""


class Walked(NamedTuple):
    """The children after a walk.

    Attributes:
        children: best first, with their new scores.
        via: by key, how a child was reached that its own words would not have brought there.
    """

    children: list[Cleared[Candidate]]
    via: Mapping[int, tuple[Step, ...]]


class _Reach(NamedTuple):
    """How strongly a child is reached, and how."""

    worth: float
    via: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """From the best children to those that they name."""

    def extend(
        self,
        transaction: StoreReader,
        question: Question,
        scope: Scope,
        children: Sequence[Cleared[Candidate]],
    ) -> Walked:
        """The children and those that they lead to, best first.

        Where nothing leads anywhere the children stay as they are.

        Args:
            transaction: a read transaction.
            question: what is asked.
            scope: for whom, and what may be found.
            children: what was found, best first; they passed the link exit.
        """
        seeds = [child.value for child in children[:SEEDS]]
        asked_names = names_in(question.text, is_question=True)
        named = {seed.key: names_in(seed.chunk.text) for seed in seeds}
        keys = {name.key for names in (asked_names, *named.values()) for name in names}
        links = transaction.links(
            keys, [Seed(seed.chunk.doc_id, seed.chunk.seq) for seed in seeds], scope
        )
        cleared = {c.value.key: c for c in clear_children(links.children.values(), scope.reader)}
        if not cleared:
            return Walked(list(children), {})
        steps = _Steps(links, {key: child.value for key, child in cleared.items()}, question)
        pool = {**cleared, **{child.value.key: child for child in children}}
        scores = {child.value.key: child.value.score for child in children}
        best = max(scores.values(), default=0.0) or 1.0
        via: dict[int, tuple[Step, ...]] = {}
        _add(scores, via, steps.from_question(asked_names), NAMED * best)
        best = max(scores.values(), default=best)
        reached: dict[int, _Reach] = {}
        for seed in seeds:
            strength = scores[seed.key] / best
            for key, step in steps.from_seed(seed, named[seed.key]):
                worth = strength * step.worth
                if key not in reached or worth > reached[key].worth:
                    reached[key] = _Reach(worth, step.via)
        _add(scores, via, reached.items(), GAIN * best)
        return _ranked(pool, scores, via, steps)


class _Steps:
    """What can be reached in one step, by key, each with its worth.

    Of a part that is reached, the child that answers most of what is left stands for it.
    """

    def __init__(self, links: Links, children: Mapping[int, Candidate], question: Question) -> None:
        self._links = links
        self._children = children
        self.asked = Residual.of(question.query)
        self._words: dict[int, frozenset[str]] = {}

    def words(self, child: Candidate) -> frozenset[str]:
        """The words of a child and of its document's title."""
        if child.key not in self._words:
            self._words[child.key] = words_of(child.chunk.title, child.chunk.text)
        return self._words[child.key]

    def from_question(self, names: Sequence[Name]) -> Iterator[tuple[int, _Reach]]:
        """Children of the documents that the question names."""
        for name in self._known(names):
            titled = self._links.titled[name.key]
            for document in titled:
                if found := self._best(document.children, self.asked):
                    step = Step(QUESTION, MENTIONS, "", f"document:{document.doc_id}")
                    yield found[0], _Reach(1 / len(titled), (step,))

    def from_seed(self, seed: Candidate, names: Sequence[Name]) -> Iterator[tuple[int, _Reach]]:
        """Children that a seed leads to by the names in it and the references."""
        chunk = seed.chunk
        left = self.asked.without(words_of(chunk.title))
        for name in self._known(names):
            titled = self._links.titled[name.key]
            if any(document.doc_id == chunk.doc_id for document in titled):
                continue
            near = left.share(_near(chunk.text, *name.span))
            for document in titled:
                if found := self._best(document.children, left):
                    step = Step(
                        f"child:{chunk.chunk_id}", MENTIONS, "", f"document:{document.doc_id}"
                    )
                    yield found[0], _Reach((BASE + near) * (1 + found[1]) / len(titled), (step,))
        for referred in self._links.referred:
            if referred.seed != (chunk.doc_id, chunk.seq):
                continue
            others = [key for key in referred.children if key != seed.key]
            if found := self._best(others, left):
                start = seed.span.start if seed.span else 0
                at = referred.span
                near = left.share(
                    _near(chunk.text, at.start - start, at.end - start)
                    if at
                    else words_of(chunk.text)
                )
                key = EdgeKey(referred.source, REFERS_TO, referred.target, Provenance.RULE)
                step = Step(referred.source, REFERS_TO, key.edge_id, referred.target)
                yield found[0], _Reach((BASE + near) * (1 + found[1]), (step,))

    def _known(self, names: Sequence[Name]) -> Iterator[Name]:
        """Names that something bears, from left to right, of those that overlap the longest."""
        end = 0
        for name in names:
            if name.span.start >= end and name.key in self._links.titled:
                end = name.span.end
                yield name

    def _best(self, keys: Iterable[int], left: Residual) -> tuple[int, float] | None:
        """The child that answers most, and which share; of equal ones the first."""
        shares = [
            (key, left.share(self.words(self._children[key])))
            for key in keys
            if key in self._children
        ]
        return max(shares, key=lambda found: found[1], default=None)


def _near(text: str, start: int, end: int) -> frozenset[str]:
    return words_of(text[max(0, start - NEAR) : start], text[end : end + NEAR])


def _add(
    scores: dict[int, float],
    via: dict[int, tuple[Step, ...]],
    reached: Iterable[tuple[int, _Reach]],
    scale: float,
) -> None:
    for key, reach in reached:
        scores[key] = scores.get(key, 0.0) + scale * reach.worth
        via[key] = (*via.get(key, ()), *reach.via)


def _ranked(
    pool: Mapping[int, Cleared[Candidate]],
    scores: Mapping[int, float],
    via: Mapping[int, tuple[Step, ...]],
    steps: _Steps,
) -> Walked:
    def place(key: int) -> tuple[float, str, int]:
        chunk = pool[key].value.chunk
        return -scores[key], chunk.doc_id, chunk.seq

    ranked = sorted(scores, key=place)
    words = {key: steps.words(pool[key].value) for key in ranked[:POOL]}
    picked = pick(ranked, scores, words, steps.asked)
    return Walked(
        [pool[key].map(lambda c, s=score: replace(c, score=s)) for key, score in picked.items()],
        via,
    )
