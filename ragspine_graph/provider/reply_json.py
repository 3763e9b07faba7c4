"""JSON in a model's reply, whatever stands around it.

What a model thought aloud is dropped; every JSON object or array that stands in the rest is read,
with or without text and fences around it; where one breaks off, the whole ones inside it are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

_MAX_REPLY_CHARS = 200_000
_MAX_BROKEN = 200

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_OPENER = re.compile(r"[{\[]")

BROKEN: Final = object()


def iter_json(text: str) -> Iterator[object]:
    """The values in a reply, in order; `BROKEN` after them when something broke off, or for none.

    >>> [value for value in iter_json('Sure! [1, 2] and {"a"') if value is not BROKEN]
    [[1, 2]]
    """
    text = _THOUGHTS.sub(" ", text[:_MAX_REPLY_CHARS])
    decoder = json.JSONDecoder()
    at, broken, found = 0, 0, False
    while broken < _MAX_BROKEN and (opener := _OPENER.search(text, at)):
        try:
            value, at = decoder.raw_decode(text, opener.start())
        except (ValueError, RecursionError):
            at = opener.end()
            broken += 1
            continue
        found = True
        yield value
    if broken or not found:
        yield BROKEN
