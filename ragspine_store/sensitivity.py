"""Sensitivity labels: the one place where they are parsed and compared.

PUBLIC < INTERNAL < CONFIDENTIAL < RESTRICTED. A label that stands in a store but is not one of
these counts as RESTRICTED (fail closed); at ingest the same label is refused.
"""

from __future__ import annotations

import enum
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeGuard

from ragspine_store.errors import FilterError, LabelError


class Sensitivity(enum.IntEnum):
    """How far a text may travel; a higher level is stricter."""

    PUBLIC = 0
    INTERNAL = 1
    CONFIDENTIAL = 2
    RESTRICTED = 3


DEFAULT_SENSITIVITY = Sensitivity.INTERNAL
LABEL_NAMES = ", ".join(level.name for level in Sensitivity)


def _normalise(label: str) -> str:
    visible = "".join(c for c in label if unicodedata.category(c) not in ("Cf", "Cc"))
    return unicodedata.normalize("NFKC", visible).strip().casefold()


_BY_NAME = {level.name.casefold(): level for level in Sensitivity}


def parse_label(label: object, *, source: str) -> Sensitivity:
    """Read a label that a person states.

    Width, case, surrounding space and invisible characters do not matter.

    Args:
        label: the label as written, or a `Sensitivity`; a number is no label.
        source: where it was written, for the message; the label itself is not repeated, since a
            file may hold anything there.

    Raises:
        LabelError: the label is not one of the four.

    >>> parse_label(" ｒestricted ", source="--sensitivity").name
    'RESTRICTED'
    """
    if isinstance(label, Sensitivity):
        return label
    level = _BY_NAME.get(_normalise(label)) if isinstance(label, str) else None
    if level is None:
        raise LabelError(f"unknown sensitivity label in {source}; expected one of {LABEL_NAMES}")
    return level


@lru_cache(maxsize=256)
def stored_label(label: str) -> Sensitivity:
    """Read a label that already stands in a store; an unknown one counts as RESTRICTED.

    >>> stored_label("TOP SECRET").name
    'RESTRICTED'
    """
    return _BY_NAME.get(_normalise(label), Sensitivity.RESTRICTED)


def is_known_label(label: str) -> bool:
    """Whether a stored label is one of the four, however it is spelled."""
    return _normalise(label) in _BY_NAME


def spelled_label(label: str) -> str:
    """A stored label by the name of its level; one that is none of the four as it is.

    >>> spelled_label("confidential "), spelled_label("TOP SECRET"), spelled_label("")
    ('CONFIDENTIAL', 'TOP SECRET', '')
    """
    return stored_label(label).name if is_known_label(label) else label


@dataclass(frozen=True, slots=True)
class Reader:
    """For whom a read is done.

    Attributes:
        clearance: the highest label this reader may see, never RESTRICTED; its name will do.
        collections: the collections this reader may see, any iterable of names; None means all.

    Raises:
        LabelError: the clearance is no label, or RESTRICTED, which no reader holds.
        FilterError: the collections are no names, such as one string instead of several.

    >>> Reader(collections=frozenset({"hr"})).may_see(Sensitivity.PUBLIC, "h")
    False
    """

    clearance: Sensitivity = Sensitivity.CONFIDENTIAL
    collections: frozenset[str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "clearance", parse_label(self.clearance, source="the reader's clearance")
        )
        object.__setattr__(self, "collections", _parse_collections(self.collections))
        if self.clearance >= Sensitivity.RESTRICTED:
            raise LabelError(
                "clearance RESTRICTED given; expected PUBLIC, INTERNAL or CONFIDENTIAL: "
                "RESTRICTED is above every clearance"
            )

    def may_see(self, label: Sensitivity, collection: str) -> bool:
        """Whether text with this label in this collection may be shown to this reader."""
        return label <= self.clearance and (
            self.collections is None or collection in self.collections
        )


def _parse_collections(given: object) -> frozenset[str] | None:
    if given is None:
        return None
    # A string is an iterable of strings too, and `in` would look for a part of it.
    if isinstance(given, str) or not _is_iterable(given):
        raise FilterError(
            f"collections given as {type(given).__name__}; expected a set of names, or None for all"
        )
    names = list(given)
    if not all(isinstance(name, str) and name.strip() for name in names):
        raise FilterError("a collection that is blank or no string given; expected a name")
    return frozenset(map(str, names))


def _is_iterable(given: object) -> TypeGuard[Iterable[object]]:
    return isinstance(given, Iterable)
