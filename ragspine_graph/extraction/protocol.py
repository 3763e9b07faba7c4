"""The seam of relation extraction (seed 004): a document in, proposed relations out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ragspine_graph.extraction.reading import Reading
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.relations import Rejection, Relation
from ragspine_store.sealed import Cleared


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor found in one document.

    Attributes:
        relations: proposed occurrences by place; the gate screens them before any is written.
        rejections: what the extractor itself refused, such as a quote that is not there.
        left_out: distinct edges beyond a stated bound.
        failed: children that a model gave no answer about.
    """

    relations: tuple[Relation, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    left_out: int = 0
    failed: int = 0


@runtime_checkable
class RelationExtractor(Protocol):
    """Adds relations beside the base graph, never inside it."""

    def extract(self, source: Cleared[RelationSource]) -> Extraction:
        """Relations of one document; the same document gives the same ones, in the same order.

        An extractor that asks a model never raises for what the model or its server does: it finds
        less.
        """
        ...


class RuleExtractor(RelationExtractor, Protocol):
    """An extractor that reads a document as other rules do, so that all can share one reading."""

    def extract_from(self, reading: Cleared[Reading]) -> Extraction:
        """Relations of one document, as `extract` gives them."""
        ...
