"""Rows of children as the exits want them: each with every label above it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neo4j import Record

from ragspine_store.neo4j_store.transaction import Opened
from ragspine_store.protocols import Candidate, SectionLabel
from ragspine_store.records import Span, StoredChunk, pages_of
from ragspine_store.storage_rules.offsets import unpack_offsets

Properties = Mapping[str, Any]  # the driver gives untyped values


def read_candidates(
    opened: Opened, keys: Sequence[int], scores: Mapping[int, float]
) -> dict[int, Candidate]:
    """Children by key, in the order of documents and places; a vanished one is left out."""
    if not keys:
        return {}
    rows = opened.rows("read_children", keys=list(keys))
    found = {c.key: c for row in rows for c in candidates_of(row, scores)}
    return dict(sorted(found.items()))


def candidates_of(row: Record | Properties, scores: Mapping[int, float]) -> list[Candidate]:
    """The children of one document, from a row with `document` and `children`."""
    document: Properties = row["document"]
    offsets = unpack_offsets(document["offsets"]) if document["offsets"] else None
    found: list[Candidate] = []
    for child in row["children"]:
        values: Properties = child["row"]
        key, span = values["hit_key"], _span(values["span_start"], values["span_end"])
        found.append(
            Candidate(
                key=key,
                chunk=_stored(document, values),
                score=scores.get(key, 0.0),
                collection=document["collection"],
                document_label=document["sensitivity"],
                ancestors=tuple(
                    SectionLabel(
                        f"{document['doc_id']}#s{no}",
                        heading,
                        own_of(label, document["sensitivity"]),
                        Span(start, end),
                    )
                    for no, heading, label, start, end in child["above"]
                ),
                node=values["node"],
                span=span,
                window=_span(values["window_start"], values["window_end"]),
                raw_span=offsets.raw_span(span) if offsets and span else None,
                pages=pages_of(document["pages"], span) if span else None,
            )
        )
    return found


def own_of(label: str, document_label: str) -> str:
    """A section's label as reads give it: '' when it is that of its document."""
    return "" if label == document_label else label


def _stored(document: Properties, child: Properties) -> StoredChunk:
    return StoredChunk(
        chunk_id=child["id"].removeprefix("child:"),
        doc_id=document["doc_id"],
        seq=child["seq"],
        text=child["text"],
        source_locator=child["source_locator"],
        para_start=child["para_start"],
        para_end=child["para_end"],
        title=document["title"],
        topic=document["topic"],
        entity=document["entity"],
        geography=document["geography"],
        period=document["period"],
        language=document["language"],
        sensitivity=child["sensitivity"],
        valid_as_of=document["valid_as_of"],
        ingested_at=document["ingested_at"],
        version=document["version"],
        parent_id=child["parent_id"],
        heading=child["heading"],
        window_text=child["window_text"] or "",
        parent_locator=child["parent_locator"],
    )


def _span(start: int | None, end: int | None) -> Span | None:
    return None if start is None or end is None else Span(start, end)
