"""Sensitivity labels: the one place where they are parsed and compared.

PUBLIC < INTERNAL < CONFIDENTIAL < RESTRICTED. A label that stands in a store but is not one of
these counts as RESTRICTED (fail closed); at ingest the same label is refused.
"""

from __future__ import annotations

import enum
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from ragspine_store.errors import LabelError


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


def parse_label(label: str, *, source: str) -> Sensitivity:
    """Read a label that a person states.

    Width, case, surrounding space and invisible characters do not matter.

    Args:
        label: the label as written.
        source: where it was written, for the message; the label itself is not repeated, since a
            file may hold anything there.

    Raises:
        LabelError: the label is not one of the four.

    >>> parse_label(" ｒestricted ", source="--sensitivity").name
    'RESTRICTED'
    """
    level = _BY_NAME.get(_normalise(label))
    if level is None:
        raise LabelError(f"unknown sensitivity label in {source}; expected one of {LABEL_NAMES}")
    return level


def stored_label(label: str) -> Sensitivity:
    """Read a label that already stands in a store; an unknown one counts as RESTRICTED.

    >>> stored_label("TOP SECRET").name
    'RESTRICTED'
    """
    return _BY_NAME.get(_normalise(label), Sensitivity.RESTRICTED)


def is_known_label(label: str) -> bool:
    """Whether a stored label is one of the four, however it is spelled."""
    return _normalise(label) in _BY_NAME


def strictest(levels: Iterable[Sensitivity]) -> Sensitivity | None:
    """The highest of the levels, or None when there is none."""
    return max(levels, default=None)


@dataclass(frozen=True, slots=True)
class Reader:
    """For whom a read is done.

    Attributes:
        clearance: the highest label this reader may see; never RESTRICTED.
        collections: the collections this reader may see; None means all.

    Raises:
        LabelError: the clearance is RESTRICTED, which no reader holds.
    """

    clearance: Sensitivity = Sensitivity.CONFIDENTIAL
    collections: frozenset[str] | None = None

    def __post_init__(self) -> None:
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
