"""Single sentences for search, their neighbours for reading."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields

from ragspine_store.chunking.pieces import PieceSizes, cut_block
from ragspine_store.chunking.sections import (
    LINE_KINDS,
    ChildMaker,
    TokenRuns,
    block_units,
    iter_sections,
)
from ragspine_store.chunking.settings import (
    HARD_CAP_TOKENS,
    describe,
    require_counter,
    require_sizes,
    require_whole_numbers,
)
from ragspine_store.loading import outline_of
from ragspine_store.records import Block, Chunk, DocumentMeta, Outline, Span
from ragspine_store.tokens import EstimatedTokenCounter, TokenCounter


@dataclass(frozen=True, slots=True)
class SentenceWindowChunker:
    """Cuts a document into its sentences, each with the sentences around it as window.

    A child is one sentence of a block (one line of a table or of code), or a piece of it where it
    has more than `max_child_tokens`. Its window reaches `window_size` children to either side,
    never beyond its section's own text, and fewer where it would exceed `window_cap_tokens`.

    Attributes:
        window_size: how many children a window holds before and after its own, where they exist.
        max_child_tokens: most tokens of a child.
        window_cap_tokens: most tokens of a window; at most `HARD_CAP_TOKENS`.
        overlap_tokens: what consecutive pieces of one sentence share.
        counter: counts the tokens.

    Raises:
        ChunkingError: the sizes contradict each other, or a window could exceed the hard cap.

    >>> text = "甲。乙。丙。丁。"
    >>> children = SentenceWindowChunker(window_size=1).chunk(text, DocumentMeta("rules.md"))
    >>> [(child.text, text[child.window.start : child.window.end]) for child in children[1:3]]
    [('乙。', '甲。乙。丙。'), ('丙。', '乙。丙。丁。')]
    """

    window_size: int = 3
    max_child_tokens: int = 250
    window_cap_tokens: int = HARD_CAP_TOKENS
    overlap_tokens: int = 25
    counter: TokenCounter = field(default_factory=EstimatedTokenCounter)

    def __post_init__(self) -> None:
        require_counter(self.counter)
        require_whole_numbers(1, window_size=self.window_size)
        require_sizes(
            max_child_tokens=self.max_child_tokens,
            overlap_tokens=self.overlap_tokens,
            window_cap_tokens=self.window_cap_tokens,
        )

    @property
    def spec(self) -> str:
        """The algorithm and all its settings."""
        return describe(
            "sentence_window",
            {setting.name: getattr(self, setting.name) for setting in fields(self)},
        )

    def chunk(
        self, text: str, meta: DocumentMeta, *, outline: Outline | None = None
    ) -> list[Chunk]:
        """Cut canonical text into sentences, in document order.

        Args:
            text: canonical text.
            meta: the document's metadata; `doc_id` prefixes all ids and locators.
            outline: the structure of `text`; None reads `text` as Markdown.

        Returns:
            Children whose `window` is a span of `text`; none for blank text.
        """
        maker = ChildMaker(text, meta)
        chunks: list[Chunk] = []
        for section, blocks in iter_sections(text, outline or outline_of(text)):
            spans = list(self._sentences(text, blocks))
            runs = TokenRuns(text, spans, self.counter)
            for no, span in enumerate(spans):
                chunks.append(maker.make(span, section, self._window(spans, runs, no)))
        return chunks

    def _sentences(self, text: str, blocks: Iterable[Block]) -> Iterator[Span]:
        sizes = PieceSizes(self.max_child_tokens, self.overlap_tokens, self.counter)
        for block in blocks:
            for unit in block_units(text, block):
                yield from cut_block(text, unit, sizes, by_lines=block.kind in LINE_KINDS)

    def _window(self, spans: list[Span], runs: TokenRuns, no: int) -> Span:
        def around(reach: int) -> tuple[int, int]:
            return max(no - reach, 0), min(no + reach, len(spans) - 1)

        fitting = bisect_right(
            range(1, self.window_size + 1),
            self.window_cap_tokens,
            key=lambda reach: runs.tokens(*around(reach)),
        )
        first, last = around(fitting)
        return Span(spans[first].start, spans[last].end)
