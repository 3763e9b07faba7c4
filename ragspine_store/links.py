"""What a walk asks a store for: from children and names to the children that they lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ragspine_store.records import Span

MOST_CHILDREN = 16
"""Children of a document or section that a walk looks at, the first that the reader sees."""

MOST_TITLED = 8
"""A title that more documents bear names none of them."""


class Seed(NamedTuple):
    """A child that a walk starts from."""

    doc_id: str
    seq: int


class Titled(NamedTuple):
    """A document that a name is a title of, and the keys of its children."""

    doc_id: str
    children: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Referred:
    """A part that a reference in a seed leads to.

    Attributes:
        seed: where the reference stands.
        source: id of the section or child in which it stands.
        span: of its words in the canonical text; None where nothing is quoted.
        target: id of the document, section or child that answers it.
        children: keys of the target's children.
    """

    seed: Seed
    source: str
    span: Span | None
    target: str
    children: tuple[int, ...]
