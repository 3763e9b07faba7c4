"""What the commands print with: literal text, laid out for a terminal or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ragspine_graph.egress import literal, literal_block, render_json
from ragspine_graph.security.gate import Refusal

# Wide enough that nothing is wrapped: the next program in a pipe reads lines.
_PIPE_WIDTH = 1_000_000
_LEAST_WIDTH = 20


class Page:
    """What a command prints on stdout, line by line. No character of a text ever acts."""

    def __init__(self) -> None:
        self._console = Console(markup=False, emoji=False, highlight=False)
        if not self._console.is_terminal:
            self._console.width = _PIPE_WIDTH

    def line(self, text: str = "", *, style: str = "", indent: int = 0) -> None:
        """One line; on a terminal it is folded inside its indentation."""
        self._print(literal(text), style, " " * indent)

    def block(self, text: str, *, style: str = "", margin: str = "") -> None:
        """A text of several lines, each behind the margin."""
        self._print(literal_block(text), style, margin)

    def facts(self, facts: Iterable[tuple[str, object]], *, indent: int = 0) -> None:
        """Names and values in two columns."""
        facts = list(facts)
        width = max((len(name) for name, _ in facts), default=0)
        for name, value in facts:
            self.line(f"{name:<{width}}  {value}", indent=indent)

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Rows in columns; on a terminal long cells are folded inside their column."""
        table = Table(box=None, header_style="bold", pad_edge=False)
        for name in head:
            table.add_column(name, overflow="fold")
        for row in rows:
            table.add_row(*(Text(literal(cell)) for cell in row))
        self._console.print(table)

    def _print(self, text: str, style: str, margin: str) -> None:
        width = max(self._console.width - len(margin), _LEAST_WIDTH)
        for line in Text(text, style).wrap(self._console, width, overflow="fold"):
            start = margin if line else margin.rstrip()
            self._console.print(Text(start, style) + line, soft_wrap=True)


def print_refusal(page: Page, refused: Refusal) -> None:
    """Say why a question is not answered; nothing was looked for."""
    page.line(
        f"Refused ({refused.rule}): the question names {refused.name}, which the profile lists as "
        "external."
    )


def print_json(value: object) -> None:
    """Print one JSON document on stdout, in characters that it can encode."""
    if not sys.stdout:  # a process can be started without one
        return
    text = render_json(value)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        text = render_json(value, ascii_only=True)
    typer.echo(text)


def write_out(text: str, file: Path | None) -> None:
    """Write a whole output as UTF-8 to a file, or print it."""
    if file is None:
        typer.echo(text, nl=False)
    else:
        file.write_text(text, encoding="utf-8", newline="")


def warn(text: str) -> None:
    """Print one line on stderr."""
    typer.echo(literal(text), err=True)


def warn_of_rest(*, erased: bool) -> None:
    """Warn when what was removed may still stand in the store's files."""
    if not erased:
        warn(
            "warning: erased text may still stand in the store's files, since another process "
            "reads them; run `purge --restricted` when none does"
        )


def warn_of_notes(notes: Iterable[str]) -> None:
    """Say on stderr what could not be done for an answer."""
    for note in notes:
        warn(f"note: {note}")
