"""What goes into a store in one transaction, and what comes back of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ragspine_store.records.chunks import Chunk, TreeNode
from ragspine_store.records.documents import DocumentMeta, LoadedDocument
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.vectors import PartVector


class Hit(NamedTuple):
    """A child's key in the index and its score; no text."""

    key: int
    score: float


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
        vectors: of its children and parents; none are kept of a RESTRICTED document.
    """

    meta: DocumentMeta
    loaded: LoadedDocument
    chunks: Sequence[Chunk]
    chunker: str
    source_path: str
    fingerprint: str
    nodes: Sequence[TreeNode] = ()
    origin: Origin = Origin()
    vectors: Sequence[PartVector] = ()


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
        collection: of the document; '' for a stub.
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
    collection: str = ""


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
