"""The values that travel through the store, from outline to stored chunk.

Every span is a half-open range of code points into the document's canonical text. Text fields
are kept out of `repr`, so that a traceback or a log line never shows them.
"""

from __future__ import annotations

import enum
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from ragspine_store.sensitivity import DEFAULT_SENSITIVITY, Sensitivity, parse_label


class Span(NamedTuple):
    """A half-open range of code points: `text[start:end]`."""

    start: int
    end: int

    def contains(self, other: Span) -> bool:
        """Whether the other span lies wholly inside this one."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Whether the two spans share at least one code point."""
        return self.start < other.end and other.start < self.end


class Paragraphs(NamedTuple):
    """An inclusive range of paragraphs: non-blank lines, numbered from 1 over the document."""

    first: int
    last: int


class Pages(NamedTuple):
    """An inclusive range of pages, numbered from 1."""

    first: int
    last: int


def pages_of(starts: Sequence[int], span: Span) -> Pages | None:
    """The pages that a span stands on; None in a document without pages.

    Args:
        starts: where each page starts.
        span: in the same text, not empty.

    >>> pages_of([0, 100, 200], Span(90, 110))
    Pages(first=1, last=2)
    """
    if not starts:
        return None
    return Pages(bisect_right(starts, span.start), bisect_right(starts, span.end - 1))


def format_locator(doc_id: str, paragraphs: Paragraphs) -> str:
    """Where a text stands, as people cite it.

    >>> format_locator("rules.md", Paragraphs(3, 7))
    'rules.md#para3-7'
    """
    first, last = paragraphs
    return f"{doc_id}#para{first}" if first == last else f"{doc_id}#para{first}-{last}"


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


class NodeKind(enum.Enum):
    """What a node of the merge tree is; the value is the letter of its id."""

    SECTION = "s"
    ITEM = "i"
    PAGE = "p"
    WINDOW = "w"


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A branch of the tree that is merged when enough of its children are hit.

    Its children are the nodes that name it as their parent and the chunks that name it as their
    node. So an item that holds others is a node: its lead text is one child, and each nested item
    another.

    Attributes:
        no: position in document order; 0 is the document itself.
        parent: `no` of the enclosing node; None for the document.
        level: depth in the tree; 0 for the document.
        section: of a section, its own `no`; otherwise of the deepest section that holds the node.
        label: an item's marker as written, the number of a page; '' for a section.
        span: all of its text, its descendants' included; inside its parent's, after its elder
            siblings'.
        kind: what it is.
    """

    no: int
    parent: int | None
    level: int
    section: int
    label: str = field(repr=False)
    span: Span
    kind: NodeKind = NodeKind.SECTION

    @property
    def name(self) -> str:
        """What follows `{doc_id}#` in its id: `s7` for a section, `i12` for an item."""
        number = self.section if self.kind is NodeKind.SECTION else self.no
        return f"{self.kind.value}{number}"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A searchable child as a chunker makes it.

    Attributes:
        chunk_id: `{doc_id}#c{seq}`.
        seq: position in the document, from 0.
        text: the child's text.
        source_locator: `{doc_id}#para{a}` or `{doc_id}#para{a}-{b}`.
        para_start, para_end: paragraphs it stands in, inclusive.
        span: where it stands in the canonical text.
        section: `no` of the deepest section that contains it.
        parent_id: id of its parent window, '' without one.
        heading: heading of its section, '' for the default chunker.
        window_text: a window given as text; '' for windows that are spans.
        parent_locator: locator of its window, '' without one.
        window: span of its window in the canonical text, None without one.
        node: `no` of the innermost node of the chunker's tree that holds it; 0, the document,
            where the chunker makes no tree.
    """

    chunk_id: str
    doc_id: str
    seq: int
    text: str = field(repr=False)
    source_locator: str
    para_start: int
    para_end: int
    span: Span
    section: int = 0
    parent_id: str = ""
    heading: str = field(default="", repr=False)
    window_text: str = field(default="", repr=False)
    parent_locator: str = ""
    window: Span | None = None
    node: int = 0


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """One row of `narrative_chunk`: the predecessor's columns and the record's four.

    `sensitivity` is the label as stored; compare it with `sensitivity.stored_label` only.
    """

    chunk_id: str
    doc_id: str
    seq: int
    text: str = field(repr=False)
    source_locator: str
    para_start: int
    para_end: int
    title: str = field(default="", repr=False)
    topic: str = ""
    entity: str = ""
    geography: str = ""
    period: str = ""
    language: str = ""
    sensitivity: str = DEFAULT_SENSITIVITY.name
    valid_as_of: str = ""
    ingested_at: str = ""
    version: int = 1
    active: bool = True
    parent_id: str = ""
    heading: str = field(default="", repr=False)
    window_text: str = field(default="", repr=False)
    parent_locator: str = ""


