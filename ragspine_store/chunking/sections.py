"""What the structural chunkers share: the blocks of each section, and how a child is made."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from ragspine_store.chunking.paragraphs import ParagraphIndex, iter_paragraphs, stripped
from ragspine_store.records import (
    Block,
    BlockKind,
    Chunk,
    DocumentMeta,
    Outline,
    Section,
    Span,
    format_locator,
)
from ragspine_store.sentences import sentence_spans
from ragspine_store.tokens import TokenCounter

_WORD = re.compile(r"[^\W_]")

LINE_KINDS = frozenset({BlockKind.TABLE, BlockKind.CODE, BlockKind.HTML})
"""Kinds of block whose lines are their units."""


def iter_sections(text: str, outline: Outline) -> Iterator[tuple[Section, list[Block]]]:
    r"""Each section with the blocks of its own text, in document order.

    A block without a letter or digit, such as a thematic break, is none: nobody can search it. A
    section that holds neither blocks nor subsections gives its heading as its only block, so that
    no word is lost.

    >>> from ragspine_store.loading import outline_of
    >>> text = "# A\n\none\n\n---\n\n## B\n"
    >>> [[text[block.span.start : block.span.end] for block in blocks]
    ...  for _, blocks in iter_sections(text, outline_of(text))]
    [[], ['one'], ['## B']]
    """
    blocks: defaultdict[int, list[Block]] = defaultdict(list)
    for block in outline.blocks:
        if _WORD.search(text, *block.span):
            blocks[block.section].append(block)
    parents = {section.parent for section in outline.sections}
    for section in outline.sections:
        own = blocks[section.no]
        if not own and section.no not in parents:
            own = [Block(section.no, BlockKind.PARAGRAPH, stripped(text, section.own))]
        yield section, own


def block_units(text: str, block: Block) -> Iterable[Span]:
    """The sentences of a block; the lines of one whose lines are its units."""
    if block.kind in LINE_KINDS:
        return iter_paragraphs(text, block.span)
    return sentence_spans(text, *block.span)


class TokenRuns:
    """The sizes in tokens of runs of consecutive spans, each found in constant time.

    Args:
        text: canonical text.
        spans: in order of their ends; they may overlap.
        counter: counts the tokens.

    >>> from ragspine_store.tokens import EstimatedTokenCounter
    >>> runs = TokenRuns("甲乙丙丁", [Span(0, 1), Span(1, 3), Span(3, 4)], EstimatedTokenCounter())
    >>> runs.tokens(0, 1), runs.tokens(1, 2)
    (3, 3)
    """

    def __init__(self, text: str, spans: Sequence[Span], counter: TokenCounter) -> None:
        self._own = [counter.count(text[span.start : span.end]) for span in spans]
        growth = (counter.count(text[a.end : b.end]) for a, b in pairwise(spans))
        self._grown = [0, *accumulate(growth)]

    def tokens(self, first: int, last: int) -> int:
        """An upper bound for the text from the start of span `first` to the end of span `last`."""
        return self._own[first] + self._grown[last] - self._grown[first]


class ChildMaker:
    """Makes the children of one document, numbered in the order in which they are asked for."""

    def __init__(self, text: str, meta: DocumentMeta) -> None:
        self._text = text
        self._doc_id = meta.doc_id
        self._paragraphs = ParagraphIndex(text)
        self._made = 0

    def make(
        self,
        span: Span,
        section: Section,
        window: Span,
        *,
        parent: str = "",
        node: int = 0,
        lead_in: Span | None = None,
    ) -> Chunk:
        """The next child: the exact slice `span`, to be read in `window`.

        Args:
            span: its text.
            section: the section it belongs to.
            window: the text of its window.
            parent: what follows `{doc_id}#` in the id of that window; '' where it has none.
            node: as in `Chunk`.
            lead_in: likewise.
        """
        seq = self._made
        self._made += 1
        paragraphs = self._paragraphs.of(span)
        return Chunk(
            chunk_id=f"{self._doc_id}#c{seq}",
            doc_id=self._doc_id,
            seq=seq,
            text=self._text[span.start : span.end],
            source_locator=format_locator(self._doc_id, paragraphs),
            para_start=paragraphs.first,
            para_end=paragraphs.last,
            span=span,
            section=section.no,
            parent_id=f"{self._doc_id}#{parent}" if parent else "",
            heading=section.heading,
            parent_locator=format_locator(self._doc_id, self._paragraphs.of(window)),
            window=window,
            node=node,
            lead_in=lead_in,
        )
