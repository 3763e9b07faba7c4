"""A chunker that looks at each document first: by its structure, or running text in passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragspine_store.chunking.hierarchical import HierarchicalChunker
from ragspine_store.chunking.settings import describe
from ragspine_store.loading import outline_of
from ragspine_store.records import BlockKind, Chunk, DocumentMeta, Outline, TreeNode
from ragspine_store.tokens import EstimatedTokenCounter

STRUCTURED = HierarchicalChunker()
"""For documents whose headings, items and tables say what belongs together."""

PROSE = HierarchicalChunker(child="passage", max_child_tokens=200, overlap_tokens=100)
"""For running text; measured in docs/context.md."""

MOST_TOKENS_BETWEEN_MARKS = 400
"""A document with fewer marks of structure than one for so many tokens is running text."""

_RUNNING = frozenset({BlockKind.PARAGRAPH})


@dataclass(frozen=True, slots=True)
class AutoChunker:
    r"""Cuts each document as suits it.

    A heading, an item, a table and each other block that is no paragraph is a mark of structure. A
    document with a mark for every 400 tokens on average, or shorter than that, is cut by its
    blocks, as `hierarchical` does by default. Another one is running text: its children are
    passages of up to 200 tokens that share up to 100 with the one before. Both hang in the tree of
    the document's sections.

    >>> AutoChunker().chunk("# Pay\n\nPaid monthly.\n", DocumentMeta("pay.md"))[0].text
    'Paid monthly.'
    """

    @property
    def spec(self) -> str:
        """The algorithm and both ways to cut."""
        return describe(
            "auto",
            {
                "marks": MOST_TOKENS_BETWEEN_MARKS,
                "structured": STRUCTURED.spec,
                "prose": PROSE.spec,
            },
        )

    def chunk(
        self,
        text: str,
        meta: DocumentMeta,
        *,
        outline: Outline | None = None,
        pages: Sequence[int] = (),
    ) -> list[Chunk]:
        """Cut canonical text into children; see `HierarchicalChunker.chunk`."""
        outline = outline or outline_of(text)
        return chunker_for(text, outline).chunk(text, meta, outline=outline, pages=pages)

    def tree(
        self, text: str, outline: Outline | None = None, *, pages: Sequence[int] = ()
    ) -> tuple[TreeNode, ...]:
        """The branches that the children hang in; see `HierarchicalChunker.tree`."""
        outline = outline or outline_of(text)
        return chunker_for(text, outline).tree(text, outline, pages=pages)


def chunker_for(text: str, outline: Outline) -> HierarchicalChunker:
    """What cuts a document of this structure.

    >>> text = "Words and words. " * 400
    >>> chunker_for(text, outline_of(text)).child
    'passage'
    """
    headings = len(outline.sections) - 1
    marks = headings + sum(block.kind not in _RUNNING for block in outline.blocks)
    tokens = EstimatedTokenCounter().count(text)
    return STRUCTURED if tokens <= MOST_TOKENS_BETWEEN_MARKS * max(marks, 1) else PROSE
