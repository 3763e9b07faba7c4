"""Showing a window: beside its hit, dimmed, shortened for the eye."""

from __future__ import annotations

from ragspine_graph.cli.output import Page
from ragspine_graph.results import count

MAX_SHOWN_CHARS = 1_200
_DIM = "dim"


def print_window(page: Page, locator: str, text: str) -> None:
    """Print a window under its locator; a long one is cut at a line, and says so."""
    page.line(f"window {locator}", style=_DIM, indent=3)
    shown = _shorten(text)
    page.block(shown, style=_DIM, margin="   | ")
    left_out = len(text) - len(shown)
    if left_out:
        page.line(
            f"({count(left_out, 'more character')}; --json gives the whole window)",
            style=_DIM,
            indent=3,
        )


def _shorten(text: str) -> str:
    if len(text) <= MAX_SHOWN_CHARS:
        return text
    line_end = text.rfind("\n", MAX_SHOWN_CHARS // 2, MAX_SHOWN_CHARS)
    return text[: MAX_SHOWN_CHARS if line_end < 0 else line_end]
