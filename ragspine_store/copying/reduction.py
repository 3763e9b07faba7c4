"""What a store that keeps stubs leaves of a document that was kept with RESTRICTED text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ragspine_store.kept import KeptDocument, KeptRelations, KeptStub
from ragspine_store.records import Span
from ragspine_store.relations import Evidence
from ragspine_store.sensitivity import Sensitivity, stored_label
from ragspine_store.storage_rules.part_labels import (
    Erasure,
    Part,
    PartLabels,
    find_erasure,
    own_label,
)
from ragspine_store.storage_rules.stub_key import Name, folder_hashes
from ragspine_store.vectors import PartVector, VectorKind


def stub_of(document: KeptDocument, name: Name) -> KeptStub:
    """The stub of a RESTRICTED document.

    Args:
        document: kept with its text.
        name: makes the keyed hashes.
    """
    id_hash = name(document.doc_id)
    path, content = document.source_path, document.content_hash
    # Without a fingerprint the next ingest must look at the file, whatever it was made of.
    inputs = document.inputs_hash if document.fingerprint else ""
    return KeptStub(
        id_hash=id_hash,
        source_hash=name(path) if path else "",
        content_hash=name(content) if content else "",
        inputs_hash=name(inputs) if inputs else "",
        folder_hashes=tuple(folder_hashes(name, id_hash, document.doc_id, path)),
        label=Sensitivity.RESTRICTED.name,
        labelled_at=document.ingested_at,
        is_stated=document.is_stated,
    )


@dataclass(frozen=True, slots=True)
class ErasedParts:
    """The parts of a document that are erased: children by position, sections by span."""

    doc_id: str
    children: frozenset[int]
    sections: Mapping[int, Span]

    @classmethod
    def of(cls, document: KeptDocument) -> ErasedParts:
        """Those of a document."""
        return cls(
            document.doc_id,
            frozenset(child.seq for child in document.children if child.is_erased),
            {section.no: section.span for section in document.sections if section.is_erased},
        )

    def hold(self, evidence: Evidence) -> bool:
        """Whether any of what evidence rests on is erased."""
        chunks, span = evidence.chunks, evidence.span
        if chunks is not None:
            return not self.children.isdisjoint(range(chunks.first, chunks.last + 1))
        return span is not None and any(span.overlaps(s) for s in self.sections.values())

    @property
    def nodes(self) -> frozenset[str]:
        """Their ids as nodes of the graph."""
        return frozenset(
            [f"child:{self.doc_id}#c{seq}" for seq in self.children]
            + [f"section:{self.doc_id}#s{no}" for no in self.sections]
        )


def relations_without(erased: ErasedParts, kept: KeptRelations) -> KeptRelations:
    """What the graph keeps of a document but what rests on parts that are erased, or names them.

    Where labels were given by this program nothing does: it takes that away at once.
    """
    nodes = erased.nodes
    return replace(
        kept,
        relations=tuple(
            one
            for one in kept.relations
            if not erased.hold(one.evidence) and nodes.isdisjoint((one.key.source, one.key.target))
        ),
        addresses=tuple(one for one in kept.addresses if one.node not in nodes),
        references=tuple(
            one
            for one in kept.references
            if not erased.hold(one.evidence) and one.source not in nodes
        ),
        rejections=tuple(one for one in kept.rejections if not erased.hold(one.rejection.evidence)),
        answers=tuple(one for one in kept.answers if one.seq not in erased.children),
    )


def is_restricted(document: KeptDocument) -> bool:
    """Whether a document as a whole is RESTRICTED."""
    return stored_label(document.label) is Sensitivity.RESTRICTED


def without_restricted_parts(document: KeptDocument) -> KeptDocument:
    """A document whose RESTRICTED parts are erased; the same one when none are kept."""
    erasure = find_erasure(_labels_of(document), document.text or None)
    if erasure is None:
        return document
    is_hidden = bool(document.title) and document.title in erasure.headings
    title = document.doc_id if is_hidden else document.title
    erased = set(erasure.sections)
    sections = tuple(
        replace(s, heading="", is_erased=True)
        if s.no in erased
        else replace(s, heading=title)
        if is_hidden and s.no == 0
        else s
        for s in document.sections
    )
    closed = set(erasure.children)
    children = tuple(
        replace(c, text="", heading="", is_erased=True)
        if c.seq in closed
        else replace(c, heading=title)
        if is_hidden and c.section == 0 and c.heading == document.title
        else c
        for c in document.children
    )
    return replace(
        document,
        title=title,
        fingerprint="" if is_hidden else document.fingerprint,
        text=erasure.text or "",
        sections=sections,
        # A window kept as text may hold the erased part; windows that are spans cannot.
        children=tuple(
            replace(c, window_text="", parent_locator="") if c.window_text else c for c in children
        ),
        vectors=tuple(_vectors_without(document, erasure)),
    )


def _vectors_without(document: KeptDocument, erasure: Erasure) -> Iterator[PartVector]:
    """The vectors of a document but those of what is erased, and of parents that hold any of it."""
    children = {child.seq: child for child in document.children}
    erased = [s.span for s in document.sections if s.no in erasure.sections]
    erased += [c.span for seq in erasure.children if (c := children[seq]).span is not None]
    for vector in document.vectors:
        child = children[vector.seq]
        if vector.kind is VectorKind.CHILD:
            if vector.seq not in erasure.children:
                yield vector
        elif child.window is None or not any(map(child.window.overlaps, erased)):
            yield vector


def _labels_of(document: KeptDocument) -> PartLabels:
    """The labels of its parts, those that another program wrote among what was stated."""
    return PartLabels(
        stored_label(document.label),
        [
            Part(
                s.no,
                s.span,
                max(own_label(s.own_label), own_label(s.label)),
                s.is_erased,
                s.parent,
                s.heading,
            )
            for s in document.sections
        ],
        [
            Part(
                c.seq,
                c.span or Span(c.paragraphs.first, c.paragraphs.last + 1),
                own_label(c.own_label)
                if stored_label(c.label) <= c.level
                else stored_label(c.label),
                c.is_erased,
            )
            for c in document.children
        ],
    )
