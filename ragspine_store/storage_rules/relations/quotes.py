"""Finds quotes again in the new text of a document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from ragspine_store.records import Chunk, Paragraphs, PreparedDocument, Span, format_locator
from ragspine_store.relations import ChunkRange
from ragspine_store.sensitivity import Sensitivity


class QuotePlace(NamedTuple):
    """Where a quote stands: its children, its span, its locator."""

    chunks: ChunkRange
    span: Span
    locator: str


class FoundPiece(NamedTuple):
    """A piece of a model's evidence before its document's text changes.

    Attributes:
        key: the store's own name of it.
        edge: of the edge that it states, likewise.
        model, prompt, quote: as in `Evidence`.
        first: the first child it stood in.
        floor: the strictest label of what it rests on; RESTRICTED when a child is missing.
    """

    key: int | str
    edge: int | str
    model: str
    prompt: str
    quote: str
    first: int
    floor: int


class Anchored(NamedTuple):
    """What becomes of a model's evidence.

    Attributes:
        moved: where pieces stand now, by key.
        stale: keys of pieces whose quote is gone, with the label that is kept for them.
        gone: keys of pieces that are not kept.
    """

    moved: Mapping[int | str, QuotePlace]
    stale: Mapping[int | str, int]
    gone: Sequence[int | str]


def anchor(pieces: Sequence[FoundPiece], document: PreparedDocument) -> Anchored:
    """Look for what a model found in the new text of its document.

    Args:
        pieces: in the order they came; of two that come to stand in one place the first is kept.
        document: as it is now.
    """
    text = _Text(document)
    moved: dict[int | str, QuotePlace] = {}
    stale: dict[int | str, int] = {}
    gone: list[int | str] = []
    taken: set[tuple[object, ...]] = set()
    for piece in pieces:
        place = text.find(piece.quote, piece.first)
        same = (piece.edge, piece.model, piece.prompt, place)
        if place is None and piece.floor < Sensitivity.RESTRICTED:
            stale[piece.key] = piece.floor
        elif place is None or same in taken:
            gone.append(piece.key)
        else:
            taken.add(same)
            moved[piece.key] = place
    return Anchored(moved, stale, gone)


def answered_children(
    answered: Sequence[tuple[int | str, str]], document: PreparedDocument
) -> dict[int | str, int]:
    """Where the children of cached answers stand now, by the answer's key; gone ones left out.

    Args:
        answered: keys of answers, each with the text of its child.
        document: as it is now.
    """
    positions = {chunk.text: chunk.seq for chunk in reversed(document.chunks)}
    return {key: positions[text] for key, text in answered if text in positions}


class _Text:
    """A document's new text and its children."""

    def __init__(self, document: PreparedDocument) -> None:
        self._doc_id = document.meta.doc_id
        self._text = document.loaded.text
        self._chunks = sorted(document.chunks, key=attrgetter("span", "seq"))
        self._starts = [chunk.span.start for chunk in self._chunks]
        self._longest = max((c.span.end - c.span.start for c in self._chunks), default=0)

    def find(self, quote: str, near: int) -> QuotePlace | None:
        """Where a quote stands: in the child nearest to a position, or over several children."""
        best: tuple[int, int, Chunk, Span] | None = None
        across: QuotePlace | None = None
        for span in self._occurrences(quote):
            touched = self._overlapping(span)
            for chunk in touched:
                distance = (abs(chunk.seq - near), chunk.seq)
                if chunk.span.contains(span) and (best is None or distance < best[:2]):
                    best = (*distance, chunk, span)
            if touched and across is None:
                across = self._across(touched, span)
        if best is None:
            return across
        _, seq, chunk, span = best
        return QuotePlace(ChunkRange(seq, seq), span, chunk.source_locator)

    def _occurrences(self, quote: str) -> Iterator[Span]:
        at = self._text.find(quote) if quote else -1
        while at >= 0:
            span = Span(at, at + len(quote))
            yield span
            at = self._text.find(quote, span.end)

    def _across(self, chunks: Sequence[Chunk], span: Span) -> QuotePlace:
        paragraphs = Paragraphs(
            min(chunk.para_start for chunk in chunks), max(chunk.para_end for chunk in chunks)
        )
        range_ = ChunkRange(min(c.seq for c in chunks), max(c.seq for c in chunks))
        return QuotePlace(range_, span, format_locator(self._doc_id, paragraphs))

    def _overlapping(self, span: Span) -> list[Chunk]:
        found: list[Chunk] = []
        for n in range(bisect_right(self._starts, span.end - 1) - 1, -1, -1):
            if self._starts[n] <= span.start - self._longest:
                break
            if self._chunks[n].span.overlaps(span):
                found.append(self._chunks[n])
        return found
