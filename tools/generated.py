"""Pages that are written from the code: written, or compared with what is there."""

from __future__ import annotations

import sys
from pathlib import Path


def write_or_check(page: Path, text: str, source: str, target: str) -> int:
    """Write a page; with `--check` on the command line only tell whether it is up to date.

    Args:
        page: where it stands.
        text: what it has to say.
        source: what it is written from.
        target: of make, which writes it.

    Returns:
        The exit code.
    """
    if "--check" not in sys.argv[1:]:
        page.write_text(text, encoding="utf-8")
    elif not page.exists() or page.read_text(encoding="utf-8") != text:
        print(f"docs/{page.name} differs from {source}; run `make {target}`", file=sys.stderr)
        return 1
    return 0
