"""What of a document is embedded: the one place that makes the texts.

A child goes with the headings above it, since many a child says nothing without them; a parent
likewise. What did not pass the exit is in neither: a parent that holds any of it is left out.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from ragspine_graph.embedding.protocol import Embedder
from ragspine_graph.security.relation_source import RelationSource, SourceSection
from ragspine_store.records import Span
from ragspine_store.vectors import VectorKind

TEXTS_VERSION = 1
"""Counts up when the same document gives other texts: vectors of other texts are another model's.

It is a part of the name that a model's vectors are kept under.
"""


def stored_model(embedder: Embedder) -> str:
    """The name that an embedder's vectors are kept under: it says all that they hang on."""
    return f"{embedder.model}/{TEXTS_VERSION}"


class PartText(NamedTuple):
    """A text to embed.

    Attributes:
        kind: what it is of.
        seq: of the child, or of the first child of the parent.
        text: it.
    """

    kind: VectorKind
    seq: int
    text: str

    @property
    def text_hash(self) -> bytes:
        """By which the vector of an equal text is found."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).digest()


def part_texts(source: RelationSource) -> list[PartText]:
    """The texts of a document's children, then those of its parents, each in document order."""
    sections = _Sections(source.sections)
    texts = [
        PartText(VectorKind.CHILD, child.seq, _under(sections.path(child.section), child.text))
        for child in source.chunks
    ]
    first_of: dict[Span, int] = {}
    for child in source.chunks:
        if child.window is not None:
            first_of.setdefault(child.window, child.seq)
    for window, seq in first_of.items():
        text = source.text[window.start : window.end]
        if text and not any(window.overlaps(span) for span in source.withheld):
            path = sections.path(sections.holding(window))
            texts.append(PartText(VectorKind.PARENT, seq, _under(path, text)))
    return texts


def _under(headings: tuple[str, ...], text: str) -> str:
    return "\n".join((" > ".join(headings), text)) if headings else text


class _Sections:
    """The sections that passed the exit."""

    def __init__(self, sections: Sequence[SourceSection]) -> None:
        self._sections = sections
        self._parents = {section.no: section.parent for section in sections}
        self._spans = {section.no: section.span for section in sections}
        self._paths: dict[int, tuple[str, ...]] = {}
        for section in sections:
            above = () if section.parent is None else self._paths[section.parent]
            is_shown = section.parent is not None and section.heading
            self._paths[section.no] = (*above, section.heading) if is_shown else above

    def path(self, no: int) -> tuple[str, ...]:
        """The headings down to a section, the document's and withheld ones left out."""
        return self._paths.get(no, ())

    def holding(self, span: Span) -> int:
        """The deepest section that holds all of a span; 0, the document, when none does."""
        at = bisect_right(self._sections, span.start, key=lambda section: section.span.start)
        no = self._sections[max(at - 1, 0)].no if self._sections else 0
        while (above := self._parents.get(no)) is not None and not self._spans[no].contains(span):
            no = above
        return no
