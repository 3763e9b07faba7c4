"""Children in memory, as arrays: who may see them, and what filters compare.

Every document that has vectors is in it whole, so that one table serves all models.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ragspine_store.protocols import Scope
from ragspine_store.sqlite_store.vectors.parts import FILTERED, read_parts
from ragspine_store.storage_rules.texts import fold_heading

Mask = NDArray[np.bool_]

_SECTIONS = """
SELECT DISTINCT q.doc_no, q.span_start, q.span_end
FROM json_each(?) v JOIN section q JOIN document d ON d.no = q.doc_no
WHERE v.value ->> 0 = d.doc_id || '#s' || q.no
   OR (q.no > 0 AND v.value ->> 1 = fold_heading(q.heading))
"""
NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Children:
    """Arrays with one entry a child, in no order.

    Attributes:
        keys: in the index.
        docs, seqs: the number of its document, and its position there.
        floors: the least clearance that sees it.
        starts, ends: its span; `NOWHERE` where none is known.
        parents: position of the first child of its parent; `NOWHERE` without one.
        parent_floors: the least clearance that sees all of its parent's text.
        filtered: numbers of the values of `FILTERED`, a row a child.
    """

    keys: NDArray[np.int64]
    docs: NDArray[np.int64]
    seqs: NDArray[np.int64]
    floors: NDArray[np.int8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    parents: NDArray[np.int64]
    parent_floors: NDArray[np.int8]
    filtered: NDArray[np.int32]

    def without(self, docs: Collection[int]) -> Children:
        """All but the children of some documents."""
        return self._at(~np.isin(self.docs, list(docs))) if docs else self

    def and_also(self, other: Children) -> Children:
        """The children of both."""
        return Children(
            *(np.concatenate([getattr(self, f.name), getattr(other, f.name)]) for f in fields(self))
        )

    def _at(self, mask: Mask) -> Children:
        return Children(*(getattr(self, f.name)[mask] for f in fields(self)))


class Values:
    """Numbers for the values of filters, the same number for the same value."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._values: list[str] = []

    def number(self, value: str) -> int:
        """The number of a value, a new one for a new value."""
        found = self._numbers.setdefault(value, len(self._values))
        if found == len(self._values):
            self._values.append(value)
        return found

    def numbers(self, values: Iterable[str]) -> list[int]:
        """The numbers of those values that have one."""
        return [self._numbers[value] for value in values if value in self._numbers]

    def value(self, number: int) -> str:
        """The value of a number."""
        return self._values[number]


def no_children() -> Children:
    """No child at all."""
    return _as_children([])


def load_children(db: sqlite3.Connection, docs: Iterable[int], values: Values) -> Children:
    """The children of documents."""
    numbers: list[tuple[int, ...]] = []
    for document in read_parts(db, docs):
        for key, part, filtered in document.children:
            parent = None if part.window is None else document.parents[part.window]
            numbers.append(
                (
                    *(key, document.doc_no, part.seq, part.floor),
                    *(part.span or (NOWHERE, NOWHERE)),
                    *(parent or (NOWHERE, 0)),
                    *map(values.number, filtered),
                )
            )
    return _as_children(numbers)


def _as_children(numbers: Sequence[tuple[int, ...]]) -> Children:
    table = np.array(numbers, dtype=np.int64).reshape(-1, 8 + len(FILTERED))
    keys, docs, seqs, floors, starts, ends, parents, parent_floors = table[:, :8].T.copy()
    return Children(
        keys=keys,
        docs=docs,
        seqs=seqs,
        floors=floors.astype(np.int8),
        starts=starts,
        ends=ends,
        parents=parents,
        parent_floors=parent_floors.astype(np.int8),
        filtered=table[:, 8:].astype(np.int32),
    )


def mask_of(db: sqlite3.Connection, children: Children, values: Values, scope: Scope) -> Mask:
    """Which children are inside a scope."""
    reader = scope.reader
    mask: Mask = children.floors <= int(reader.clearance)
    if reader.collections is not None:
        mask &= _has_one_of(children, values, "collection", reader.collections)
    for key, allowed in scope.filters.items():
        if key == "section":
            mask &= _in_sections(db, children, allowed)
        else:
            mask &= _has_one_of(children, values, key, allowed)
    return mask


def _has_one_of(children: Children, values: Values, key: str, allowed: Iterable[str]) -> Mask:
    return np.isin(children.filtered[:, FILTERED.index(key)], values.numbers(allowed))


def _in_sections(db: sqlite3.Connection, children: Children, sections: Iterable[str]) -> Mask:
    wanted = json.dumps([[section, fold_heading(section)] for section in sections])
    found = np.zeros(len(children.keys), dtype=np.bool_)
    for doc_no, start, end in db.execute(_SECTIONS, (wanted,)):
        found |= (children.docs == doc_no) & (start <= children.starts) & (children.ends <= end)
    return found & (children.starts != NOWHERE)
