"""What a store keeps of a document: its row, text, structure and children; or its stub.

Labels are texts, since what another program wrote is copied too: one of the four by its name,
however it is spelled, another as it stands. What follows from these values (index tokens,
clearances, paragraph numbers of sections) is made anew by whoever writes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ragspine_store.records import OffsetMap, Paragraphs, Span
from ragspine_store.sensitivity import spelled_label
from ragspine_store.vectors import PartVector


@dataclass(frozen=True, slots=True)
class KeptSection:
    """A section; number 0 is the document itself.

    Attributes:
        no, parent, level, heading, span, own_end: as in `Section`.
        own_label: what was stated of it, '' for nothing.
        label: the label in force, '' when it is its document's.
        is_erased: its text was erased when it became RESTRICTED.
    """

    no: int
    parent: int | None
    level: int
    heading: str = field(repr=False)
    span: Span
    own_end: int
    own_label: str
    label: str
    is_erased: bool

    def __post_init__(self) -> None:
        _spell(self, "own_label", "label")


@dataclass(frozen=True, slots=True)
class KeptBranch:
    """A node of the tree that children are merged in; `children` hang directly in it."""

    no: int
    parent: int | None
    name: str
    span: Span
    paragraphs: Paragraphs
    children: int


@dataclass(frozen=True, slots=True)
class KeptChild:
    """A child.

    Attributes:
        chunk_id, seq, text, source_locator, paragraphs: as in `Chunk`.
        parent_id, heading, window_text, parent_locator, window: likewise.
        section: `no` of its section.
        node: `no` of its branch; None outside of a tree.
        span: in the canonical text; None for one from before the record.
        own_label: what was stated of it, '' for nothing.
        label: the label in force.
        level: the same as it was derived, which another program's label may exceed.
        is_erased: its text was erased when it became RESTRICTED.
        lead_in: as in `Chunk`.
    """

    chunk_id: str
    seq: int
    text: str = field(repr=False)
    source_locator: str
    paragraphs: Paragraphs
    parent_id: str
    heading: str = field(repr=False)
    window_text: str = field(repr=False)
    parent_locator: str
    window: Span | None
    section: int
    node: int | None
    span: Span | None
    own_label: str
    label: str
    level: int
    is_erased: bool
    lead_in: Span | None = None

    def __post_init__(self) -> None:
        _spell(self, "own_label", "label")


@dataclass(frozen=True, slots=True)
class KeptDocument:
    """A document with all that is its own.

    Attributes:
        doc_id, title, topic, entity, geography, period, language, collection, valid_as_of: as in
            `DocumentMeta`.
        label: its label in force.
        is_stated: somebody stated it.
        version: counts up with each change.
        ingested_at: when it was written; '' for a document without children.
        chunker, fingerprint, source_path, content_hash, inputs_hash: as in `PreparedDocument`.
        text: the canonical text; '' when none is kept.
        offsets: the way back to the decoded file; None for a rendered format.
        pages: where each page starts.
        sections, branches, children: in document order; a document from before the record has no
            sections.
        vectors: of its parts, by model, kind and position; none of what is RESTRICTED.
    """

    doc_id: str
    title: str = field(repr=False)
    topic: str
    entity: str
    geography: str
    period: str
    language: str
    collection: str
    label: str
    is_stated: bool
    valid_as_of: str
    version: int
    ingested_at: str
    chunker: str
    fingerprint: str
    source_path: str
    content_hash: str
    inputs_hash: str
    text: str = field(repr=False)
    offsets: OffsetMap | None = field(repr=False)
    pages: tuple[int, ...]
    sections: tuple[KeptSection, ...]
    branches: tuple[KeptBranch, ...]
    children: tuple[KeptChild, ...]
    vectors: tuple[PartVector, ...] = ()

    def __post_init__(self) -> None:
        _spell(self, "label")


@dataclass(frozen=True, slots=True)
class KeptStub:
    """All that is kept of a RESTRICTED document by default; every hash is keyed.

    Attributes:
        id_hash, source_hash, content_hash, inputs_hash: of its id, its file's path, the bytes, and
            all that decided what became of them; '' when unknown.
        folder_hashes: one for each folder from the file's up to the root.
        label, labelled_at, is_stated: its label, since when, and whether somebody stated it.
    """

    id_hash: str
    source_hash: str
    content_hash: str
    inputs_hash: str
    folder_hashes: tuple[str, ...]
    label: str
    labelled_at: str
    is_stated: bool

    def __post_init__(self) -> None:
        _spell(self, "label")


def _spell(value: object, *names: str) -> None:
    for name in names:
        object.__setattr__(value, name, spelled_label(getattr(value, name)))
