"""The document that relations are written for: which of its parts they may rest on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from ragspine_store.records import Span
from ragspine_store.relations import ChunkRange, Evidence

ALL_CHILDREN = ChunkRange(0, 2**31)


@dataclass(frozen=True, slots=True)
class TargetParts:
    """Which parts of a document that is not RESTRICTED are not, as far as they were read.

    Attributes:
        children: position and span of each child, in order; spans are (None, None) in a document
            from before the record.
        open_children: positions of those that are not RESTRICTED, in order.
        closed: spans of RESTRICTED sections.
    """

    children: Sequence[tuple[int, int | None, int | None]]
    open_children: Sequence[int]
    closed: Sequence[Span]

    def place(self, evidence: Evidence) -> ChunkRange | None:
        """The children it stands in: as stated, or those that share text with its span."""
        if evidence.chunks is not None or evidence.span is None:
            return evidence.chunks
        found = [
            seq
            for seq, start, end in self.children
            if start is not None and end is not None and evidence.span.overlaps(Span(start, end))
        ]
        return ChunkRange(found[0], found[-1]) if found else None

    def is_open(self, chunks: ChunkRange | None, span: Span | None) -> bool:
        """Whether all these children are there and nothing that is RESTRICTED is meant."""
        if chunks is not None:
            low = bisect_left(self.open_children, chunks.first)
            high = bisect_right(self.open_children, chunks.last)
            return 0 < chunks.last - chunks.first + 1 == high - low
        return span is None or not any(span.overlaps(closed) for closed in self.closed)
