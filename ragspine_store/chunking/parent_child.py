"""Small children for search, their whole section for reading."""

from __future__ import annotations

from dataclasses import dataclass

from ragspine_store.chunking.children import block_parts
from ragspine_store.chunking.lead_ins import LeadIns
from ragspine_store.chunking.sections import ChildMaker, iter_sections
from ragspine_store.chunking.windows import ParentSizes
from ragspine_store.loading import outline_of
from ragspine_store.records import Chunk, DocumentMeta, Outline


@dataclass(frozen=True, slots=True)
class ParentChildChunker(ParentSizes):
    r"""Cuts a document into its blocks, each with its section as window.

    A child is one block of the outline (an item, a paragraph, a table), or a piece of it where it
    has more than `max_child_tokens`; blocks are never merged. Its parent is the section's own
    text. A section over `parent_cap_tokens` is cut at its best inner borders into parents of at
    most `max_parent_tokens`; no window ever exceeds the cap. The settings are those of
    `ParentSizes`.

    Raises:
        ChunkingError: the sizes contradict each other, or a window could exceed the hard cap.

    >>> text = "# 第4条\n\n1. 手当\n2. 支給日\n"
    >>> first, _ = ParentChildChunker().chunk(text, DocumentMeta("rules.md"))
    >>> first.text, first.parent_id, text[first.window.start : first.window.end]
    ('1. 手当', 'rules.md#s1', '# 第4条\n\n1. 手当\n2. 支給日')
    """

    @property
    def spec(self) -> str:
        """The algorithm and all its settings."""
        return self.describe_as("parent_child")

    def chunk(
        self, text: str, meta: DocumentMeta, *, outline: Outline | None = None
    ) -> list[Chunk]:
        """Cut canonical text into children, in document order.

        Args:
            text: canonical text.
            meta: the document's metadata; `doc_id` prefixes all ids and locators.
            outline: the structure of `text`; None reads `text` as Markdown.

        Returns:
            Children whose `window` is a span of `text`; none for blank text.
        """
        outline = outline or outline_of(text)
        maker, lead_ins = ChildMaker(text, meta), LeadIns(text, outline)
        chunks: list[Chunk] = []
        for section, blocks in iter_sections(text, outline):
            parts = list(block_parts(text, section, blocks, self.piece_sizes))
            for window in self.windows(text, section.own, f"s{section.no}", parts):
                chunks.extend(
                    maker.make(
                        part.span,
                        section,
                        window.span,
                        parent=window.name,
                        lead_in=lead_ins.find(part.block),
                    )
                    for part in parts[window.first : window.stop]
                )
        return chunks
