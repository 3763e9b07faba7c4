"""A document as rules read it: the text of its children, each character once.

Children may overlap, and a child may be withheld. So a reading has parts: what a child adds to
those before it. Children with nothing withheld between them are one run; no rule looks beyond a
run, since evidence holds all children in its range.

What is found in a reading is kept with it, so that extractors which share one look once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from ragspine_graph.extraction.references.finding import DocumentReferences, references_of
from ragspine_graph.security.relation_source import RelationSource, SourceChunk
from ragspine_store.records import Span
from ragspine_store.relations import Node
from ragspine_store.sealed import Cleared
from ragspine_store.sentences import sentence_spans


class Part(NamedTuple):
    """What a child adds to those before it.

    Attributes:
        span: in the text of the reading, half-open, not empty.
        chunk: the child.
        run: number of its run, from 0.
    """

    span: Span
    chunk: SourceChunk
    run: int


class Mention(NamedTuple):
    """A node that a document names.

    Attributes:
        node: which.
        span: where, in the text of the reading, half-open.
        name: as written there.
        is_about: the words do not name it; all of the child is about it.
    """

    node: Node
    span: Span
    name: str
    is_about: bool = False


@dataclass(frozen=True)
class Reading:
    """A document's children in one text.

    Attributes:
        source: the document.
        text: the canonical text; for a document from before the record, its children's texts.
        parts: in order; they do not overlap.
        starts: of the parts.
        is_canonical: spans of the text are spans of the canonical text.
        mentions: what each source of names found in it so far.
    """

    source: RelationSource
    text: str = field(repr=False)
    parts: tuple[Part, ...]
    starts: tuple[int, ...]
    is_canonical: bool
    mentions: dict[EntitySource, tuple[Mention, ...]] = field(
        default_factory=dict["EntitySource", tuple[Mention, ...]], repr=False, compare=False
    )

    @cached_property
    def references(self) -> DocumentReferences:
        """What the document refers to, and how it can be referred to."""
        return references_of(self.source)

    def find_part(self, span: Span) -> Part | None:
        """The part that a span stands in; None when it crosses a border of parts."""
        start, end = span
        no = bisect_right(self.starts, start) - 1
        part = self.parts[no] if no >= 0 else None
        return part if part and end <= part.span.end else None

    def sentences(self, part: Part) -> list[Span]:
        """The sentences of a part, in order."""
        return sentence_spans(self.text, part.span.start, part.span.end)


EntitySource = Callable[[Cleared[Reading]], Iterable[Mention]]
"""Finds names in a document."""


def read_source(source: RelationSource) -> Reading:
    """The reading of a document; the same document gives the same one."""
    is_canonical = source.text != "" and all(chunk.span for chunk in source.chunks)
    if is_canonical:
        text, parts = source.text, tuple(_parts_of_canonical(source.chunks))
    else:
        text, parts = _read_children(source.chunks)
    starts = tuple(part.span.start for part in parts)
    return Reading(source, text, parts, starts, is_canonical)


def _parts_of_canonical(chunks: Sequence[SourceChunk]) -> Iterator[Part]:
    read_to, run, before = 0, 0, -1
    for chunk in chunks:
        if before >= 0 and chunk.seq > before + 1:
            run += 1
        before = chunk.seq
        if chunk.span and chunk.span.end > read_to:
            span = Span(max(chunk.span.start, read_to), chunk.span.end)
            yield Part(span, chunk, run)
            read_to = span.end


def _read_children(chunks: Sequence[SourceChunk]) -> tuple[str, tuple[Part, ...]]:
    texts: list[str] = []
    parts: list[Part] = []
    at, run = 0, 0
    before: SourceChunk | None = None
    for chunk in chunks:
        if before is not None and chunk.seq > before.seq + 1:
            run, before = run + 1, None
        new = chunk.text[_carried(before.text, chunk.text) :] if before else chunk.text
        before = chunk
        if new:
            parts.append(Part(Span(at, at + len(new)), chunk, run))
            texts.append(new)
            at += len(new) + 1
    return "\n".join(texts), tuple(parts)


def _carried(before: str, text: str) -> int:
    """Length of the whole lines at the start of a child that the one before ends with."""
    end = text.find("\n")
    carried = 0
    while end >= 0:
        if before.endswith(text[:end]) and (len(before) == end or before[-end - 1] == "\n"):
            carried = end + 1
        end = text.find("\n", end + 1)
    return carried
