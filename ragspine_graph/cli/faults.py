"""What goes wrong, in one line on stderr and an exit code.

1 for what the project raises on purpose, and for what it does not expect; 2 for a wrong use of
the command line; 130 for an interrupt. No message holds text of a document, and there is never a
traceback, whose lines could.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand

from ragspine_graph.cli.output import warn
from ragspine_graph.errors import GraphError
from ragspine_store.errors import StoreError


class Command(TyperCommand):
    """A command whose errors are caught."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command, its arguments being parsed."""
        with caught():
            return super().invoke(ctx)


@contextmanager
def caught() -> Generator[None]:
    """Say what goes wrong inside, and stop."""
    try:
        yield
    except (typer.Exit, typer.Abort, typer.BadParameter, BrokenPipeError):
        raise  # typer's own, with exit codes of their own
    except Exception as error:
        warn(f"error: {_in_one_line(error)}")
        raise typer.Exit(1) from None


def _in_one_line(error: Exception) -> str:
    if isinstance(error, (StoreError, GraphError)):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename!r}: {error.strerror}" if error.filename else error.strerror
    return (
        f"unexpected {type(error).__name__} inside the program; expected none: please report the "
        "command that you gave"
    )
