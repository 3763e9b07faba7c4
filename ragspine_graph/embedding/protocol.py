"""What an embedder is: texts in, vectors out."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

Vector = Sequence[float]


class EmbeddingUsage(NamedTuple):
    """What an embedder has used since it was made.

    Attributes:
        calls: requests sent, retries and refused ones included; 0 where none are sent.
        tokens: as the server reported them.
    """

    calls: int = 0
    tokens: int = 0


@runtime_checkable
class Embedder(Protocol):
    """Makes vectors of texts; equal texts give equal vectors, whatever stands beside them."""

    @property
    def name(self) -> str:
        """What the settings call it."""
        ...

    @property
    def model(self) -> str:
        """All that a vector hangs on besides its text, in one name: the store records it."""
        ...

    @property
    def reads_headings(self) -> bool:
        """Whether headings before a text help it: not one that takes a text for a bag of words."""
        ...

    @property
    def usage(self) -> EmbeddingUsage:
        """What it has used since it was made."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors of texts that are searched, in their order.

        Raises:
            ProviderError: there are none; retries are over.
        """
        ...

    def embed_question(self, text: str) -> Vector:
        """The vector of a question.

        Raises:
            ProviderError: there is none in the time that a question may take.
        """
        ...

    def close(self) -> None:
        """Release what it holds."""
        ...


def pack(vector: Vector) -> bytes:
    """A vector as it is kept: of unit length, float32, little-endian.

    Raises:
        ValueError: it has no direction, or numbers that are none.

    >>> pack([3, 4]) == pack([6, 8])
    True
    """
    numbers = array("d", vector)
    length = math.hypot(*numbers)
    if not 0 < length < math.inf:
        raise ValueError("a vector without a direction")
    kept = array("f", (number / length for number in numbers))
    if sys.byteorder == "big":
        kept.byteswap()
    return kept.tobytes()
