"""Figures over all questions and over each kind, and two configurations side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragspine_graph.evaluation.bootstrap import (
    CONFIDENCE,
    Difference,
    Interval,
    differences,
    intervals,
)
from ragspine_graph.evaluation.measures import percentile
from ragspine_graph.evaluation.questions import Gold, NodeGold, SpanGold
from ragspine_graph.evaluation.run import EvaluationSettings, Outcome

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Group:
    """Figures over the answerable questions of one kind.

    Attributes:
        kind: None for all kinds together; '' for questions without one.
        questions: how many.
        figures: by name, in the order of `Outcome.figures`.
    """

    kind: str | None
    questions: int
    figures: Mapping[str, Interval]

    def to_dict(self) -> Json:
        """As a JSON object."""
        return {
            "kind": self.kind,
            "questions": self.questions,
            "figures": {name: figure._asdict() for name, figure in self.figures.items()},
        }


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """What one configuration has more than another, over the same questions; as in `Group`."""

    kind: str | None
    questions: int
    figures: Mapping[str, Difference]

    def to_dict(self) -> Json:
        """As a JSON object."""
        return {
            "kind": self.kind,
            "questions": self.questions,
            "figures": {name: figure._asdict() for name, figure in self.figures.items()},
        }


@dataclass(frozen=True, slots=True)
class Miss:
    """A question whose gold the first hits do not all find.

    Attributes:
        outcome: what became of it.
        above: child id and locator of the hits above its first gold, or of the first hits.
    """

    outcome: Outcome
    above: Sequence[tuple[str, str]]

    def gold_lines(self) -> list[str]:
        """Each gold item as it was given, and where it was found."""
        return [
            f"{'not found' if rank is None else f'rank {rank}'}: {written(gold)}"
            for gold, rank in zip(self.outcome.question.gold, self.outcome.ranks, strict=True)
        ]

    def above_lines(self) -> list[str]:
        """Each hit above, with its rank."""
        return [
            f"{rank}. {chunk_id}  {locator}"
            for rank, (chunk_id, locator) in enumerate(self.above, start=1)
        ]

    def to_dict(self) -> Json:
        """As a JSON object; no text of a document is in it."""
        outcome = self.outcome
        return {
            "id": outcome.question.id,
            "question": outcome.question.text,
            "kind": outcome.question.kind,
            "problem": outcome.problem or None,
            "gold": [
                {"gold": written(gold), "rank": rank, "known": is_known}
                for gold, rank, is_known in zip(
                    outcome.question.gold, outcome.ranks, outcome.is_known, strict=True
                )
            ],
            "above": [{"chunk_id": chunk, "locator": locator} for chunk, locator in self.above],
        }


@dataclass(frozen=True, slots=True)
class Report:
    """What one configuration makes of a set of questions.

    Attributes:
        settings: how the questions were asked.
        seed: of the intervals.
        outcomes: of all questions, in order.
        groups: over all kinds, then over each kind by name; none when no question can be
            answered.
    """

    settings: EvaluationSettings
    seed: int
    outcomes: Sequence[Outcome] = field(repr=False)
    groups: Sequence[Group]

    @property
    def answerable(self) -> list[Outcome]:
        """Of questions with gold, in order."""
        return [outcome for outcome in self.outcomes if outcome.question.gold]

    @property
    def unanswerable(self) -> list[Outcome]:
        """Of questions without gold, in order."""
        return [outcome for outcome in self.outcomes if not outcome.question.gold]

    @property
    def unknown_gold(self) -> int:
        """Gold items that name nothing that the reader may see."""
        return sum(outcome.is_known.count(False) for outcome in self.outcomes)

    def misses(self, limit: int) -> list[Miss]:
        """The questions with the least found among the first hits, then in their order.

        Args:
            limit: how many at most.
        """
        k = self.settings.ks[-1]
        missed = [
            (outcome.figures([k])[f"recall@{k}"], outcome)
            for outcome in self.answerable
            if any(rank is None or rank > k for rank in outcome.ranks)
        ]
        missed.sort(key=lambda pair: pair[0])
        return [Miss(outcome, _above(outcome, k)) for _, outcome in missed[:limit]]

    def timings_ms(self) -> dict[str, float]:
        """Median and 95th percentile of the times for one question, in milliseconds."""
        asked = [outcome for outcome in self.outcomes if not outcome.problem]
        return {
            f"{name}_p{share}": percentile(times, share / 100)
            for name, times in (
                ("search", [1000 * outcome.search_s for outcome in asked]),
                ("context", [1000 * outcome.context_s for outcome in asked]),
            )
            for share in (50, 95)
            if times
        }

    def to_dict(self) -> Json:
        """As a JSON object, misses and timings left out."""
        unanswerable = self.unanswerable
        return {
            "questions": len(self.outcomes),
            "k": list(self.settings.ks),
            "budget": self.settings.budget,
            "expand": self.settings.expand,
            "confidence": CONFIDENCE,
            "seed": self.seed,
            "groups": [group.to_dict() for group in self.groups],
            "unanswerable": {
                "questions": len(unanswerable),
                "refused": sum(outcome.problem == "refused" for outcome in unanswerable),
                "nothing_found": sum(not outcome.hits for outcome in unanswerable),
            },
            "refused": sum(outcome.problem == "refused" for outcome in self.answerable),
            "unknown_gold": self.unknown_gold,
        }


def summarise(outcomes: Sequence[Outcome], settings: EvaluationSettings, *, seed: int) -> Report:
    """Average what became of the questions.

    Args:
        outcomes: in the order of the questions.
        settings: with which they were asked.
        seed: of the intervals' random draws.
    """
    groups = [
        Group(kind, len(members), dict(zip(names, intervals(rows, seed=seed), strict=True)))
        for kind, members in _by_kind(outcomes)
        for names, rows in [_table(members, settings)]
    ]
    return Report(settings, seed, outcomes, groups)


def compare(one: Report, other: Report) -> list[GroupDifference]:
    """What one report has more than another over the same questions, group by group."""
    theirs = {outcome.question.id: outcome for outcome in other.outcomes}
    compared: list[GroupDifference] = []
    for kind, members in _by_kind(one.outcomes):
        names, rows = _table(members, one.settings)
        _, others = _table([theirs[member.question.id] for member in members], one.settings)
        figures = dict(zip(names, differences(rows, others, seed=one.seed), strict=True))
        compared.append(GroupDifference(kind, len(members), figures))
    return compared


def written(gold: Gold) -> str:
    """A gold item as its file has it, on one line."""
    match gold:
        case NodeGold():
            return gold.node_id
        case SpanGold():
            return f"{gold.doc_id}[{gold.span.start}:{gold.span.end}]"
        case _:
            return gold.written


def _by_kind(outcomes: Sequence[Outcome]) -> list[tuple[str | None, list[Outcome]]]:
    """All answerable questions, then those of each kind where there is more than one."""
    answerable = [outcome for outcome in outcomes if outcome.question.gold]
    kinds: dict[str, list[Outcome]] = {}
    for outcome in answerable:
        kinds.setdefault(outcome.question.kind, []).append(outcome)
    everything = [(None, answerable)] if answerable else []
    return [*everything, *(sorted(kinds.items()) if list(kinds) != [""] else ())]


def _table(
    outcomes: Sequence[Outcome], settings: EvaluationSettings
) -> tuple[list[str], list[tuple[float, ...]]]:
    figures = [outcome.figures(settings.ks) for outcome in outcomes]
    return list(figures[0]), [tuple(row.values()) for row in figures]


def _above(outcome: Outcome, k: int) -> Sequence[tuple[str, str]]:
    first = min((rank for rank in outcome.ranks if rank is not None), default=k + 1)
    return outcome.hits[: min(first - 1, k)]
