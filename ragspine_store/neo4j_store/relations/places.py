"""From what the server gives of evidence and nodes to values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragspine_store.neo4j_store.scope import reader_values
from ragspine_store.neo4j_store.transaction import Opened
from ragspine_store.records import Span
from ragspine_store.relation_protocols import StoredEnd, StoredEvidence
from ragspine_store.relations import ChunkRange, Evidence, Node, NodeType
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.storage_rules.relations.nodes import OF_A_DOCUMENT
from ragspine_store.storage_rules.texts import can_be_stored

Place = Mapping[str, Any]  # the driver gives untyped values


def scope_of(opened: Opened, reader: Reader) -> dict[str, object]:
    """What queries need to know of a reader, and of the state that is read."""
    return {"state": opened.state, **reader_values(reader)}


def storable(texts: Iterable[str]) -> list[str]:
    """Those that a store can hold; the others can be equal to nothing in it."""
    return [text for text in texts if can_be_stored(text)]


def chunks_of(place: Place) -> ChunkRange | None:
    """The children that a place stands in."""
    first = place.get("chunk_first")
    return None if first is None else ChunkRange(first, place["chunk_last"])


def span_of(place: Place) -> Span | None:
    """The span that a place quotes."""
    start = place.get("span_start")
    return None if start is None else Span(start, place["span_end"])


def stored_evidence(place: Place, collection: str | None, labels: Sequence[str]) -> StoredEvidence:
    """A piece of evidence with the labels in force; the profile's has no collection."""
    evidence = Evidence(
        doc_id=place["doc_id"],
        locator=place["locator"],
        chunks=chunks_of(place),
        span=span_of(place),
        quote=place["quote"],
        source_name=place["source_name"],
        target_name=place["target_name"],
        count=place["count"],
        weight=place["weight"],
        model=place["model"],
        prompt=place["prompt"],
    )
    is_stale = bool(place.get("stale"))
    if collection is None:
        return StoredEvidence(evidence, "", (), is_stale)
    floor = place.get("floor")
    found = [*labels, Sensitivity(floor).name] if floor else labels
    return StoredEvidence(evidence, collection, tuple(dict.fromkeys(found)), is_stale)


def read_ends(opened: Opened, reader: Reader, ids: Iterable[str]) -> dict[str, StoredEnd]:
    """The nodes of these ids that the reader sees."""
    ids = list(dict.fromkeys(ids))
    if not ids:
        return {}
    rows = opened.queries.rows("read_ends", ids=ids, **scope_of(opened, reader))
    stored = {row["id"]: row for row in rows}
    found: dict[str, StoredEnd] = {}
    for node_id in ids:
        type_, _, key = node_id.partition(":")
        of_type = NodeType(type_)
        row = stored.get(node_id)
        if row is not None:
            found[node_id] = StoredEnd(
                Node(of_type, key, row["name"]),
                row["collection"],
                tuple(dict.fromkeys(row["labels"])),
            )
        elif of_type not in OF_A_DOCUMENT:
            found[node_id] = StoredEnd(Node(of_type, key))
    return found
