"""The globs of sidecars: as in `.gitignore`, but width and case do not matter."""

from __future__ import annotations

import unicodedata
import warnings

from pathspec import GitIgnoreSpec

from ragspine_store.tokenizer import fold


class Glob:
    """A glob that names files.

    It matches as `.gitignore` says, and also where only width, case or invisible characters
    differ: a label must not be lost to `HR/` and `hr/` being two folders on one machine and one on
    another.

    Args:
        glob: as written.

    Raises:
        ValueError: it can match no file.

    >>> Glob("hr/*.md").matches("HR/Pay.MD")
    True
    """

    def __init__(self, glob: str) -> None:
        if {".", ".."} & set(glob.split("/")):
            raise ValueError("'.' or '..' as a folder matches no file")
        composed = unicodedata.normalize("NFC", glob)
        self._as_written = _compile(composed)
        self._folded = _compile(fold(_escape_wide(composed)))

    def matches(self, path: str) -> bool:
        """Whether it matches the path of a file, with `/` as separator."""
        return self._as_written.match_file(
            unicodedata.normalize("NFC", path)
        ) or self._folded.match_file(fold(path))


def _compile(glob: str) -> GitIgnoreSpec:
    try:
        with warnings.catch_warnings():
            # A class such as [[] becomes one that `re` warns of and reads as it is meant.
            warnings.simplefilter("ignore", FutureWarning)
            spec = GitIgnoreSpec.from_lines([glob])
    except ValueError:
        spec = GitIgnoreSpec([])
    if not any(pattern.include for pattern in spec.patterns):
        raise ValueError("this glob matches no file (no comment, no negation)")
    return spec


def _escape_wide(glob: str) -> str:
    """The glob with a backslash before each wide character that folds to one with a meaning."""
    return "".join(
        f"\\{char}" if not char.isascii() and fold(char) in _SPECIAL else char for char in glob
    )


_SPECIAL = tuple("*?[]!#\\")
