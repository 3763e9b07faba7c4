"""What an extractor may read: a document without what is RESTRICTED in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragspine_store.records import Span


@dataclass(frozen=True, slots=True)
class SourceChunk:
    """A child that passed the exit.

    Attributes:
        seq: its position in the document.
        text: its text.
        locator: where it stands, as people cite it.
        span: of its text in the canonical text, half-open; None for a row from before the record.
        section: `no` of the deepest section that holds it.
        entity: the entity that its metadata names, '' without one.
        window: span of its parent's text, None without one.
        lead_in: span of the line that its list begins with; None without one, and where not all who
            see the child may read it.
    """

    seq: int
    text: str = field(repr=False)
    locator: str
    span: Span | None = None
    section: int = 0
    entity: str = ""
    window: Span | None = None
    lead_in: Span | None = None


@dataclass(frozen=True, slots=True)
class SourceSection:
    """A section that passed the exit; fields as in `ragspine_store.records.Section`.

    Its heading is '' where that stands in a child that did not pass.
    """

    no: int
    parent: int | None
    level: int
    heading: str = field(repr=False)
    span: Span


@dataclass(frozen=True, slots=True)
class RelationSource:
    """A document as extractors see it; made by `security.exits.clear_source` alone.

    Attributes:
        doc_id, title, collection, version: of the document.
        text: the canonical text, each character of a withheld part replaced by a space, so that
            spans hold; '' for a document from before the record.
        sections: those that passed, in document order; the first is the document itself.
        chunks: the children that passed, in order.
        withheld: spans of what did not pass, so that nobody takes the parts on both sides of it for
            neighbours.
    """

    doc_id: str
    title: str = field(repr=False)
    collection: str
    version: int
    text: str = field(repr=False)
    sections: tuple[SourceSection, ...]
    chunks: tuple[SourceChunk, ...]
    withheld: tuple[Span, ...] = ()
