"""What a copy did, and how far it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class CopyProgress(NamedTuple):
    """How far a copy is: steps of all steps, and which document was last."""

    done: int
    total: int
    name: str


@dataclass(frozen=True, slots=True)
class Side:
    """What a store keeps.

    Attributes:
        counts: how much of each there is, by its plural.
        hash: equal for equal content, on every backend.
    """

    counts: Mapping[str, int]
    hash: str


@dataclass(frozen=True, slots=True)
class CopyReport:
    """What a copy did.

    Attributes:
        source: what was to be copied, as the target keeps it.
        target: what stands there now, as it was read again.
        copied: documents written.
        passed_over: documents that stood there already.
        reduced: documents of which the target keeps a stub, or whose RESTRICTED parts it erases,
            while the source keeps their text.
        erased: nothing of what was replaced may still stand in the target's files.
    """

    source: Side
    target: Side
    copied: int
    passed_over: int
    reduced: int
    erased: bool

    @property
    def is_equal(self) -> bool:
        """Whether both keep the same."""
        return self.source == self.target
