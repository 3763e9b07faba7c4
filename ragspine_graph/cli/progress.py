"""A progress bar on stderr, for a person who looks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as ProgressBar

from ragspine_graph.egress import literal

T = TypeVar("T")


@contextmanager
def progress_bar(
    describe: Callable[[T], tuple[int, int, str]],
) -> Generator[Callable[[T], None]]:
    """A bar that moves with each call; none where nobody looks.

    Args:
        describe: what is done, of how much, and what it was last.
    """
    if not (sys.stderr and sys.stderr.isatty()):  # a process can be started without a stderr
        yield lambda _: None
        return
    bar = ProgressBar(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),
        console=Console(stderr=True, markup=False, emoji=False, highlight=False),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=None)

        def move(now: T) -> None:
            done, total, name = describe(now)
            bar.update(task, completed=done, total=total, description=literal(name))

        yield move
