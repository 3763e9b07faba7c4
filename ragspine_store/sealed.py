"""What has passed an exit: the sealed type, without its mint."""

from __future__ import annotations

from typing import TypeVar

from ragspine_store._seal import Cleared

__all__ = ["Cleared", "unseal"]

T = TypeVar("T")


def unseal(cleared: Cleared[T]) -> T:
    """Open a cleared value, refusing anything that is not exactly a `Cleared`.

    Raises:
        TypeError: the value did not pass an exit.
    """
    if type(cleared) is not Cleared:
        raise TypeError(f"expected a Cleared value, got {type(cleared).__name__}")
    return cleared.value
