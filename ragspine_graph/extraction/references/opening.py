"""What a text without a heading is about: the name that it opens with.

Encyclopaedias, notes and letters name their subject first: “Ada King Lovelace (1815 – 1852) was …”.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LONGEST = 200
_MAX_WORDS = 12
_WORD = re.compile(r"[^\s]+")
_BEFORE = " \t\n\"'“”‘’«»([*_"
_AFTER = "\"'”’»*_"
_ARTICLES = ("the", "a", "an")
# Words inside of names; a name never ends with one.
_JOINING = frozenset(
    """
    of the and de la le du des von van der den di da del dos in on for to a at with y e bin ibn al
    """.split()  # noqa: SIM905
)
# Words that open sentences and no names.
_OPENERS = frozenset(
    """
    in on at during by since after it he she this these they there as for from when while if we you
    i his her its their all some no not who what where why how and but or so however
    """.split()  # noqa: SIM905
)


def opening_names(text: str) -> tuple[str, ...]:
    """The name that a text opens with and its shorter forms, the fullest first.

    A name of several parts is called by two of them too: people have given names that others leave
    out. None when the text opens with something else.

    >>> opening_names("Ada King Lovelace (1815 – 1852) was a mathematician.")
    ('Ada King Lovelace', 'Ada Lovelace', 'King Lovelace', 'Ada King')
    >>> opening_names("When work begins, ask first.")
    ()
    """
    words = list(_opening_words(text.lstrip(_BEFORE)[:_LONGEST]))
    while words and words[-1].casefold() in _JOINING:
        words.pop()
    if not words or words[0].casefold() in _OPENERS:
        return ()
    full = " ".join(words).rstrip(",")
    name = " ".join(words[1:]).rstrip(",") if words[0].casefold() in _ARTICLES else full
    if not name or (name is not full and " " not in name):
        return (full,) if " " in full else ()
    return tuple(dict.fromkeys((full, name, *_shorter(name))))


def _opening_words(text: str) -> Iterator[str]:
    for number, match in enumerate(_WORD.finditer(text)):
        word = match[0].rstrip(_AFTER)
        bare = word.rstrip(".,;:!?)")
        if not bare or number == _MAX_WORDS:
            return
        opens = bare[0].isupper() or bare[0].isdecimal()
        if not (opens or (number and bare.casefold() in _JOINING)):
            return
        is_initial = word.endswith(".") and len(bare.rpartition(".")[2]) == 1
        if word == bare or is_initial or word == f"{bare},":
            yield word
        else:
            yield bare
            return


def _shorter(name: str) -> Iterator[str]:
    before_comma = name.partition(",")[0]
    if before_comma != name:
        yield before_comma
    parts = before_comma.split()
    if len(parts) > 2 and all(part[0].isupper() for part in parts):
        yield f"{parts[0]} {parts[-1]}"
        yield f"{parts[1]} {parts[-1]}"
        yield f"{parts[-2]} {parts[-1]}"
        yield f"{parts[0]} {parts[1]}"
