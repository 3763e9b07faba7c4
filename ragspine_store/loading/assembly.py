"""Puts a loaded document together, the same way for every kind of text file."""

from __future__ import annotations

from collections.abc import Callable

from ragspine_store.errors import LoadError
from ragspine_store.records import LoadedDocument, OffsetMap, Outline


def assemble(
    raw: str,
    *,
    name: str,
    canonical: tuple[str, OffsetMap],
    read_outline: Callable[[str], Outline],
    stated: dict[str, str],
) -> LoadedDocument:
    """Make a document from a decoded file.

    Args:
        raw: the decoded file.
        name: how to name the file in an error.
        canonical: the canonical text without what is no content, and the way back.
        read_outline: reads the outline of the canonical text.
        stated: what the file states about itself.

    Raises:
        LoadError: nothing but front matter and comments is there.
    """
    text, offsets = canonical
    if not text.strip():
        raise LoadError(
            f"{name} holds no text besides front matter and comments; "
            "expected a document: fill it or leave it out"
        )
    outline = read_outline(text)
    return LoadedDocument(
        text=text,
        offsets=offsets,
        outline=outline,
        stated=stated,
        title=outline.sections[0].heading,
        full_text=raw,
    )
