"""Asking a set of questions, and noting where what answers them was found."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ragspine_graph.errors import RequestError
from ragspine_graph.evaluation.measures import ndcg, per_thousand, recall, reciprocal_rank
from ragspine_graph.evaluation.places import Place, Places, place_of
from ragspine_graph.evaluation.questions import Question
from ragspine_graph.evaluation.targets import Target, read_block, target_of
from ragspine_graph.knowledge_base import KnowledgeBase
from ragspine_graph.results import ContextResult, SearchResult
from ragspine_graph.retrieval import Shape, Snippet
from ragspine_graph.retrieval.context import DEFAULT_BUDGET_TOKENS
from ragspine_store.errors import QueryError
from ragspine_store.sensitivity import Reader

DEFAULT_KS = (1, 5, 10)
MAX_K = 1_000
# Hits that are looked through for each of the largest k: several may stand in one article.
HITS_PER_K = 5

Problem = Literal["", "refused", "unsearchable"]


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """How questions are asked.

    Attributes:
        ks: the cut-offs, ascending, each once.
        budget: tokens that a context may take.
        expand: the shape of its blocks.

    Raises:
        RequestError: no cut-off, or one is out of range.
    """

    ks: tuple[int, ...] = DEFAULT_KS
    budget: int = DEFAULT_BUDGET_TOKENS
    expand: Shape = "window"

    def __post_init__(self) -> None:
        ks = tuple(sorted(set(self.ks)))
        if not ks or not 1 <= ks[0] <= ks[-1] <= MAX_K:
            raise RequestError(
                f"k = {', '.join(map(str, ks)) or 'none'} given; expected numbers from 1 to "
                f"{MAX_K:,}"
            )
        object.__setattr__(self, "ks", ks)

    @property
    def depth(self) -> int:
        """How many hits are asked for."""
        return HITS_PER_K * self.ks[-1]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one question. Ranks count from 1; None is not found.

    Attributes:
        question: as asked.
        problem: why nothing was searched; '' when it was.
        ranks: for each gold item, of the first hit that finds it.
        article_ranks: for each article that holds gold, of the first hit in it.
        distinct_article_ranks: the same with each article counted once, however many hits it has.
        is_known: for each gold item, whether it names something that the reader may see.
        whole_items: how many of the question's items stand whole in its context.
        characters: of the context.
        blocks: places of the context's blocks, as far as they can be told.
        hits: child id and locator of each hit, best first.
        notes: what could not be done for its answers, such as reranking.
        search_s, context_s: seconds for a search of this depth, and for a context.
    """

    question: Question
    problem: Problem
    ranks: tuple[int | None, ...]
    article_ranks: tuple[int | None, ...]
    distinct_article_ranks: tuple[int | None, ...]
    is_known: tuple[bool, ...]
    whole_items: int
    characters: int
    blocks: tuple[Place, ...]
    hits: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    search_s: float = field(compare=False)
    context_s: float = field(compare=False)

    def figures(self, ks: Sequence[int]) -> dict[str, float]:
        """What is averaged over answerable questions, by name; always in the same order.

        Args:
            ks: the cut-offs, ascending.
        """
        return {
            **{f"recall@{k}": recall(self.ranks, k) for k in ks},
            f"mrr@{ks[-1]}": reciprocal_rank(self.ranks, ks[-1]),
            **{f"ndcg@{k}": ndcg(self.ranks, k) for k in ks},
            **{f"article_recall@{k}": recall(self.article_ranks, k) for k in ks},
            "completeness": self.whole_items / len(self.question.items),
            "context_characters": float(self.characters),
            "items_per_1000_characters": per_thousand(self.whole_items, self.characters),
        }


