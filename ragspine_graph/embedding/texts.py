"""What of a document is embedded: the one place that makes the texts.

A child goes with the line that its list begins with, since many an item says nothing without it,
and with the headings above it where the model can tell what a heading is: to one that averages
words they only make all children alike. What did not pass the exit is in no text: a parent that
holds any of it is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ragspine_graph.embedding.protocol import Embedder
from ragspine_graph.security.relation_source import RelationSource, SourceChunk, SourceSection
from ragspine_store.records import Span
from ragspine_store.storage_rules.rows import heading_paths
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


def part_texts(source: RelationSource, *, with_headings: bool) -> list[PartText]:
    """The texts of a document's children, then those of its parents, each in document order.

    Args:
        source: the document.
        with_headings: children go with the headings above them.
    """
    paths = _heading_paths(source.sections) if with_headings else {}
    texts = [
        PartText(VectorKind.CHILD, child.seq, _child_text(source, child, paths))
        for child in source.chunks
    ]
    first_of: dict[Span, int] = {}
    for child in source.chunks:
        if child.window is not None:
            first_of.setdefault(child.window, child.seq)
    for window, seq in first_of.items():
        text = source.text[slice(*window)]
        if text and not any(window.overlaps(span) for span in source.withheld):
            texts.append(PartText(VectorKind.PARENT, seq, text))
    return texts


def _child_text(source: RelationSource, child: SourceChunk, paths: Mapping[int, str]) -> str:
    lead_in = source.text[slice(*child.lead_in)] if child.lead_in else ""
    return "\n".join(filter(None, (paths.get(child.section), lead_in, child.text)))


def _heading_paths(sections: Sequence[SourceSection]) -> dict[int, str]:
    """The headings down to each section in one line; the document's and withheld ones left out."""
    paths = heading_paths((s.no, s.parent, s.heading) for s in sections)
    return {no: " > ".join(filter(None, path)) for no, path in paths.items()}
