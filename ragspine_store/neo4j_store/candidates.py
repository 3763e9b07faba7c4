"""Rows of children as the exits want them: each with every label above it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ragspine_store.neo4j_store.transaction import Opened
from ragspine_store.protocols import Candidate, SectionLabel
from ragspine_store.records import Span, StoredChunk, pages_of
from ragspine_store.storage_rules.offsets import unpack_offsets


class DocumentRow(NamedTuple):
    """What is read of a document, in the order in which `retrieval.cypher` gives it."""

    doc_id: str
    title: str
    topic: str
    entity: str
    geography: str
    period: str
    language: str
    collection: str
    sensitivity: str
    valid_as_of: str
    version: int
    ingested_at: str
    offsets: bytes | None
    pages: Sequence[int]
    root_label: str


class ChildRow(NamedTuple):
    """What is read of a child, likewise."""

    hit_key: int
    node_id: str
    doc_id: str
    seq: int
    text: str
    source_locator: str
    para_start: int
    para_end: int
    sensitivity: str
    parent_id: str
    heading: str
    window_text: str | None
    parent_locator: str
    node: int | None
    span_start: int | None
    span_end: int | None
    window_start: int | None
    window_end: int | None


SectionRow = tuple[int, str, str, int, int]
"""Number, heading, label and span of a section."""


def read_candidates(
    opened: Opened, keys: Sequence[int], scores: Mapping[int, float]
) -> dict[int, Candidate]:
    """Children by key, in the order of documents and places; a vanished one is left out."""
    if not keys:
        return {}
    found: dict[int, Candidate] = {}
    for row in opened.rows("read_children", keys=list(keys)):
        children = [(ChildRow._make(child), above) for child, above in row["children"]]
        for candidate in candidates_of(DocumentRow._make(row["document"]), children, scores):
            found[candidate.key] = candidate
    return dict(sorted(found.items()))


def candidates_of(
    document: DocumentRow,
    children: Iterable[tuple[ChildRow, Sequence[SectionRow]]],
    scores: Mapping[int, float],
) -> list[Candidate]:
    """Children of one document, each with the sections above it."""
    offsets = unpack_offsets(document.offsets) if document.offsets else None
    found: list[Candidate] = []
    for child, above in children:
        span = _span(child.span_start, child.span_end)
        score = scores.get(child.hit_key, 0.0)
        found.append(
            Candidate(
                key=child.hit_key,
                chunk=_stored(document, child),
                score=score,
                collection=document.collection,
                document_label=document.sensitivity,
                ancestors=tuple(
                    SectionLabel(
                        f"{document.doc_id}#s{no}",
                        heading,
                        own_of(label, document.sensitivity),
                        Span(start, end),
                    )
                    for no, heading, label, start, end in above
                ),
                node=child.node,
                span=span,
                window=_span(child.window_start, child.window_end),
                raw_span=offsets.raw_span(span) if offsets and span else None,
                pages=pages_of(document.pages, span) if span else None,
            )
        )
    return found


def own_of(label: str, document_label: str) -> str:
    """A section's label as reads give it: '' when it is that of its document."""
    return "" if label == document_label else label


def _stored(document: DocumentRow, child: ChildRow) -> StoredChunk:
    return StoredChunk(
        chunk_id=child.node_id.removeprefix("child:"),
        doc_id=document.doc_id,
        seq=child.seq,
        text=child.text,
        source_locator=child.source_locator,
        para_start=child.para_start,
        para_end=child.para_end,
        title=document.title,
        topic=document.topic,
        entity=document.entity,
        geography=document.geography,
        period=document.period,
        language=document.language,
        sensitivity=child.sensitivity,
        valid_as_of=document.valid_as_of,
        ingested_at=document.ingested_at,
        version=document.version,
        parent_id=child.parent_id,
        heading=child.heading,
        window_text=child.window_text or "",
        parent_locator=child.parent_locator,
    )


def _span(start: int | None, end: int | None) -> Span | None:
    return None if start is None or end is None else Span(start, end)
