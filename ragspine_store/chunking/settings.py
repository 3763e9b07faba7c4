"""What the chunkers ask of their settings, and how they name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from ragspine_store.errors import ChunkingError
from ragspine_store.tokens import TokenCounter

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


def require_order(settings: Mapping[str, int], *, strictly: bool = False) -> None:
    """Check that no setting is larger than the one after it, or as large when `strictly`.

    Raises:
        ChunkingError: one is; the message names both.

    >>> require_order({"least": 1, "most": 1})
    >>> require_order({"least": 2, "most": 1})
    Traceback (most recent call last):
    ragspine_store.errors.ChunkingError: least=2 given; expected at most most=1
    """
    for (name, value), (next_name, next_value) in pairwise(settings.items()):
        if value > next_value or (strictly and value == next_value):
            bound = "less than" if strictly else "at most"
            raise ChunkingError(f"{name}={value} given; expected {bound} {next_name}={next_value}")


def require_sizes(*, max_child_tokens: int, overlap_tokens: int, **window_tokens: int) -> None:
    """Check the sizes of children and of the windows they are read in.

    Args:
        max_child_tokens: most tokens of a child.
        overlap_tokens: what pieces share; less than a child.
        window_tokens: the bounds of windows from the smallest on: at least a child, and at most
            `HARD_CAP_TOKENS`.

    Raises:
        ChunkingError: one is no whole number, or two contradict each other.

    >>> require_sizes(max_child_tokens=250, overlap_tokens=25, window_cap_tokens=200)
    Traceback (most recent call last):
    ragspine_store.errors.ChunkingError: max_child_tokens=250 given; expected at most ...
    """
    require_whole_numbers(1, max_child_tokens=max_child_tokens, **window_tokens)
    require_whole_numbers(0, overlap_tokens=overlap_tokens)
    require_order(
        {"overlap_tokens": overlap_tokens, "max_child_tokens": max_child_tokens}, strictly=True
    )
    require_order(
        {
            "max_child_tokens": max_child_tokens,
            **window_tokens,
            "hard_cap_tokens": HARD_CAP_TOKENS,
        }
    )


def require_choice(name: str, value: object, choices: Iterable[object]) -> None:
    """Check that a setting is one of a few.

    Raises:
        ChunkingError: it is not; the message lists them.
    """
    known = list(choices)
    if value not in known or isinstance(value, bool):
        raise ChunkingError(f"{name}={value!r} given; expected one of {', '.join(map(str, known))}")


def require_counter(counter: object) -> None:
    """Check that a setting counts tokens; a text does not, although it can count.

    Raises:
        ChunkingError: it does not.

    >>> require_counter("words")
    Traceback (most recent call last):
    ragspine_store.errors.ChunkingError: counter='words' given; expected a TokenCounter object
    """
    if isinstance(counter, str) or not isinstance(counter, TokenCounter):
        raise ChunkingError(f"counter={counter!r} given; expected a TokenCounter object")


def describe(algorithm: str, settings: Mapping[str, object]) -> str:
    """The spec of a chunker: its algorithm and all its settings.

    >>> describe("words", {"size": 3})
    'words(size=3)'
    """
    return f"{algorithm}({', '.join(f'{name}={value!r}' for name, value in settings.items())})"
