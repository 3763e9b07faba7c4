"""Where something stands in a document: its section, its children, and the evidence of it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

from ragspine_graph.security.relation_source import RelationSource, SourceChunk
from ragspine_store.records import Span
from ragspine_store.relations import ChunkRange, Evidence, Node, NodeType


class Places:
    """Looks places of one document's text up.

    Args:
        source: the document.
    """

    def __init__(self, source: RelationSource) -> None:
        self._source = source
        placed = [(chunk.span, chunk) for chunk in source.chunks if chunk.span is not None]
        placed.sort(key=lambda pair: pair[0])
        self._chunks = [chunk for _, chunk in placed]
        self._starts = [span.start for span, _ in placed]
        # Children may overlap; the furthest end so far is ordered, their own ends are not.
        self._ends = list(accumulate((span.end for span, _ in placed), max))
        self._sections = source.sections
        self._no_of_section = {section.no: section for section in source.sections}

    def node_of_section(self, no: int) -> Node:
        """The node of a section; of the document for its outermost one."""
        doc_id = self._source.doc_id
        if self._no_of_section[no].parent is None:
            return Node(NodeType.DOCUMENT, doc_id)
        return Node(NodeType.SECTION, f"{doc_id}#s{no}")

    def section_at(self, at: int) -> int | None:
        """`no` of the deepest section that holds a place; None where none that passed does."""
        index = bisect_right(self._sections, at, key=lambda section: section.span.start) - 1
        section = self._sections[index] if index >= 0 else None
        while section is not None and at >= section.span.end:
            section = self._no_of_section.get(-1 if section.parent is None else section.parent)
        return None if section is None else section.no

    def node_of_item(self, span: Span, section: int) -> Node:
        """The child that begins with an item and holds nothing beyond it, else its section."""
        for chunk in self._overlapping(Span(span.start, span.start + 1)):
            place = chunk.span
            if place is None or self._source.text[place.start : span.start].strip():
                continue
            if place.end <= span.end or not self._source.text[span.end : place.end].strip():
                return Node(NodeType.CHILD, f"{self._source.doc_id}#c{chunk.seq}")
        return self.node_of_section(section)

    def find_evidence(
        self, span: Span, *, target_name: str = "", count: int = 1
    ) -> Evidence | None:
        """The evidence of what a span of the text says.

        A heading stands in no child where the chunker leaves it out; it is vouched for by the first
        child below it.

        Args:
            span: not empty.
            target_name: as in `Evidence`.
            count: as in `Evidence`.

        Returns:
            None when no child that passed holds it.
        """
        found = self._overlapping(span) or self._first_below(span)
        holding = [chunk for chunk in found if chunk.span and chunk.span.contains(span)]
        if holding:
            found = holding[:1]
        if not found:
            return None
        first, last = found[0], found[-1]
        return Evidence(
            doc_id=self._source.doc_id,
            locator=join_locators(first.locator, last.locator),
            chunks=ChunkRange(first.seq, last.seq),
            span=span,
            quote=self._source.text[span.start : span.end],
            target_name=target_name,
            count=count,
        )

    def _overlapping(self, span: Span) -> list[SourceChunk]:
        first, last = bisect_right(self._ends, span.start), bisect_left(self._starts, span.end)
        return [
            chunk
            for chunk in self._chunks[first:last]
            if chunk.span is not None and chunk.span.overlaps(span)
        ]

    def _first_below(self, span: Span) -> list[SourceChunk]:
        no = self.section_at(span.start)
        index = bisect_left(self._starts, span.end)
        if no is None or index == len(self._chunks):
            return []
        is_in_section = self._starts[index] < self._no_of_section[no].span.end
        return [self._chunks[index]] if is_in_section else []


def join_locators(first: str, last: str) -> str:
    """The locator of all from one child to another.

    >>> join_locators("rules.md#para3-4", "rules.md#para7")
    'rules.md#para3-7'
    """
    if first == last:
        return first
    start = first.rpartition("#para")[2].partition("-")[0]
    end = last.rpartition("#para")[2].rpartition("-")[2]
    opening = first.rpartition("#para")[0]
    return f"{opening}#para{start}" if start == end else f"{opening}#para{start}-{end}"
