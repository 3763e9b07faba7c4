"""What the chunkers ask of their settings, and how they name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from ragspine_store.errors import ChunkingError

HARD_CAP_TOKENS = 3000
"""Most tokens of any window: a setting may lower it, none may raise it."""


def require_whole_numbers(least: int, **settings: object) -> None:
    """Check that settings are whole numbers of at least `least`.

    Raises:
        ChunkingError: one is not; the message names it.
    """
    for name, value in settings.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ChunkingError(
                f"{name}={value!r} given; expected a whole number of at least {least}"
            )


def require_order(*, strictly: bool = False, **settings: int) -> None:
    """Check that no setting is larger than the one after it, or as large when `strictly`.

    Raises:
        ChunkingError: one is; the message names both.

    >>> require_order(least=1, most=1)
    >>> require_order(least=2, most=1)
    Traceback (most recent call last):
    ragspine_store.errors.ChunkingError: least=2 given; expected at most most=1
    """
    for (name, value), (next_name, next_value) in pairwise(settings.items()):
        if value > next_value or (strictly and value == next_value):
            bound = "less than" if strictly else "at most"
            raise ChunkingError(f"{name}={value} given; expected {bound} {next_name}={next_value}")


def require_choice(name: str, value: object, choices: Iterable[object]) -> None:
    """Check that a setting is one of a few.

    Raises:
        ChunkingError: it is not; the message lists them.
    """
    known = list(choices)
    if value not in known or isinstance(value, bool):
        raise ChunkingError(f"{name}={value!r} given; expected one of {', '.join(map(str, known))}")


def describe(algorithm: str, settings: Mapping[str, object]) -> str:
    """The spec of a chunker: its algorithm and all its settings.

    >>> describe("words", {"size": 3})
    'words(size=3)'
    """
    return f"{algorithm}({', '.join(f'{name}={value!r}' for name, value in settings.items())})"
