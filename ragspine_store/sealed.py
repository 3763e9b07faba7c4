"""What has passed an exit or the gate: the sealed types, without their mint."""

from __future__ import annotations

from typing import TypeVar

from ragspine_store._seal import Cleared, Screened

__all__ = ["Cleared", "Screened", "unseal", "unseal_screened"]

T = TypeVar("T")


def unseal(cleared: Cleared[T]) -> T:
    """Open a cleared value, refusing anything that is not exactly a `Cleared`.

    Raises:
        TypeError: the value did not pass an exit.
    """
    if type(cleared) is not Cleared:
        raise TypeError(f"expected a Cleared value, got {type(cleared).__name__}")
    return cleared.value


def unseal_screened(screened: Screened[T]) -> T:
    """Open a screened value, refusing anything that is not exactly a `Screened`.

    Raises:
        TypeError: the value did not pass the gate.
    """
    if type(screened) is not Screened:
        raise TypeError(f"expected a Screened value, got {type(screened).__name__}")
    return screened.value
