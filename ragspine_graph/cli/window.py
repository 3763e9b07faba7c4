"""Showing a window: beside its hit, dimmed, shortened for the eye."""

from __future__ import annotations

from ragspine_graph.cli.output import Page, count

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
    head = text[:MAX_SHOWN_CHARS]
    return head[: head.rfind("\n")] if "\n" in head else head
