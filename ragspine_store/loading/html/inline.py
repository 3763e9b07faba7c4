"""Running text: white space as a browser shows it."""

from __future__ import annotations

import re
import unicodedata

_BLANKS = re.compile(r"[ \t\r\n\f]+")
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7ff"
_IS_HANGUL = re.compile(f"[{_HANGUL}]")


class InlineText:
    r"""Collects the pieces of one paragraph.

    >>> inline = InlineText()
    >>> inline.add("  規則は、\n  会社が "); inline.add_break(); inline.add("定める。")
    >>> inline.take()
    '規則は、会社が\n定める。'
    """

    def __init__(self) -> None:
        self._lines: list[list[str]] = [[]]

    def add(self, text: str) -> None:
        """Add text as it stands in the source."""
        self._lines[-1].append(text)

    def add_break(self) -> None:
        """Start another line."""
        self._lines.append([])

    def take(self) -> str:
        """The text so far, without blank lines at its ends; forget it."""
        lines = [collapse("".join(line)) for line in self._lines]
        self._lines = [[]]
        return "\n".join(lines).strip()


def collapse(text: str) -> str:
    """One line of text with its white space collapsed.

    A line end between two wide characters is no space: Japanese sources are wrapped anywhere. A
    space that does not break is a space.
    """
    return _BLANKS.sub(_shown_blank, text).replace("\xa0", " ").strip()


def _shown_blank(match: re.Match[str]) -> str:
    start, end = match.span()
    text = match.string
    if "\n" not in match.group() or start == 0 or end == len(text):
        return " "
    return "" if _is_wide(text[start - 1]) and _is_wide(text[end]) else " "


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF" and not _IS_HANGUL.match(char)
