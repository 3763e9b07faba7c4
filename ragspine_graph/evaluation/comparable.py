"""Text as gold strings are looked for in it."""

from __future__ import annotations

from ragspine_store.tokenizer import fold


def comparable(text: str) -> str:
    r"""A text folded as the tokenizer folds it, each run of white space one blank.

    >>> comparable("Ｐａｉｄ\n  monthly ")
    'paid monthly'
    """
    return " ".join(fold(text).split())
