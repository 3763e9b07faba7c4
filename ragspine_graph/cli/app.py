"""The commands under their names, and the entry point of the console script."""

from __future__ import annotations

import io
import logging
import sys
from importlib.metadata import version
from typing import Annotated

import typer

from ragspine_graph.cli import (
    audit,
    changes,
    context,
    copy,
    cypher,
    eval,
    ingest,
    keys,
    mcp,
    profile,
    reindex,
    relations,
    search,
    serve,
    show,
    status,
)
from ragspine_graph.cli.faults import Command
from ragspine_graph.cli.options import ConfigOption, StoreOption

PROGRAM = "ragspine-graph"

app = typer.Typer(
    name=PROGRAM,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    ingest.ingest,
    search.search,
    context.context,
    show.show,
    changes.relabel,
    changes.delete,
    changes.purge,
    reindex.reindex,
    copy.copy,
    serve.serve,
    mcp.mcp,
    status.status,
):
    app.command(cls=Command)(command)
app.command("eval", cls=Command)(eval.evaluate_file)
app.add_typer(relations.relations, name="relations")
app.add_typer(audit.audit, name="audit")
app.add_typer(cypher.cypher, name="cypher")
app.add_typer(profile.profile, name="profile")
app.add_typer(keys.keys, name="keys")


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"{PROGRAM} {version(PROGRAM)}")
        raise typer.Exit


@app.callback()
def take_global_options(
    store: StoreOption = None,
    config: ConfigOption = None,
    show_version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version and stop.",
        ),
    ] = False,
) -> None:
    """Documents in, cited context out: ingest files, search them, read hits in their windows.

    The store is one SQLite file, or a Neo4j server. Text labelled RESTRICTED leaves by no command.
    Options for the store and the settings may stand before or after the name of the command.
    """


def main() -> None:
    """Run the command line on the arguments of the process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # What the driver logs of a lost connection is said by the one line of the error.
    logging.getLogger("neo4j").addHandler(logging.NullHandler())
    app(prog_name=PROGRAM)
