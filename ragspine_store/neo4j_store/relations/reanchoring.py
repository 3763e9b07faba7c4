"""Finds what a model found again when its document's text has changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ragspine_store.neo4j_store.relations.places import chunks_of
from ragspine_store.neo4j_store.relations.rows import Origin, PlaceRow, Properties
from ragspine_store.neo4j_store.relations.targets import read_target
from ragspine_store.neo4j_store.transaction import Queries
from ragspine_store.records import PreparedDocument
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.storage_rules.relations.quotes import FoundPiece, anchor, answered_children


@dataclass(frozen=True, slots=True)
class Detached:
    """What outlives a change of a document's text, between its old text and its new one.

    Attributes:
        found: places that models found in it, in the order in which they are looked for.
        floors: the strictest label of what each of them rests on.
        named: places in other documents and of the profile that name it.
        answered: keys of cached answers, each with the text of its child.
        unused: ids of nodes that edges may not name any more.
    """

    found: Sequence[PlaceRow]
    floors: Sequence[Sensitivity]
    named: Sequence[PlaceRow]
    answered: Sequence[tuple[str, str]] = field(repr=False)
    unused: set[str]


def detach(queries: Queries, doc_id: str) -> Detached | None:
    """Take away what models found in a document, before it is replaced; None when nothing names it.

    What stands at its parts goes for good.
    """
    row = queries.row("names_anything", doc_id=doc_id)
    assert row is not None
    if not row["found"]:
        return None
    target = read_target(queries, doc_id)
    parts = queries.row("forget_parts", doc_id=doc_id, seqs=None, nos=None)
    assert parts is not None
    # Rejections rest on the text too; the answer that a model gave about it brings them back.
    queries.run("delete_rejections", doc_id=doc_id)
    rows = [
        PlaceRow(row["source"], row["target"], row["type"], row["place"])
        for row in queries.rows("detach_places", doc_id=doc_id)
    ]
    found: list[PlaceRow] = []
    floors: list[Sensitivity] = []
    named: list[PlaceRow] = []
    for one in rows:
        place = one.properties
        if place["origin"] == Origin.MODEL.value and place["doc_id"] == doc_id:
            floor = Sensitivity(place.get("floor", 0))
            level = target.level_of(chunks_of(place)) if target else Sensitivity.RESTRICTED
            found.append(one)
            floors.append(max(floor, level))
        elif place["origin"] != Origin.RULES.value or place["doc_id"] != doc_id:
            named.append(one)
    answered = [
        (row["id"], row["text"] or "") for row in queries.rows("read_answered", doc_id=doc_id)
    ]
    unused = {*parts["ids"], *(end for one in rows for end in (one.source, one.target))}
    return Detached(found, floors, named, answered, unused)


def attach(queries: Queries, detached: Detached, document: PreparedDocument) -> Iterator[PlaceRow]:
    """Find what models found again in the new text of its document; the places to be written."""
    _attach_answers(queries, detached, document)
    pieces = [
        FoundPiece(
            n,
            one.properties["edge_id"],
            one.properties["model"],
            one.properties["prompt"],
            one.properties["quote"],
            one.properties.get("chunk_first", 0),
            floor,
        )
        for n, (one, floor) in enumerate(zip(detached.found, detached.floors, strict=True))
    ]
    anchored = anchor(pieces, document)
    for n, one in enumerate(detached.found):
        if n in anchored.moved:
            chunks, span, locator = anchored.moved[n]
            changes: Properties = {
                "stale": False,
                "floor": None,
                "seq": chunks.first,
                "chunk_first": chunks.first,
                "chunk_last": chunks.last,
                "span_start": span.start,
                "span_end": span.end,
                "locator": locator,
            }
        elif n in anchored.stale:
            nowhere = ("seq", "chunk_first", "chunk_last", "span_start", "span_end")
            floor = int(anchored.stale[n])
            changes = {"stale": True, "floor": floor, **dict.fromkeys(nowhere)}
        else:
            continue
        yield one._replace(properties={**one.properties, **changes})
    yield from detached.named


def _attach_answers(queries: Queries, detached: Detached, document: PreparedDocument) -> None:
    if not detached.answered:
        return
    kept = answered_children(detached.answered, document)
    queries.run("place_answers", rows=[{"id": key, "seq": seq} for key, seq in kept.items()])
    queries.run("delete_derived", ids=[key for key, _ in detached.answered if key not in kept])
