"""The mint of sealed values: only `ragspine_graph.security` imports it.

`Cleared[T]` says that a value has passed an exit, `Screened[T]` that a relation has passed the
gate. Renderers and relation writers accept nothing else, so a path that forgets its check fails the
type check and, at run time, `unseal`. This guards against mistakes, not against malice: reflection
can forge a seal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar, final

T = TypeVar("T")
U = TypeVar("U")

_KEY = object()


@final
class Cleared(Generic[T]):
    """A value that has passed an exit; made by `ragspine_graph.security` alone."""

    __slots__ = ("_value",)

    def __init__(self, value: T, key: object) -> None:
        if key is not _KEY:
            raise TypeError("Cleared is made by an exit (ragspine_graph.security), never directly")
        self._value = value

    @property
    def value(self) -> T:
        """What was cleared."""
        return self._value

    def map(self, make: Callable[[T], U]) -> Cleared[U]:
        """Something made of the cleared value alone, cleared likewise."""
        return Cleared(make(self._value), _KEY)

    def __repr__(self) -> str:
        return f"Cleared({type(self._value).__name__})"


def mint(value: T) -> Cleared[T]:
    """Seal a value. Call it only after the exit's check."""
    return Cleared(value, _KEY)


@final
class Screened(Generic[T]):
    """A relation that has passed the gate; made by `ragspine_graph.security` alone."""

    __slots__ = ("_value",)

    def __init__(self, value: T, key: object) -> None:
        if key is not _KEY:
            raise TypeError(
                "Screened is made by the gate (ragspine_graph.security), never directly"
            )
        self._value = value

    @property
    def value(self) -> T:
        """What was screened."""
        return self._value

    def __repr__(self) -> str:
        return f"Screened({type(self._value).__name__})"


def mint_screened(value: T) -> Screened[T]:
    """Seal a relation. Call it only after the gate's check."""
    return Screened(value, _KEY)
