"""`ingest`: files into the store, and a report of what became of each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragspine_graph.backends import has_store
from ragspine_graph.cli.options import AllowLowerOption, ConfigOption, JsonOption, StoreOption
from ragspine_graph.cli.output import Page, print_json, warn, warn_of_rest
from ragspine_graph.cli.progress import progress_bar
from ragspine_graph.config import ServiceConfig
from ragspine_graph.config.store_url import parse_store_url
from ragspine_graph.knowledge_base import KnowledgeBase
from ragspine_graph.results import chunker_advice, count, documents_by_label, report_to_dict
from ragspine_store.ingest_report import IngestReport, Outcome, Progress

MOST_LINES = 20
A_STUB = "a document of which a stub was kept"

_OF_SYNC = (Outcome.MOVED, Outcome.DELETED, Outcome.KEPT)


def ingest(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH", help="Files, and folders with all files below them."),
    ],
    root: Annotated[
        Path | None,
        typer.Option(
            "--root",
            metavar="FOLDER",
            help="The folder that document ids are relative to; by default the one above the "
            "folder given, or above the folder that a file given stands in.",
        ),
    ] = None,
    chunker: Annotated[
        str | None,
        typer.Option(
            "--chunker",
            metavar="SPEC",
            help="How documents are cut: none, parent_child, sentence_window, hierarchical, auto; "
            "RAGSPINE_CHUNKER, by default none.",
        ),
    ] = None,
    sensitivity: Annotated[
        str | None,
        typer.Option(
            "--sensitivity",
            metavar="LEVEL",
            help="State a label for all files: PUBLIC, INTERNAL, CONFIDENTIAL or RESTRICTED. The "
            "strictest stated label wins.",
        ),
    ] = None,
    profile: Annotated[
        Path | None,
        typer.Option(
            "--profile",
            metavar="FILE",
            help="The profile in TOML, whose policy labels documents; RAGSPINE_PROFILE.",
        ),
    ] = None,
    collection: Annotated[
        str | None,
        typer.Option("--collection", metavar="NAME", help="Put all files into this collection."),
    ] = None,
    allow_lower: AllowLowerOption = False,
    sync: Annotated[
        bool,
        typer.Option(
            "--sync",
            help="Also delete the documents whose files are not in these folders any more; a file "
            "that was moved inside them keeps its labels.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Report what would be done, and write nothing.")
    ] = False,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Read files and folders into the store.

    The store is created when it does not exist. A file that cannot be read is refused with its
    reason, and the others are ingested all the same; then the exit code is 1, or 3 when nothing was
    written since the configured embedders gave no vectors. Files of a folder that no loader reads
    are skipped.
    """
    if "" in paths:
        raise typer.BadParameter("'' given; expected a file or folder", param_hint="PATH")
    settings = ServiceConfig.load(config, store=store, chunker=chunker, profile=profile)
    with _open(settings, dry_run=dry_run) as knowledge, progress_bar(_describe) as progress:
        report = knowledge.ingest(
            paths,
            root=root,
            sensitivity=sensitivity,
            collection=collection,
            allow_lower=allow_lower,
            sync=sync,
            dry_run=dry_run,
            progress=progress,
        )
    for file in report.files:
        if file.message:
            warn(f"{file.outcome.value}: {file.source or A_STUB}: {file.message}")
        for note in file.notes:
            warn(f"note: {file.source}: {note}")
    for warning in report.warnings():
        warn(f"warning: {warning}")
    warn_of_rest(erased=report.erased)
    if as_json:
        print_json(report_to_dict(report))
    else:
        print_report(Page(), report)
    if report.count(Outcome.REFUSED):
        raise typer.Exit(3 if report.all_unembedded else 1)


def _open(settings: ServiceConfig, *, dry_run: bool) -> KnowledgeBase:
    """The store to ingest into; a dry run creates none."""
    is_trial = dry_run and not has_store(parse_store_url(settings.store), settings)
    return KnowledgeBase.open(Path(":memory:") if is_trial else None, settings)


def _describe(now: Progress) -> tuple[int, int, str]:
    return now.done, now.total, now.name


def print_report(page: Page, report: IngestReport) -> None:
    """Print what an ingest did: counts, labels, cut windows, and what a chunker would add."""
    if not report.files:
        page.line("Nothing to ingest: no files there.")
        return
    if report.dry_run:
        page.line("Dry run: nothing was written.", style="bold")
    outcomes = [o for o in Outcome if report.is_sync or o not in _OF_SYNC]
    page.facts((outcome.value, f"{report.count(outcome):,}") for outcome in outcomes)
    labels = documents_by_label(report)
    if labels:
        page.line()
        page.facts((name, count(number, "document")) for name, number in labels.items())
    if report.is_sync:
        _print_changes(page, report)
    written = [file for file in report.files if file.chunks]
    if written:
        page.line()
        page.line(
            f"{count(sum(file.chunks for file in written), 'child', 'children')} from "
            f"{count(sum(file.sections for file in written), 'section')}, "
            f"chunker {report.chunker.partition('(')[0]}."
        )
    for file in written:
        for section, windows in file.cut_sections.items():
            page.line(f"{section} was too long for one window and has {windows}.")
    advice = chunker_advice(report)
    if advice:
        page.line(advice, style="dim")


def _print_changes(page: Page, report: IngestReport) -> None:
    """What a sync moved and deleted, and the documents whose label nobody stated."""
    moved = [
        f"{file.moved_from or A_STUB} is now {file.doc_id}"
        for file in report.files
        if file.outcome is Outcome.MOVED
    ]
    deleted = [file.doc_id or A_STUB for file in report.files if file.outcome is Outcome.DELETED]
    for title, lines in (
        ("moved", moved),
        ("deleted", deleted),
        ("without a stated label", report.unlabelled()),
    ):
        if lines:
            page.line()
            page.line(f"{title}:")
        for line in lines[:MOST_LINES]:
            page.line(line, indent=2)
        if len(lines) > MOST_LINES:
            page.line(f"and {len(lines) - MOST_LINES:,} more; --json names all", indent=2)
