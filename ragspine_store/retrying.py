"""Changes that are made again when a server gave them up for the moment."""

from __future__ import annotations

import functools
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
        for left in reversed(range(_TRIES)):
            try:
                return change(*args, **kwargs)
            except TransactionAbortedError:
                if not left:
                    raise
        raise AssertionError("the last try returns or raises")

    return made
