"""The seam that every chunker implements."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ragspine_store.records import Chunk, DocumentMeta, Outline


@runtime_checkable
class Chunker(Protocol):
    """Cuts one document into children.

    Third parties register a factory under the entry point group `ragspine.chunkers`.
    """

    @property
    def spec(self) -> str:
        """The algorithm and all its settings; two chunkers of equal spec cut alike."""
        ...

    def chunk(
        self, text: str, meta: DocumentMeta, *, outline: Outline | None = None
    ) -> list[Chunk]:
        """Cut canonical text into children, in document order, numbered from 0.

        Args:
            text: canonical text.
            meta: the document's metadata; `doc_id` prefixes all ids and locators.
            outline: the structure of `text`; None reads `text` as Markdown.
        """
        ...
