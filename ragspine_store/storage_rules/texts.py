"""Texts as stores keep, compare and cut them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from ragspine_store.protocols import Candidate, Place, Window
from ragspine_store.tokenizer import normalise

PIECE_LENGTH = 4096  # code points


def can_be_stored(text: str) -> bool:
    """Whether a text is valid Unicode; one with an unpaired surrogate stands in no store."""
    return text == text.encode(errors="ignore").decode()


def fold_heading(heading: str) -> str:
    """A heading as filters compare it.

    Width, case, kind of white space and the numerals of addresses do not matter.

    >>> fold_heading("第三十八条　年次有給休暇") == fold_heading("第３８条 年次有給休暇")
    True
    """
    return " ".join(normalise(heading).split())


def now() -> str:
    """The present instant in UTC, as stored."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def pieces_of(text: str) -> Iterator[tuple[int, str]]:
    """A canonical text in pieces of equal length, each with where it starts.

    So a passage costs what it is long, not its document.
    """
    for start in range(0, len(text), PIECE_LENGTH):
        yield start, text[start : start + PIECE_LENGTH]


def piece_starts(place: Place) -> range:
    """Where the pieces start that a passage stands in.

    >>> from ragspine_store.records import Span
    >>> list(piece_starts(Place("a.md", Span(4095, 4097))))
    [0, 4096]
    """
    start, end = place.span
    return range(start - start % PIECE_LENGTH, end, PIECE_LENGTH)


def passage_of(place: Place, pieces: Mapping[tuple[str, int], str]) -> str | None:
    """The text at a place; None when it is not kept whole.

    Args:
        place: the place.
        pieces: by document id and start.
    """
    starts = piece_starts(place)
    text = "".join(pieces.get((place.doc_id, at), "") for at in starts)
    start, end = place.span
    text = text[start - starts.start : end - starts.start]
    return text if len(text) == end - start else None


def windows_in_texts(
    candidates: Sequence[Candidate], read: Callable[[Sequence[Place]], Mapping[Place, Window]]
) -> dict[str, Window]:
    """Windows that are passages of the canonical text, by chunk id.

    Args:
        candidates: those without such a window, or with one that cannot be resolved, are left out.
        read: gives passages; called once.
    """
    places = {
        c.chunk.chunk_id: Place(c.chunk.doc_id, c.window)
        for c in candidates
        if c.window is not None and not c.chunk.window_text
    }
    passages = read(list(places.values()))
    return {chunk_id: passages[place] for chunk_id, place in places.items() if place in passages}
