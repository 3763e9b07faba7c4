"""Vectors of parts of documents, made by an embedder outside of the store.

A vector belongs to a child, or to the parent text (window) that children share; a parent is known
by the first of its children. Several models can stand side by side, each with its own vectors.

Nothing that is RESTRICTED has a vector, nor a parent that holds any of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

BYTES_PER_NUMBER = 4


class VectorKind(StrEnum):
    """What a vector stands for."""

    CHILD = "child"
    PARENT = "parent"


@dataclass(frozen=True, slots=True)
class PartVector:
    """A vector of a part of a document.

    Attributes:
        model: the embedder's name, as the store records it.
        kind: what it stands for.
        seq: of the child, or of the first child of the parent.
        text_hash: SHA-256 of the text that was embedded, so that equal text is not embedded again.
        values: of unit length, float32, little-endian.
    """

    model: str
    kind: VectorKind
    seq: int
    text_hash: bytes
    values: bytes = field(repr=False)

    @property
    def dimensions(self) -> int:
        """How many numbers it has.

        >>> PartVector("m", VectorKind.CHILD, 0, b"", bytes(8)).dimensions
        2
        """
        return len(self.values) // BYTES_PER_NUMBER


class VectorCount(NamedTuple):
    """How far a store is embedded with a model.

    Attributes:
        model: the embedder's name.
        dimensions: of its vectors.
        children: current children that are not RESTRICTED and have a vector.
    """

    model: str
    dimensions: int
    children: int


class MissingVectors(NamedTuple):
    """A document some of whose visible parts lack vectors, as a reindex needs it."""

    doc_id: str
    version: int
