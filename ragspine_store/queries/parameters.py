"""Parameters of named queries: their types, in Cypher's own words, and what is a value of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

SCOPE_PARAMETERS = {"clearance": "INTEGER", "collections": "LIST<STRING> | NULL"}
"""Whose eyes a query has: the highest level that may be seen, and collections or null for all.

A query that declares one takes it from the reader, never from a person, so it has no default.
"""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a named query.

    Attributes:
        name: without the dollar sign.
        type: one of `PARAMETER_TYPES`, in Cypher's own words.
        is_nullable: whether null will do.
        is_required: whether it has to be given.
        default: taken when it is not given; None for a required one.
        meaning: what it is, for people; may be ''.
    """

    name: str
    type: str
    is_nullable: bool = False
    is_required: bool = True
    default: object = None
    meaning: str = ""

    @property
    def declared_type(self) -> str:
        """The type as it is declared."""
        return f"{self.type} | NULL" if self.is_nullable else self.type

    def accepts(self, value: object) -> bool:
        """Whether a value is of its type.

        >>> Parameter("limit", "INTEGER").accepts(True)
        False
        """
        return self.is_nullable if value is None else PARAMETER_TYPES[self.type](value)


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def _is_float(value: object) -> bool:
    return isinstance(value, float) or _is_integer(value)


def _is_string(value: object) -> bool:
    return isinstance(value, str)


def _is_map(value: object) -> bool:
    return isinstance(value, Mapping)


def _list_of(is_item: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: _is_list(value) and all(map(is_item, value))


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list | tuple)


PARAMETER_TYPES: Mapping[str, Callable[[object], bool]] = {
    "STRING": _is_string,
    "INTEGER": _is_integer,
    "FLOAT": _is_float,
    "BOOLEAN": lambda value: isinstance(value, bool),
    "MAP": _is_map,
    "LIST<STRING>": _list_of(_is_string),
    "LIST<INTEGER>": _list_of(_is_integer),
    "LIST<FLOAT>": _list_of(_is_float),
    "LIST<MAP>": _list_of(_is_map),
}
"""The types of parameters, and what is a value of each."""
