"""`copy`: all that a store keeps into another one; an operator's command."""

from __future__ import annotations

from typing import Annotated

import typer

from ragspine_graph.cli.options import ConfigOption, JsonOption
from ragspine_graph.cli.output import Page, print_json, warn, warn_of_rest
from ragspine_graph.cli.progress import progress_bar
from ragspine_graph.config import ServiceConfig
from ragspine_graph.egress import Json
from ragspine_graph.results import count
from ragspine_graph.store_copy import copy_store
from ragspine_store.copying import CopyProgress, CopyReport, Side


def copy(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE", help="The store to copy: a URL as for --store, or a file."
        ),
    ],
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET", help="Where to: likewise; created when it does not exist."
        ),
    ],
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Copy all that a store keeps into another, from a file to a server, back, or likewise.

    The target has to be empty, or a copy of this source that was cut short, which is completed.
    Then it is read again: both are counted and hashed, and the exit code is 1 when they differ.
    Both name stubs by the same RAGSPINE_STUB_KEY; of a RESTRICTED document the target keeps what
    the settings say.
    """
    for name, given in (("SOURCE", source), ("TARGET", target)):
        if not given:
            raise typer.BadParameter("'' given; expected a store", param_hint=name)
    settings = ServiceConfig.load(config)
    with progress_bar(_describe) as progress:
        report = copy_store(source, target, settings, progress=progress)
    warn_of_rest(erased=report.erased)
    if as_json:
        print_json(_to_dict(report))
    else:
        _print_report(Page(), report)
    if not report.is_equal:
        warn(
            "error: the target does not keep what the source does; expected equal counts and "
            "hashes: run the same command again"
        )
        raise typer.Exit(1)


def _describe(now: CopyProgress) -> tuple[int, int, str]:
    return now


def _print_report(page: Page, report: CopyReport) -> None:
    page.line(f"{count(report.copied, 'document')} copied, {report.passed_over:,} there already.")
    if report.reduced:
        page.line(f"RESTRICTED text of {count(report.reduced, 'document')} left out.")
    page.line()
    names = [name for name, _ in _facts(report.source)]
    columns = [[value for _, value in _facts(side)] for side in (report.source, report.target)]
    page.table(("", "source", "target"), list(zip(names, *columns, strict=True)))
    page.line()
    page.facts([("hash of the source", report.source.hash), ("of the target", report.target.hash)])


def _facts(side: Side) -> list[tuple[str, str]]:
    return [(name.replace("_", " "), f"{number:,}") for name, number in side.counts.items()]


def _to_dict(report: CopyReport) -> Json:
    return {
        "source": {**report.source.counts, "hash": report.source.hash},
        "target": {**report.target.counts, "hash": report.target.hash},
        "copied": report.copied,
        "passed_over": report.passed_over,
        "reduced": report.reduced,
        "erased": report.erased,
        "is_equal": report.is_equal,
    }
