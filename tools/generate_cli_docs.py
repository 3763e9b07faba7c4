"""Write docs/cli.md from the command line itself; with `--check`, tell whether it is up to date."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer

from ragspine_graph.cli import app
from tools.generated import write_or_check

PROGRAM = "ragspine-graph"
PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
HEAD = """\
# Command line

Every command and option, as `--help` tells them. Written by `make cli-docs`; a check compares.
"""


def render_table(title: str, rows: list[tuple[str, str]]) -> list[str]:
    if not rows:
        return []
    escaped = [(name.replace("|", r"\|"), " ".join(text.split())) for name, text in rows]
    return [f"| {title} | |", "|---|---|", *(f"| `{n}` | {t} |" for n, t in escaped), ""]


def render_command(command: Any, context: typer.Context, path: str) -> list[str]:
    """The section of one command and, below it, of its subcommands."""
    lines = [f"## `{path}`", ""]
    if command.help:
        lines += [command.help.strip().replace("\f", ""), ""]
    lines += ["```", f"{path} {' '.join(command.collect_usage_pieces(context))}", "```", ""]
    kinds: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None or parameter.name == "help":
            continue
        kind = parameter.param_type_name
        name = parameter.metavar if kind == "argument" else record[0]
        kinds[kind].append((name, record[1]))
    lines += render_table("argument", kinds["argument"])
    lines += render_table("option", kinds["option"])
    for name in getattr(command, "commands", {}):
        child = command.get_command(context, name)
        below = typer.Context(child, info_name=name, parent=context)
        lines += render_command(child, below, f"{path} {name}")
    return lines


def render_page() -> str:
    command = typer.main.get_command(app)
    context = typer.Context(command, info_name=PROGRAM)
    body = "\n".join(render_command(command, context, PROGRAM)).rstrip()
    return f"{HEAD}\n{body}\n"


def main() -> int:
    return write_or_check(PAGE, render_page(), "the command line", "cli-docs")


if __name__ == "__main__":
    sys.exit(main())
