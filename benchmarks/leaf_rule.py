"""Which children are fine enough to find a leaf, and what covers how much of gold spans."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ragspine_graph.evaluation import Outcome, Place
from ragspine_graph.evaluation.questions import SpanGold
from ragspine_graph.retrieval import Snippet
from ragspine_store.tokens import EstimatedTokenCounter

MAX_TOKENS = 250
_NUMBERED = re.compile(r"^\s*(?:\d+[.)．]|[（(]\d+[)）]|[０-９]+[\s．])", re.MULTILINE)


def is_leaf(hit: Snippet) -> bool:
    """Whether a child has at most 250 tokens and at most one numbered item."""
    return (
        EstimatedTokenCounter().count(hit.text) <= MAX_TOKENS
        and len(_NUMBERED.findall(hit.text)) <= 1
    )


def span_figures(outcome: Outcome) -> tuple[float, float, float]:
    """Recall, precision and IoU of a context's characters against a question's gold spans.

    Characters that stand in two blocks count twice in precision and IoU.
    """
    gold = _characters(
        Place(item.doc_id, raw_span=item.span)
        for item in outcome.question.gold
        if isinstance(item, SpanGold)
    )
    shared = len(gold & _characters(outcome.blocks))
    length = outcome.characters
    return (
        shared / len(gold),
        shared / length if length else 0.0,
        shared / (len(gold) + length - shared),
    )


def _characters(places: Iterable[Place]) -> set[tuple[str, int]]:
    return {
        (place.doc_id, at)
        for place in places
        if place.raw_span is not None
        for at in range(*place.raw_span)
    }
