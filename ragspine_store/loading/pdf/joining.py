"""Joins the lines of one paragraph as it was before it was wrapped."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SPACED = re.compile("[^\\s\u2e80-\u9fff\uf900-\ufaff\uff01-\uff60\uffe0-\uffe6]")
_HYPHENATED = re.compile(r"[^\W\d_][-\u00ad\u2010]$")


def joined_text(lines: Sequence[str]) -> str:
    """The lines as one.

    >>> joined_text(["The manage-", "ment of", "休暇を", "与える。"])
    'The management of休暇を与える。'
    """
    text = ""
    for line in lines:
        text = join(text, line)
    return text


def join(text: str, line: str) -> str:
    """A text and the line that goes on with it.

    A hyphen at the end of a line goes when a small letter follows; words get a space between
    them, Japanese gets none.
    """
    if not text or not line:
        return text + line
    if _HYPHENATED.search(text) and line[0].islower():
        return text[:-1] + line
    if text[-1] in "-\u2010" and _SPACED.match(line):
        return text + line
    if _SPACED.match(text[-1]) and _SPACED.match(line):
        return f"{text} {line}"
    return text + line
