"""`cypher`: named queries of the graph, and Cypher of one's own."""

from __future__ import annotations

import enum
import json
from pathlib import Path
from typing import Annotated

import typer

from ragspine_graph.cli.asking import Asked, reads
from ragspine_graph.cli.faults import Command, caught
from ragspine_graph.cli.options import JsonOption, OutOption
from ragspine_graph.cli.output import Page, print_json, print_refusal, warn, write_out
from ragspine_graph.cypher import (
    CypherResult,
    draw,
    list_queries,
    parse_parameters,
    render_dot,
    render_html,
    show_query,
)
from ragspine_graph.cypher.results import cell
from ragspine_graph.egress import render_csv, render_json
from ragspine_store.cypher_protocols import DEFAULT_MAX_ROWS, DEFAULT_TIMEOUT_S


class Format(enum.Enum):
    """How rows are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    DOT = "dot"
    HTML = "html"


ParametersOption = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="KEY=VALUE",
        help="A parameter's value: a string as it stands, all else as JSON; repeat it for several.",
    ),
]
FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        help="How rows are written: table by default; dot (Graphviz) and html are pictures of "
        "queries that return source and target, or nodes.",
    ),
]
TimeoutOption = Annotated[
    float, typer.Option("--timeout", metavar="SECONDS", help="How long it may run.")
]
RowsOption = Annotated[
    int, typer.Option("--max-rows", metavar="N", help="How many rows it may give.")
]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A query that `list` shows.")]

cypher = typer.Typer(
    invoke_without_command=True,
    help="Explore the graph in Cypher: named queries, or --query and --file for your own.",
)


@cypher.callback()
@reads
def query(
    asked: Asked,
    context: typer.Context,
    text: Annotated[
        str | None, typer.Option("--query", metavar="CYPHER", help="Run this one statement.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help="Run the one statement in this file."),
    ] = None,
    parameters: ParametersOption = None,
    operator: Annotated[
        bool,
        typer.Option(
            "--operator",
            help="Ask the server's own graph as it is, whatever the labels; for operators alone.",
        ),
    ] = False,
    timeout_s: TimeoutOption = DEFAULT_TIMEOUT_S,
    max_rows: RowsOption = DEFAULT_MAX_ROWS,
    output: FormatOption = None,
    out: OutOption = None,
) -> None:
    """Run Cypher of your own over what the reader may see; it can only read."""
    if context.invoked_subcommand:
        return
    if (text is None) == (file is None):
        raise typer.BadParameter(
            "neither a command nor exactly one of them given; expected `cypher list`, "
            "`cypher run NAME`, --query CYPHER or --file FILE",
            param_hint="--query / --file",
        )
    with caught():
        statement = file.read_text(encoding="utf-8-sig") if file else text or ""
        with asked.open() as (knowledge, reader):
            result = knowledge.cypher.query(
                statement,
                {name: _as_json(value) for name, value in _pairs(parameters)},
                timeout_s=timeout_s,
                max_rows=max_rows,
                operator=operator,
                reader=reader,
            )
        _print(result, Format.JSON if asked.as_json else output or Format.TABLE, out)


@cypher.command("list", cls=Command)
def list_named(as_json: JsonOption = False) -> None:
    """The named queries, with what each does."""
    queries = list_queries()
    if as_json:
        print_json({"queries": [query.to_dict() for query in queries]})
        return
    Page().table(["name", "does"], [[query.name, query.summary] for query in queries])


@cypher.command("explain", cls=Command)
def explain(name: NameArgument, as_json: JsonOption = False) -> None:
    """What a named query takes and returns, and its text."""
    shown = show_query(name)
    if as_json:
        print_json(shown.to_dict())
        return
    page = Page()
    page.line(shown.summary, style="bold")
    page.line()
    for parameter in shown.parameters:
        default = "required" if parameter.default is None else f"by default {parameter.default}"
        meaning = f": {parameter.meaning}" if parameter.meaning else ""
        page.line(f"--param {parameter.name}  {parameter.type}, {default}{meaning}")
    page.line(f"returns  {', '.join(shown.returns)}")
    if shown.server_only:
        page.line(f"runs on a server alone: {shown.server_only}")
    page.line()
    page.block(shown.text)


@cypher.command("run", cls=Command)
@reads
def run(
    asked: Asked,
    name: NameArgument,
    parameters: ParametersOption = None,
    timeout_s: TimeoutOption = DEFAULT_TIMEOUT_S,
    output: FormatOption = None,
    out: OutOption = None,
) -> None:
    """Run a named query."""
    values = parse_parameters(name, _pairs(parameters))
    with asked.open() as (knowledge, reader):
        result = knowledge.cypher.run(name, values, timeout_s=timeout_s, reader=reader)
    _print(result, Format.JSON if asked.as_json else output or Format.TABLE, out)


def _pairs(given: list[str] | None) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(f"{text!r} given; expected key=value", param_hint="--param")
        pairs.append((name.strip(), value))
    return pairs


def _as_json(text: str) -> object:
    """A value of an ad-hoc query, whose parameters have no declared type."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _print(result: CypherResult, form: Format, out: Path | None) -> None:
    if result.refused and form is not Format.JSON:
        print_refusal(Page(), result.refused)
        return
    if form is Format.JSON and out is None:
        print_json(result.to_dict())
    elif form is Format.JSON:
        write_out(render_json(result.to_dict()) + "\n", out)
    elif form is Format.CSV:
        rows = [[_csv_cell(value) for value in row] for row in result.rows]
        write_out(render_csv(result.columns, rows), out)
    elif form is Format.DOT:
        write_out(render_dot(draw(result)), out)
    elif form is Format.HTML:
        write_out(render_html(draw(result), result.query or "query"), out)
    else:
        page = Page()
        page.table(result.columns, [[cell(value) for value in row] for row in result.rows])
    if result.is_cut:
        warn(f"warning: there are more than these {len(result.rows)} rows")


def _csv_cell(value: object) -> object:
    """Numbers stay numbers, so that a spreadsheet reads them; a formula is no number."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if is_number else cell(value)
