"""HTML files."""

from __future__ import annotations

import re

from ragspine_store.errors import LoadError
from ragspine_store.loading.encoding import decode
from ragspine_store.loading.html.blocks import read_blocks
from ragspine_store.loading.html.elements import parse_page
from ragspine_store.loading.notes import left_out
from ragspine_store.loading.rendering import Rendering
from ragspine_store.records import LoadedDocument

MAX_BYTES = 50 * 2**20

_PRESCANNED_BYTES = 1024  # where HTML wants the declaration to stand
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]{1,40})", re.IGNORECASE)
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_]|$)")


class HtmlLoader:
    """Reads HTML as a browser shows it; needs the extra `docs`.

    Scripts, styles, comments, what is hidden, and the readings of ruby are not content.
    """

    suffixes = (".html", ".htm")

    def load(self, data: bytes, *, name: str) -> LoadedDocument:
        """Load one file; see `Loader.load`."""
        if len(data) > MAX_BYTES:
            raise LoadError(
                f"{name} is larger than {MAX_BYTES // 2**20} MiB; expected a page: split it"
            )
        raw = decode(data, name=name, declared=_declared_charset(data))
        page = parse_page(raw, name=name)
        rendering = Rendering(name=name)
        read_blocks(page.body, rendering, name=name)
        language = _LANGUAGE.match(page.language)
        return rendering.finish(
            title=page.title.strip() or None,
            stated={"language": language[1].lower()} if language else {},
            full_text=raw,
            notes=left_out({"hidden element": page.hidden}),
        )


def _declared_charset(data: bytes) -> str:
    match = _CHARSET.search(data, 0, _PRESCANNED_BYTES)
    return match[1].decode("ascii").lower() if match else ""
