"""The hash of what a store keeps: equal for equal content, on every backend.

Each value is written as JSON, the values of its fields in their order, and hashed; the hash of a
store is that of the sorted hashes. So neither the keys that a backend gives its rows nor their
order have a part in it.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


def canonical_json(value: object) -> str:
    """A value as JSON, one text for equal values.

    >>> from ragspine_store.records import Span
    >>> canonical_json((Span(0, 3), "年"))
    '[[0,3],"年"]'
    """
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def bag(values: Iterable[T]) -> tuple[T, ...]:
    """Values whose order says nothing, in the one order that equal bags share.

    >>> bag(["b", "a", "b"])
    ('a', 'b', 'b')
    """
    return tuple(sorted(values, key=canonical_json))


def digest_of(value: object) -> bytes:
    """The hash of one value: of its type's name and its JSON."""
    text = canonical_json((type(value).__name__, value))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class Tally:
    """Counts and hash over values, as they are seen one after another; no value is held.

    >>> one, other = Tally(), Tally()
    >>> for letter, opposite in ("ab", "ba"):
    ...     one.add(letter)
    ...     other.add(opposite)
    >>> one.hash == other.hash
    True
    """

    def __init__(self) -> None:
        self._digests: list[bytes] = []
        self._counts = Counter[str]()

    def add(self, value: object, **counts: int) -> None:
        """See a value, and count what there is in it."""
        self._digests.append(digest_of(value))
        self._counts.update(counts)

    @property
    def counts(self) -> Mapping[str, int]:
        """How much of each there is."""
        return dict(self._counts)

    @property
    def hash(self) -> str:
        """The hash of all values so far, in hexadecimal digits."""
        return hashlib.sha256(b"".join(sorted(self._digests))).hexdigest()


_SCALARS = frozenset({str, int, float, bool, type(None)})


def _plain(value: Any) -> object:
    if type(value) in _SCALARS:  # nearly all there is
        return value
    if isinstance(value, bytes):
        return value.hex()
    if dataclasses.is_dataclass(value):
        return [_plain(getattr(value, field.name)) for field in dataclasses.fields(value)]
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]  # pyright: ignore
    return value.value if isinstance(value, enum.Enum) else value
