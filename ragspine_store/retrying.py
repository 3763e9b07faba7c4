"""Calls that are made again when a server gave them up for the moment."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ragspine_store.errors import TransactionAbortedError

P = ParamSpec("P")
T = TypeVar("T")

_TRIES = 3


def retried(change: Callable[P, T]) -> Callable[P, T]:
    """A change that is made again, a few times, when a server gives its transaction up.

    Args:
        change: has one write transaction and leaves nothing behind when that fails.

    >>> @retried
    ... def delete(store: Store) -> bool:
    ...     with store.writing() as transaction:
    ...         return transaction.delete("a.md")
    """

    @functools.wraps(change)
    def made(*args: P.args, **kwargs: P.kwargs) -> T:
        return retrying(lambda: change(*args, **kwargs), _is_aborted, tries=_TRIES)

    return made


def retrying(
    call: Callable[[], T],
    may_pass: Callable[[Exception], bool],
    *,
    tries: int,
    pause_s: float = 0.0,
) -> T:
    """What a call gives, made again when its error may pass.

    Args:
        call: leaves nothing behind when it fails.
        may_pass: whether the same call may succeed after an error.
        tries: how often it is made at most.
        pause_s: before the second try, in seconds; twice as long before each further one.

    >>> retrying(lambda: 1, lambda error: True, tries=3)
    1
    """
    for left in reversed(range(tries)):
        try:
            return call()
        except Exception as error:
            if not left or not may_pass(error):
                raise
        time.sleep(pause_s)
        pause_s *= 2
    raise AssertionError("the last try returns or raises")


def _is_aborted(error: Exception) -> bool:
    return isinstance(error, TransactionAbortedError)
