"""`profile`: what the service understands of a profile."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragspine_graph.cli.faults import Command
from ragspine_graph.cli.options import ConfigOption, JsonOption
from ragspine_graph.cli.output import Page, print_json
from ragspine_graph.config import ServiceConfig
from ragspine_graph.errors import ConfigError
from ragspine_graph.profile import load_profile
from ragspine_graph.profile.summary import ProfileSummary, summarise

profile = typer.Typer(no_args_is_help=True, help="What the house says about itself: check it.")


@profile.command("check", cls=Command)
def check(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]", help="The profile in TOML; by default the one of the settings."
        ),
    ] = None,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Read a profile, and show what it holds or the first thing that is wrong with it.

    The exit code is 1 when the profile cannot be used; the message names file and key.
    """
    path = file or ServiceConfig.load(config).profile
    if path is None:
        raise ConfigError(
            "no profile given; expected a FILE, or the setting profile (RAGSPINE_PROFILE)"
        )
    summary = summarise(load_profile(path))
    if as_json:
        print_json({"profile": str(path), **summary.to_dict()})
    else:
        _print_summary(Page(), path, summary)


def _print_summary(page: Page, path: Path, summary: ProfileSummary) -> None:
    page.line(f"{path} is a profile.", style="bold")
    page.table(
        ("table", "code", "label", "other names", "note"),
        [
            (table, entry.code, entry.label, ", ".join(entry.aliases), entry.note)
            for table, entries in summary.tables.items()
            for entry in entries
        ],
    )
    for warning in summary.warnings:
        page.line(f"warning: {warning}", style="yellow")
