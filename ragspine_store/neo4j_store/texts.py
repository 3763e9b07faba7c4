"""Canonical texts, and passages of them with all labels that they share text with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragspine_store.neo4j_store.rows import batches, text_rows
from ragspine_store.neo4j_store.transaction import Opened, Queries
from ragspine_store.protocols import Candidate, Place, Window
from ragspine_store.records import Span
from ragspine_store.storage_rules.rows import paragraphs_of
from ragspine_store.storage_rules.texts import PIECE_LENGTH, can_be_stored

Piece = tuple[int, str]
"""A piece of text, with where it stands."""


def write_text(queries: Queries, doc_id: str, text: str) -> None:
    """Keep a document's text; nothing else of it may be kept."""
    for rows in batches(text_rows(doc_id, text)):
        queries.run("create_texts", doc_id=doc_id, rows=rows)


def read_text(queries: Queries, doc_id: str) -> str | None:
    """A document's whole text; None when none is kept."""
    pieces = [row["text"] for row in queries.rows("read_text", doc_id=doc_id)]
    return "".join(pieces) if pieces else None


def read_passages(opened: Opened, places: Sequence[Place]) -> dict[Place, Window]:
    """The texts at the places; one that is not kept whole is left out."""
    wanted = sorted({place for place in places if can_be_stored(place.doc_id)})
    if not wanted:
        return {}
    rows = opened.rows(
        "read_passages",
        places=[{"doc_id": p.doc_id, "start": p.span.start, "end": p.span.end} for p in wanted],
        piece_length=PIECE_LENGTH,
    )
    found: dict[Place, Window] = {}
    for row in rows:
        place = Place(row["doc_id"], Span(row["start"], row["end"]))
        passage = passage_of(place, row["pieces"], [*row["labels"], *row["others"]])
        if passage is not None:
            found[place] = passage
    return found


def passage_of(place: Place, pieces: Sequence[Piece], labels: Iterable[str]) -> Window | None:
    """The text at a place with the labels that it shares text with; None if it is not kept whole.

    Args:
        place: the place.
        pieces: of its text, in any order.
        labels: of its document, of that document's root, and of parts that share text with it and
            are labelled otherwise.
    """
    text = "".join(piece for _, piece in sorted(pieces))
    if len(text) != place.span.end - place.span.start:
        return None
    return Window(text, tuple(dict.fromkeys(labels)))


def read_text_windows(opened: Opened, candidates: Sequence[Candidate]) -> dict[str, Window]:
    """Windows that are kept as text, with the labels of all that may stand in them.

    Such a window says which children it holds by its id or its locator. One that says neither may
    hold any child of its document.
    """
    if not candidates:
        return {}
    chunks = {candidate.chunk.chunk_id: candidate.chunk for candidate in candidates}
    windows: list[dict[str, object]] = []
    for chunk in chunks.values():
        first, last = paragraphs_of(chunk.parent_locator) or (0, None)
        windows.append(
            {
                "chunk_id": chunk.chunk_id,
                "doc_id": chunk.doc_id,
                "parent_id": chunk.parent_id,
                "first": first,
                "last": last,
            }
        )
    rows = opened.queries.rows("read_labels_of_text_windows", windows=windows)
    return {
        row["chunk_id"]: Window(chunks[row["chunk_id"]].window_text, tuple(row["labels"]))
        for row in rows
    }