def evaluate(
    knowledge: KnowledgeBase,
    questions: Sequence[Question],
    settings: EvaluationSettings | None = None,
    *,
    reader: Reader | None = None,
    may_find: Callable[[Snippet], bool] = lambda _: True,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[Outcome, ...]:
    """Ask all questions, in order.

    Args:
        knowledge: what is asked.
        questions: what.
        settings: how; None for the defaults.
        reader: for whom; by default a reader cleared for CONFIDENTIAL.
        may_find: whether a hit may find gold; one that may not still takes its rank.
        progress: told after each question how many are done.

    Raises:
        StoreError, GraphError: as searching raises them, but for a question with nothing to search
            for, which finds nothing.
    """
    settings, reader = settings or EvaluationSettings(), reader or Reader()
    asking = _Asking(knowledge, settings, reader, may_find)
    outcomes: list[Outcome] = []
    for question in questions:
        outcomes.append(asking.ask(question))
        progress(len(outcomes))
    return tuple(outcomes)


class _Asking:
    def __init__(
        self,
        knowledge: KnowledgeBase,
        settings: EvaluationSettings,
        reader: Reader,
        may_find: Callable[[Snippet], bool],
    ) -> None:
        self._knowledge = knowledge
        self._settings = settings
        self._reader = reader
        self._may_find = may_find
        self._places = Places(knowledge, reader)

    def ask(self, question: Question) -> Outcome:
        start = time.perf_counter()
        found, problem = self._search(question)
        hits = found.snippets
        searched = time.perf_counter()
        context = ContextResult(question.text, (), 0) if problem else self._context(question)
        blocks = context.blocks
        done = time.perf_counter()
        targets = [target_of(gold, self._places) for gold in question.gold]
        items = [target_of(item, self._places) for item in question.items]
        by_id = {hit.chunk_id: hit for hit in hits}
        read = [read_block(block, self._places, by_id) for block in blocks]
        article_ranks, distinct = self._article_ranks(targets, hits)
        return Outcome(
            question=question,
            problem=problem,
            ranks=tuple(self._rank(target, hits) for target in targets),
            article_ranks=article_ranks,
            distinct_article_ranks=distinct,
            is_known=tuple(target.is_known for target in targets),
            whole_items=sum(item.is_whole_in(read) for item in items),
            characters=sum(len(block.text) for block in blocks),
            blocks=tuple(block.place for block in read if block.place),
            hits=tuple((hit.chunk_id, hit.source_locator) for hit in hits),
            notes=tuple(dict.fromkeys((*found.notes, *context.notes))),
            search_s=searched - start,
            context_s=done - searched,
        )

    def _search(self, question: Question) -> tuple[SearchResult, Problem]:
        try:
            result = self._knowledge.search(
                question.text,
                k=self._settings.depth,
                filters=question.filters,
                expand="none",
                reader=self._reader,
            )
        except QueryError:
            return SearchResult(question.text, ()), "unsearchable"
        return result, "refused" if result.refused else ""

    def _context(self, question: Question) -> ContextResult:
        return self._knowledge.context(
            question.text,
            budget=self._settings.budget,
            expand=self._settings.expand,
            filters=question.filters,
            reader=self._reader,
        )

    def _rank(self, target: Target, hits: Sequence[Snippet]) -> int | None:
        for rank, hit in enumerate(hits, start=1):
            if target.is_found_by(hit) and self._may_find(hit):
                return rank
        return None

    def _article_ranks(
        self, targets: Sequence[Target], hits: Sequence[Snippet]
    ) -> tuple[tuple[int | None, ...], tuple[int | None, ...]]:
        """Ranks among hits, and among articles in the order of their first hits."""
        order: dict[str, int] = {}
        ranks: dict[str, tuple[int | None, int | None]] = {
            target.article: (None, None) for target in targets
        }
        for rank, hit in enumerate(hits, start=1):
            article = self._places.find_article(place_of(hit))
            place = order.setdefault(article.id if article else hit.chunk_id, len(order) + 1)
            for target in targets:
                if ranks[target.article][0] is None and (
                    (article and target.is_in_article(article)) or target.is_found_by(hit)
                ):
                    ranks[target.article] = rank, place
        return tuple(one for one, _ in ranks.values()), tuple(one for _, one in ranks.values())
