"""What can be plugged into retrieval; without a plug nothing changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Passage:
    """What a judge sees of a child; it has passed the link exit.

    Attributes:
        chunk_id, text: its own.
        heading_path: headings of the sections above it, outermost first.
    """

    chunk_id: str
    text: str = field(repr=False)
    heading_path: tuple[str, ...] = field(default=(), repr=False)


class Reranker(Protocol):
    """Orders the best children anew."""

    def rerank(self, query: str, passages: Sequence[Passage]) -> Sequence[str]:
        """Chunk ids, best first. Unknown ids are ignored, missing ones keep their old order.

        Raises:
            ProviderError: there is no order. Whatever is raised, the old order stands, with a note.
        """
        ...


class Compressor(Protocol):
    """Shortens what goes into a prompt; evidence stays as it is."""

    def compress(self, query: str, text: str) -> str:
        """What of the text to keep for this query; '' keeps nothing beside the evidence."""
        ...
