"""A document as it is loaded: what is said of it, its text and its structure."""

from __future__ import annotations

import enum
from bisect import bisect_right
from dataclasses import dataclass, field, fields

from ragspine_store.records.places import OffsetMap, Span
from ragspine_store.sensitivity import DEFAULT_SENSITIVITY, Sensitivity, parse_label


@dataclass(frozen=True, slots=True)
class DocumentMeta:
    """What is known about a document besides its text.

    Attributes:
        doc_id: the id, unique in a store.
        title: as shown to readers.
        topic, entity, geography, period, language: filterable, '' when not stated.
        sensitivity: the label in force; its name will do.
        collection: the collection the document belongs to.
        valid_as_of: the date the text is valid for, as written.

    Raises:
        LabelError: the sensitivity is no label.
    """

    doc_id: str
    title: str = field(default="", repr=False)
    topic: str = ""
    entity: str = ""
    geography: str = ""
    period: str = ""
    language: str = ""
    sensitivity: Sensitivity = DEFAULT_SENSITIVITY
    collection: str = "default"
    valid_as_of: str = ""

    def __post_init__(self) -> None:
        source = f"the metadata of {self.doc_id!r}"
        object.__setattr__(self, "sensitivity", parse_label(self.sensitivity, source=source))


# What front matter, sidecars and callers may state of a document.
META_KEYS = tuple(key.name for key in fields(DocumentMeta) if key.name != "doc_id")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and all that stands under it.

    Attributes:
        no: position in document order; 0 is the document itself.
        parent: `no` of the enclosing section; None for the document.
        level: depth in the tree; 0 for the document, its children have 1.
        heading: the heading's text, numbering as written; the title for the document.
        span: from the heading to the end of its last subsection.
        own_end: where its own text ends, that is where its first subsection starts.
    """

    no: int
    parent: int | None
    level: int
    heading: str = field(repr=False)
    span: Span
    own_end: int

    @property
    def own(self) -> Span:
        """The section's own text: its heading and blocks, without its subsections."""
        return Span(self.span.start, self.own_end)


class BlockKind(enum.Enum):
    """What a block is."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    TABLE = "table"
    CODE = "code"
    FOOTNOTE = "footnote"
    QUOTE = "quote"
    HTML = "html"


@dataclass(frozen=True, slots=True)
class Block:
    """The smallest structural unit; blocks are disjoint and in document order.

    Attributes:
        section: `no` of the section whose own text holds it.
        kind: what it is.
        span: its text; for an item, from its marker to before its nested items.
        depth: nesting of items, 1 for an outermost item, 0 outside of lists.
        parent: index of the item block that holds this one, None at the top.
        label: an item's marker as written, such as `3.`, `（２）` or `イ`; '' otherwise.
    """

    section: int
    kind: BlockKind
    span: Span
    depth: int = 0
    parent: int | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """The structure of one canonical text.

    Attributes:
        sections: in document order; the first is the document itself.
        blocks: in document order; with the headings they cover all text.
    """

    sections: tuple[Section, ...]
    blocks: tuple[Block, ...]

    def path(self, no: int) -> tuple[str, ...]:
        """Headings from the outermost section down to section `no`, the document left out."""
        headings: list[str] = []
        section = self.sections[no]
        while section.parent is not None:
            headings.append(section.heading)
            section = self.sections[section.parent]
        return tuple(reversed(headings))

    def section_at(self, span: Span) -> int:
        """`no` of the deepest section that contains the whole span."""
        no = bisect_right(self.sections, span.start, key=lambda section: section.span.start) - 1
        section = self.sections[max(no, 0)]
        while section.parent is not None and not section.span.contains(span):
            section = self.sections[section.parent]
        return section.no


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """What a loader makes of one file.

    Attributes:
        text: the canonical text.
        offsets: the way back to the decoded file; None for a format that is rendered to text.
        outline: its structure.
        stated: metadata the file states about itself (front matter), keys as in `DocumentMeta`.
        title: the first top heading, '' without one.
        full_text: the whole decoded file, for screening by keyword; never stored.
        pages: where each page starts in the canonical text; empty for a file without pages.
        notes: what the operator should know of the loading, such as what was left out; a phrase
            each, without any text of the file.
    """

    text: str = field(repr=False)
    offsets: OffsetMap | None
    outline: Outline
    stated: dict[str, str] = field(repr=False)
    title: str = field(repr=False)
    full_text: str = field(repr=False)
    pages: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
