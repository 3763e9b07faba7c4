"""Gold as it is looked for: in hits, in the articles above them, in contexts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ragspine_graph.evaluation.comparable import comparable
from ragspine_graph.evaluation.places import Place, Places, place_of
from ragspine_graph.evaluation.questions import Gold, NodeGold, SpanGold, TextGold
from ragspine_graph.retrieval import ContextBlock, Snippet
from ragspine_graph.retrieval.node import ShownNode


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a context: its text as gold is looked for in it, its place, its evidence."""

    text: str = field(repr=False)
    place: Place | None
    evidence: Collection[str]


def read_block(block: ContextBlock, places: Places, hits: Mapping[str, Snippet]) -> Block:
    """A block as it is compared with gold; the hits of the question by child id."""
    return Block(comparable(block.text), places.find_block(block, hits), block.evidence)


class Target(ABC):
    """One gold item, looked for on behalf of one reader."""

    is_known: bool
    """Whether the store holds what it names, as far as the reader can tell."""

    article: str
    """What its article is known by: items of one article share it."""

    @abstractmethod
    def is_found_by(self, hit: Snippet) -> bool:
        """Whether a hit finds it."""

    @abstractmethod
    def is_in_article(self, article: ShownNode) -> bool:
        """Whether it belongs to the section or document above a hit."""

    @abstractmethod
    def is_whole_in(self, blocks: Sequence[Block]) -> bool:
        """Whether all of it stands in the blocks of a context."""


def target_of(gold: Gold, places: Places) -> Target:
    """What is looked for, for a gold item."""
    match gold:
        case NodeGold():
            return _NodeTarget(gold.node_id, places)
        case SpanGold():
            return _SpanTarget(gold, places)
        case TextGold():
            return _TextTarget(gold.text, places)


class _NodeTarget(Target):
    """A document, section or child. Found by a hit in it; whole with all of its children."""

    def __init__(self, node_id: str, places: Places) -> None:
        self._node = node = places.find(node_id)
        self._places = places
        self.is_known = node is not None
        self.article = node_id
        if node is not None and node.kind not in ("document", "section"):
            above = places.find_article(place_of(node))
            self.article = above.id if above else node_id

    def is_found_by(self, hit: Snippet) -> bool:
        node = self._node
        if node is None:
            return False
        if node.kind == "document":
            return hit.doc_id == node.doc_id
        return hit.chunk_id == node.id or (
            node.kind != "child" and place_of(node).holds(place_of(hit))
        )

    def is_in_article(self, article: ShownNode) -> bool:
        node = self._node
        if node is None:
            return False
        if node.kind == "document":
            return article.doc_id == node.doc_id
        return article.id == self.article or (
            node.kind == "section" and place_of(node).holds(place_of(article))
        )

    def is_whole_in(self, blocks: Sequence[Block]) -> bool:
        node = self._node
        if node is None:
            return False
        chunks = [node.id] if node.kind == "child" else node.chunks
        return bool(chunks) and all(self._is_child_in(chunk, blocks) for chunk in chunks)

    def _is_child_in(self, chunk_id: str, blocks: Sequence[Block]) -> bool:
        if any(chunk_id in block.evidence for block in blocks):
            return True
        child = self._places.find(chunk_id) if self._is_near(blocks) else None
        return child is not None and any(
            block.place and block.place.holds(place_of(child)) for block in blocks
        )

    def _is_near(self, blocks: Sequence[Block]) -> bool:
        doc_id = self._node.doc_id if self._node else ""
        return any(block.place and block.place.doc_id == doc_id for block in blocks)


class _SpanTarget(Target):
    """A passage. Found by a hit that holds all of it; whole inside one block."""

    def __init__(self, gold: SpanGold, places: Places) -> None:
        self._place = Place(gold.doc_id, raw_span=gold.span)
        document = places.find(gold.doc_id)
        self.is_known = document is not None and place_of(document).holds(self._place)
        article = places.find_article(self._place) if self.is_known else None
        self.article = article.id if article else f"{gold.doc_id}#{gold.span}"

    def is_found_by(self, hit: Snippet) -> bool:
        return place_of(hit).holds(self._place)

    def is_in_article(self, article: ShownNode) -> bool:
        return article.id == self.article

    def is_whole_in(self, blocks: Sequence[Block]) -> bool:
        return any(block.place and block.place.holds(self._place) for block in blocks)


class _TextTarget(Target):
    """A string. Found by a hit whose text holds it; whole inside one block."""

    is_known = True

    def __init__(self, text: str, places: Places) -> None:
        self._text = text
        self._places = places
        self.article = text

    def is_found_by(self, hit: Snippet) -> bool:
        return self._text in comparable(hit.text)

    def is_in_article(self, article: ShownNode) -> bool:
        return self._text in self._places.text_of(article)

    def is_whole_in(self, blocks: Sequence[Block]) -> bool:
        return any(self._text in block.text for block in blocks)
