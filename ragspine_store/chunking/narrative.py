"""The default chunker: paragraphs packed up to a size, as the predecessor packed them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragspine_store.chunking.paragraphs import iter_paragraphs
from ragspine_store.errors import ChunkingError
from ragspine_store.records import (
    Chunk,
    DocumentMeta,
    Outline,
    Paragraphs,
    Span,
    format_locator,
)

_SENTENCE = re.compile(r"[^。！？；.!?;]*[。！？；.!?;]+|[^。！？；.!?;]+")

_Numbered = tuple[int, Span]


def chunk_document(
    text: str,
    meta: DocumentMeta,
    *,
    max_chars: int = 480,
    overlap_chars: int = 80,
    outline: Outline | None = None,
) -> list[Chunk]:
    r"""Cut a text into chunks of whole paragraphs.

    Paragraphs (non-blank lines, stripped) are joined by a line break while the whole stays within
    `max_chars`. The next chunk repeats the last whole paragraphs that fit `overlap_chars`. A
    paragraph longer than `max_chars` stands alone, cut after sentence marks, without overlap.

    Args:
        text: canonical text.
        meta: the document's metadata; `doc_id` prefixes all ids and locators.
        max_chars: most characters of a chunk.
        overlap_chars: most characters that a chunk repeats of the one before.
        outline: the structure of `text`, to name the section of each chunk; without it, 0.

    Returns:
        Chunks in document order; none for blank text.

    Raises:
        ChunkingError: the sizes contradict each other.

    >>> [c.text for c in chunk_document("a\n\nb", DocumentMeta("notes.txt"), max_chars=2,
    ...                                 overlap_chars=0)]
    ['a', 'b']
    """
    if max_chars <= 0:
        raise ChunkingError(f"max_chars={max_chars} given; expected a positive number")
    if not 0 <= overlap_chars < max_chars:
        raise ChunkingError(
            f"overlap_chars={overlap_chars} given; expected 0 or more and less than "
            f"max_chars={max_chars}"
        )
    chunks: list[Chunk] = []
    for group in _groups(text, max_chars, overlap_chars):
        (first, head), (last, tail) = group[0], group[-1]
        span = Span(head.start, tail.end)
        seq = len(chunks)
        chunks.append(
            Chunk(
                chunk_id=f"{meta.doc_id}#c{seq}",
                doc_id=meta.doc_id,
                seq=seq,
                text="\n".join(text[part.start : part.end] for _, part in group),
                source_locator=format_locator(meta.doc_id, Paragraphs(first, last)),
                para_start=first,
                para_end=last,
                span=span,
                section=outline.section_at(span) if outline else 0,
            )
        )
    return chunks


def _groups(text: str, max_chars: int, overlap_chars: int) -> Iterator[list[_Numbered]]:
    """The numbered paragraphs of each chunk; a cut paragraph comes as one piece at a time."""
    packed: list[_Numbered] = []
    size = 0
    for number, paragraph in enumerate(iter_paragraphs(text), start=1):
        length = _size(paragraph)
        if length > max_chars:
            if packed:
                yield packed
            for piece in _pieces(text, paragraph, max_chars):
                yield [(number, piece)]
            packed, size = [], 0
            continue
        if packed and size + 1 + length > max_chars:
            yield packed
            packed, size = _carried(packed, min(overlap_chars, max_chars - 1 - length))
        packed.append((number, paragraph))
        size += length + (1 if size else 0)
    if packed:
        yield packed


def _size(span: Span) -> int:
    return span.end - span.start


def _carried(packed: list[_Numbered], room: int) -> tuple[list[_Numbered], int]:
    """The last whole paragraphs that fit the room when joined, and their joined size."""
    first, size = len(packed), 0
    while first > 0:
        grown = size + _size(packed[first - 1][1]) + (1 if size else 0)
        if grown > room:
            break
        first, size = first - 1, grown
    return packed[first:], size


def _pieces(text: str, paragraph: Span, max_chars: int) -> Iterator[Span]:
    """Runs of sentences of one long paragraph, each within the size, together all of it."""
    start = end = paragraph.start
    for sentence in _SENTENCE.finditer(text, paragraph.start, paragraph.end):
        for at in range(sentence.start(), sentence.end(), max_chars):
            stop = min(at + max_chars, sentence.end())
            if stop - start > max_chars:
                yield Span(start, end)
                start = end
            end = stop
    yield Span(start, end)
