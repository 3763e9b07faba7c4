"""Where results and gold stand, as `show` tells it to one reader."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from ragspine_graph.evaluation.comparable import comparable
from ragspine_graph.knowledge_base import KnowledgeBase
from ragspine_graph.retrieval import ContextBlock, Snippet
from ragspine_graph.retrieval.node import ShownNode
from ragspine_store.errors import NotFoundError
from ragspine_store.records import Span
from ragspine_store.sensitivity import Reader


@dataclass(frozen=True, slots=True)
class Place:
    """A range of a document.

    Attributes:
        doc_id: of the document.
        span: half-open, in the canonical text; None when unknown.
        raw_span: half-open, in the decoded file; None when unknown, or the format is rendered.
    """

    doc_id: str
    span: Span | None = None
    raw_span: Span | None = None

    def holds(self, other: Place) -> bool:
        """Whether the other place is known to lie wholly inside this one.

        >>> Place("a.md", raw_span=Span(0, 9)).holds(Place("a.md", raw_span=Span(4, 9)))
        True
        """
        if self.doc_id != other.doc_id:
            return False
        if self.span and other.span:
            return self.span.contains(other.span)
        return bool(self.raw_span and other.raw_span and self.raw_span.contains(other.raw_span))


def place_of(result: Snippet | ShownNode) -> Place:
    """Where a hit or a node stands."""
    located = result.locator if isinstance(result, Snippet) else result
    return Place(result.doc_id, located.span, located.raw_span)


class Places:
    """What one reader is shown of nodes, each asked for once.

    Args:
        knowledge: what is asked.
        reader: for whom.
    """

    def __init__(self, knowledge: KnowledgeBase, reader: Reader) -> None:
        self._knowledge = knowledge
        self._reader = reader
        self._nodes: dict[str, ShownNode | None] = {}
        self._texts: dict[str, str] = {}

    def find(self, node_id: str) -> ShownNode | None:
        """A node; None when there is none that the reader may see."""
        if node_id not in self._nodes:
            try:
                self._nodes[node_id] = self._knowledge.show(node_id, reader=self._reader)
            except NotFoundError:
                self._nodes[node_id] = None
        return self._nodes[node_id]

    def text_of(self, node: ShownNode) -> str:
        """A node's text as gold strings are looked for in it; '' when a part is withheld."""
        if node.id not in self._texts:
            self._texts[node.id] = comparable(node.text or "")
        return self._texts[node.id]

    def find_article(self, place: Place) -> ShownNode | None:
        """The deepest section that a place begins in, or the document outside of all sections.

        None when the reader may not see it, or nothing is known of where the place is.
        """
        document = self.find(place.doc_id)
        if document is None or not (place.span or place.raw_span):
            return document
        # In document order the last section that begins before a place is the deepest around it.
        before = bisect_right(
            document.sections, 0, key=lambda section: self._distance(section.id, place)
        )
        if not before:
            return document
        section = self.find(document.sections[before - 1].id)
        return section if section and _begins_in(place, section) else None

    def find_block(self, block: ContextBlock, hits: Mapping[str, Snippet]) -> Place | None:
        """Where a block of a context stands; None when that cannot be told.

        Args:
            block: of a context.
            hits: of the same question by child id, for the blocks that are children.
        """
        hit = hits.get(block.node_id)
        if hit is not None and hit.text == block.text:
            return place_of(hit)
        node = self.find(block.node_id)
        if node is None or node.text is None:
            return None
        if node.text.strip() == block.text:
            return place_of(node)
        # A window without an id of its own is named after its child.
        around = self.find(block.locator)
        at = around.text.find(block.text) if around and around.text else -1
        if around is None or around.span is None or at < 0:
            return place_of(node) if node.text in block.text else None
        return _part(place_of(around), around.span, at, len(block.text))

    def _distance(self, section_id: str, place: Place) -> int:
        """How far behind the start of a place a section begins; 0 or less when it does not."""
        section = self.find(section_id)
        if section and section.span and place.span:
            return section.span.start - place.span.start
        if section and section.raw_span and place.raw_span:
            return section.raw_span.start - place.raw_span.start
        return 1


def _begins_in(place: Place, section: ShownNode) -> bool:
    at = Place(
        place.doc_id,
        Span(place.span.start, place.span.start) if place.span else None,
        Span(place.raw_span.start, place.raw_span.start) if place.raw_span else None,
    )
    return place_of(section).holds(at)


def _part(place: Place, span: Span, at: int, length: int) -> Place:
    """The part of a place that begins at a code point of its text."""
    raw = place.raw_span
    is_even = raw is not None and raw.end - raw.start == span.end - span.start
    return Place(
        place.doc_id,
        Span(span.start + at, span.start + at + length),
        Span(raw.start + at, raw.start + at + length) if raw and is_even else None,
    )
