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
    return "".join(joined_parts(lines))


def joined_parts(lines: Sequence[str]) -> list[str]:
    """The lines with what stands between them when they are one, for each line one part.

    A hyphen at the end of a line goes when a small letter follows; words get a space between
    them, Japanese gets none. A part ends where the next line begins.
    """
    parts = [""] * len(lines)
    for at, line in enumerate(lines):
        following = lines[at + 1] if at + 1 < len(lines) else ""
        parts[at] = line + _space(line, following) if following else line
        if following and _HYPHENATED.search(line) and following[0].islower():
            parts[at] = line[:-1]
    return parts


def _space(line: str, following: str) -> str:
    is_spaced = _SPACED.match(line[-1:]) and _SPACED.match(following)
    return " " if is_spaced and line[-1] not in "-\u2010" else ""
