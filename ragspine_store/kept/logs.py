"""The logs of a store, to which it only appends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

from ragspine_store.relations import Verdict


class KeptVerdict(NamedTuple):
    """An entry of the verdict log; see `VerdictEntry`."""

    edge: str
    document: str
    verdict: Verdict
    reviewer: str
    note: str
    at: str


class LoweredLabel(NamedTuple):
    """A label that was lowered; what it is of is a keyed hash."""

    id_hash: str
    before: str
    after: str
    lowered_at: str


class KeptLogs(NamedTuple):
    """Both logs; the verdicts oldest first, the lowered labels in no order."""

    verdicts: tuple[KeptVerdict, ...]
    lowered: tuple[LoweredLabel, ...]

    @classmethod
    def of(cls, verdicts: Iterable[Sequence[Any]], lowered: Iterable[Sequence[Any]]) -> Self:
        """The logs from rows as backends give them, their values in the order of the fields."""
        return cls(
            tuple(
                KeptVerdict(edge, document, Verdict(verdict), *rest)
                for edge, document, verdict, *rest in verdicts
            ),
            tuple(LoweredLabel(*row) for row in lowered),
        )
