"""Chunks of a fixed number of tokens, blind to structure: what others' defaults cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragspine_store.chunking.paragraphs import ParagraphIndex
from ragspine_store.records import Chunk, DocumentMeta, Outline, Span, format_locator
from ragspine_store.tokens import EstimatedTokenCounter


@dataclass(frozen=True, slots=True)
class FixedChunker:
    """Cuts a text at blanks, after as many words as fit; a chunk has no window."""

    tokens: int

    @property
    def spec(self) -> str:
        return f"fixed({self.tokens})"

    def chunk(
        self, text: str, meta: DocumentMeta, *, outline: Outline | None = None
    ) -> list[Chunk]:
        """Cut a text into chunks, in order, without overlap."""
        paragraphs = ParagraphIndex(text)
        chunks: list[Chunk] = []
        for seq, span in enumerate(self._spans(text)):
            place = paragraphs.of(span)
            chunks.append(
                Chunk(
                    chunk_id=f"{meta.doc_id}#c{seq}",
                    doc_id=meta.doc_id,
                    seq=seq,
                    text=text[span.start : span.end],
                    source_locator=format_locator(meta.doc_id, place),
                    para_start=place.first,
                    para_end=place.last,
                    span=span,
                    section=0,
                )
            )
        return chunks

    def _spans(self, text: str) -> Iterator[Span]:
        count = EstimatedTokenCounter().count
        start, end, taken = 0, 0, 0
        for word in re.finditer(r"\S+", text):
            tokens = count(word[0])
            if taken and taken + tokens > self.tokens:
                yield Span(start, end)
                taken = 0
            if not taken:
                start = word.start()
            end, taken = word.end(), taken + tokens
        if taken:
            yield Span(start, end)
