"""The seam that every chunker implements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from ragspine_store.records import Chunk, DocumentMeta, Outline, TreeNode


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


@runtime_checkable
class TreeChunker(Chunker, Protocol):
    """A chunker whose children hang in a tree, and that knows of pages."""

    def chunk(
        self,
        text: str,
        meta: DocumentMeta,
        *,
        outline: Outline | None = None,
        pages: Sequence[int] = (),
    ) -> list[Chunk]:
        """Cut canonical text into children; `Chunk.node` says where each hangs in `tree`.

        Args:
            text: canonical text.
            meta: the document's metadata; `doc_id` prefixes all ids and locators.
            outline: the structure of `text`; None reads `text` as Markdown.
            pages: where each page starts in `text`; empty for a document without pages.
        """
        ...

    def tree(
        self, text: str, outline: Outline | None = None, *, pages: Sequence[int] = ()
    ) -> tuple[TreeNode, ...]:
        """The branches that the children hang in, in document order; node 0 is the document.

        Args:
            text: canonical text.
            outline: the structure of `text`; None reads `text` as Markdown.
            pages: where each page starts in `text`.
        """
        ...
