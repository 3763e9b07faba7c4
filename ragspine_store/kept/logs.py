"""The logs of a store, to which it only appends."""

from __future__ import annotations

from typing import NamedTuple

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