class Hit(NamedTuple):
    """A child's key in the index and its score; no text."""

    key: int
    score: float


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Maps spans of the canonical text back to the decoded file.

    Attributes:
        runs: (canonical start, raw start, raw length) in order. Inside a run offsets advance one
            to one when its canonical and raw lengths agree; otherwise the run is one unit.
        length: of the canonical text.
    """

    runs: tuple[tuple[int, int, int], ...] = field(repr=False)
    length: int

    def raw_span(self, span: Span) -> Span:
        """The span of the decoded file, in code points, that a canonical span came from.

        >>> OffsetMap(((0, 1, 3), (3, 8, 2)), 5).raw_span(Span(2, 4))
        Span(start=3, end=9)
        """
        if not self.runs:
            return Span(0, 0)
        if span.start >= span.end:
            at = self._raw(min(span.start, max(self.length - 1, 0)), end=span.start >= self.length)
            return Span(at, at)
        return Span(self._raw(span.start, end=False), self._raw(span.end - 1, end=True))

    def _raw(self, at: int, *, end: bool) -> int:
        low, high = 0, len(self.runs)
        while high - low > 1:
            middle = (low + high) // 2
            if self.runs[middle][0] <= at:
                low = middle
            else:
                high = middle
        start, raw, raw_length = self.runs[low]
        stop = self.runs[low + 1][0] if low + 1 < len(self.runs) else self.length
        if stop - start == raw_length:
            return raw + (at - start) + (1 if end else 0)
        return raw + raw_length if end else raw


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


@dataclass(frozen=True, slots=True)
class Origin:
    """What a document was made of, as the next ingest compares it.

    Attributes:
        content: hash of the file's bytes; '' when unknown.
        inputs: hash of the bytes and of all else that decides what is made of them and which label
            it gets; '' when unknown.
        is_stated: somebody stated its label, rather than a default standing in.
    """

    content: str = ""
    inputs: str = ""
    is_stated: bool = True


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """All that one ingest transaction writes.

    Attributes:
        meta: with the label in force.
        loaded: canonical text, outline and offsets.
        chunks: in order of seq.
        chunker: the spec of the chunker, '' for the default.
        source_path: real path of the file, '' for a text given directly.
        fingerprint: hash of bytes, settings and stated metadata; equal means unchanged.
        nodes: the tree that the children hang in; empty for a chunker without one.
        origin: what it was made of.
    """

    meta: DocumentMeta
    loaded: LoadedDocument
    chunks: Sequence[Chunk]
    chunker: str
    source_path: str
    fingerprint: str
    nodes: Sequence[TreeNode] = ()
    origin: Origin = Origin()


@dataclass(frozen=True, slots=True)
class DocumentState:
    """What a store knows of one document, for the operator's side only.

    Attributes:
        sensitivity: the label in force.
        fingerprint: of the last ingest; '' for a stub or a row from before the record.
        source_path: the file it came from; '' for a stub or a text given directly.
        version: counts up with each change; 0 for a stub.
        is_stub: only keyed hashes, a label and a time are kept.
        chunker: spec of the chunker it was cut with; '' for the default, and for a stub.
        strictest_part: the strictest label of its own that a section or child has; None without.
        is_settled: it is kept as the store keeps such a document now: a RESTRICTED one as a stub or
            with its text, as configured, any other with its text.
        is_stated: somebody stated its label, rather than a default standing in.
    """

    sensitivity: Sensitivity
    fingerprint: str
    source_path: str
    version: int
    is_stub: bool
    chunker: str = ""
    strictest_part: Sensitivity | None = None
    is_settled: bool = True
    is_stated: bool = True


@dataclass(frozen=True, slots=True)
class PartState:
    """What a store knows of one section or child, for the operator's side only.

    Attributes:
        doc_no, key: the store's own keys of its document and of itself.
        is_section: a section rather than a child.
        inherited: the least strict it can be, whatever is stated of it.
        label: the label in force.
        is_erased: its text was erased when it became RESTRICTED.
    """

    doc_no: int
    key: int
    is_section: bool
    inherited: Sensitivity
    label: Sensitivity
    is_erased: bool
