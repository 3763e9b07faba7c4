"""`reindex`: the vectors of a store in step with the configured embedders."""

from __future__ import annotations

import typer

from ragspine_graph.cli.options import ConfigOption, JsonOption, StoreOption, open_store
from ragspine_graph.cli.output import Page, print_json, warn
from ragspine_graph.cli.progress import progress_bar
from ragspine_graph.embedding.reindex import ReindexProgress, ReindexReport


def reindex(
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Embed what lacks vectors of the configured embedders, and drop those of all others.

    Run it after the embedders or their models were changed; with none configured all vectors go.
    What is done stays done: a run that was cut short goes on where it stopped. When documents got
    no vectors the exit code is 1, when none did 3, and no vectors are dropped.
    """
    with open_store(store, config) as knowledge, progress_bar(_describe) as progress:
        report = knowledge.reindex(progress=progress)
    for failure, number in report.failures.items():
        warn(f"failed ({number:,}): {failure}")
    if as_json:
        print_json(report.to_dict())
    else:
        _print_report(Page(), report)
    if report.failed:
        raise typer.Exit(3 if report.all_failed else 1)


def _describe(now: ReindexProgress) -> tuple[int, int, str]:
    return now.done, now.total, now.doing


def _print_report(page: Page, report: ReindexReport) -> None:
    page.facts(
        [
            ("models", ", ".join(report.models) or "none"),
            ("documents embedded", f"{report.documents:,}"),
            ("changed meanwhile", f"{report.outdated:,}"),
            ("failed", f"{report.failed:,}"),
            ("texts embedded", f"{report.embedded:,}"),
            ("requests", f"{report.calls:,}"),
            ("vectors dropped", f"{report.dropped:,}"),
        ]
    )
    if report.outdated:
        page.line("Run it again for those that changed meanwhile.")
