"""Cursors: where a page ended, opaque to who holds it.

A cursor says what the page before showed last, which its holder has seen, and of which question;
so it tells nothing of what is withheld, and one that is taken to another question is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping

from ragspine_store.errors import NotFoundError

_DIGEST_CHARS = 16


def make_cursor(after: str, asked: Mapping[str, object]) -> str | None:
    """The cursor of the page after an item; None for '', the last page.

    Args:
        after: what the page showed last.
        asked: the question, page and limit left out.

    >>> parse_cursor(make_cursor("e1", {"kind": ["x"]}) or "", {"kind": ["x"]})
    'e1'
    """
    if not after:
        return None
    written = json.dumps([after, _digest(asked)], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(written.encode()).decode().rstrip("=")


def parse_cursor(cursor: str, asked: Mapping[str, object]) -> str:
    """What the page before showed last; '' for the first page.

    Raises:
        NotFoundError: it is no cursor of this question.
    """
    if not cursor:
        return ""
    try:
        written = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        after, digest = json.loads(written)
    except (binascii.Error, ValueError, TypeError):
        after, digest = None, None
    if not isinstance(after, str) or digest != _digest(asked):
        raise NotFoundError(
            "a cursor that belongs to no page of this question given; expected `next` of the page "
            "before, and otherwise the same parameters"
        )
    return after


def _digest(asked: Mapping[str, object]) -> str:
    written = json.dumps(asked, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(written.encode()).hexdigest()[:_DIGEST_CHARS]
