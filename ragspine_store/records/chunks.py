"""What a document is cut into: children, and the tree that they are merged in."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from ragspine_store.records.places import Span
from ragspine_store.sensitivity import DEFAULT_SENSITIVITY


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
        lead_in: span of the line that its list begins with, inside other children; it is found by
            that text too. None without one.
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
    lead_in: Span | None = None


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
