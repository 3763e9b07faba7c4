"""`eval`: how well a configuration finds what answers a set of questions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from ragspine_graph.cli.asking import Asked, reads
from ragspine_graph.cli.options import BudgetOption, ShapeOption, make_reader, open_store
from ragspine_graph.cli.output import Page, print_json, warn_of_notes, write_out
from ragspine_graph.cli.progress import progress_bar
from ragspine_graph.evaluation import (
    EvaluationSettings,
    Question,
    Report,
    compare,
    evaluate,
    load_questions,
    summarise,
)
from ragspine_graph.evaluation.page import render_page
from ragspine_graph.evaluation.report import GroupDifference, Miss
from ragspine_graph.evaluation.run import DEFAULT_KS
from ragspine_graph.evaluation.wording import difference, interval, kind_name, number, title_of
from ragspine_graph.results import count
from ragspine_graph.retrieval.context import DEFAULT_BUDGET_TOKENS


@reads
def evaluate_file(
    asked: Asked,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Questions with their gold, as JSON lines.")
    ],
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="FILE",
            help="Compare with the settings of this TOML file, on the same questions.",
        ),
    ] = None,
    ks: Annotated[
        list[int] | None,
        typer.Option(
            "-k", metavar="N", help="A cut-off; repeat it for several: 1, 5 and 10 by default."
        ),
    ] = None,
    budget: BudgetOption = DEFAULT_BUDGET_TOKENS,
    expand: ShapeOption = "window",
    misses: Annotated[
        int, typer.Option("--misses", metavar="N", min=0, help="Show so many questions missed.")
    ] = 0,
    timings: Annotated[
        bool, typer.Option("--timings", help="Show how long searches and contexts took.")
    ] = False,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Of the random draws behind the intervals.")
    ] = 0,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Also write a page with plots there."),
    ] = None,
) -> None:
    """Measure how well questions find what answers them.

    Each line of FILE is an object with a question and, as far as it can be answered, its gold:
    gold_ids, gold_spans or answers. Figures come with 95 % bootstrap intervals, and with --against
    as differences from another configuration. Where both use one store, give it by --store.
    """
    questions = load_questions(file)
    settings = EvaluationSettings(tuple(ks or DEFAULT_KS), budget, expand)
    report = _measure(asked, asked.config, questions, settings, seed)
    other = _measure(asked, against, questions, settings, seed) if against else None
    differences = compare(report, other) if other else []
    missed = report.misses(misses)
    if html is not None:
        page = render_page(report, other, differences, title=file.name, misses=missed)
        write_out(page, html)
    if asked.as_json:
        print_json(
            {
                **report.to_dict(),
                "against": other.to_dict() if other else None,
                "differences": [group.to_dict() for group in differences] if other else None,
                "misses": [miss.to_dict() for miss in missed],
                "timings_ms": report.timings_ms() if timings else None,
            }
        )
        return
    shown = Page()
    if other:
        _print_differences(shown, report, other, differences)
    else:
        _print_groups(shown, report)
    _print_apart(shown, report)
    _print_misses(shown, missed)
    if timings:
        shown.line()
        shown.facts((name, f"{ms:.1f} ms") for name, ms in report.timings_ms().items())


def _measure(
    asked: Asked,
    config: Path | None,
    questions: tuple[Question, ...],
    settings: EvaluationSettings,
    seed: int,
) -> Report:
    reader = make_reader(asked.clearance, asked.collections)

    def describe(done: int) -> tuple[int, int, str]:
        return done, len(questions), "questions"

    with open_store(asked.store, config) as knowledge, progress_bar(describe) as move:
        outcomes = evaluate(knowledge, questions, settings, reader=reader, progress=move)
    noted = Counter(note for outcome in outcomes for note in outcome.notes)
    warn_of_notes(f"{count(number, 'question')} {note}" for note, number in sorted(noted.items()))
    return summarise(outcomes, settings, seed=seed)


def _print_groups(page: Page, report: Report) -> None:
    if not report.groups:
        return
    everything = report.groups[0]
    head = ["", *(f"{kind_name(group.kind)} ({group.questions})" for group in report.groups)]
    page.table(
        head,
        [
            [title_of(name), *(interval(name, group.figures[name]) for group in report.groups)]
            for name in everything.figures
        ],
    )


def _print_differences(
    page: Page, report: Report, other: Report, differences: list[GroupDifference]
) -> None:
    for group, theirs, apart in zip(report.groups, other.groups, differences, strict=True):
        page.line(f"{kind_name(group.kind)}: {count(group.questions, 'question')}", style="bold")
        page.table(
            ["", "this", "against", "difference", "half-width", "p"],
            [
                [
                    title_of(name),
                    number(name, figure.mean),
                    number(name, theirs.figures[name].mean),
                    *difference(name, apart.figures[name]),
                ]
                for name, figure in group.figures.items()
            ],
        )
        page.line()


def _print_apart(page: Page, report: Report) -> None:
    answerable, unanswerable = report.answerable, report.unanswerable
    refused = sum(outcome.problem == "refused" for outcome in answerable)
    if unanswerable:
        without = sum(not outcome.hits for outcome in unanswerable)
        page.line(
            f"{count(len(unanswerable), 'question')} without gold, counted apart: "
            f"{without:,} found nothing."
        )
    if refused:
        page.line(f"{count(refused, 'question')} refused: they name an external party.")
    if report.unknown_gold:
        page.line(
            f"{count(report.unknown_gold, 'gold item names', 'gold items name')} nothing that "
            "this reader may see, or a span of a format that has none."
        )


def _print_misses(page: Page, missed: list[Miss]) -> None:
    for miss in missed:
        question = miss.outcome.question
        page.line()
        page.line(f"{question.id}  {question.text}", style="bold")
        for line in miss.gold_lines():
            page.line(line, indent=3)
        for line in miss.above_lines():
            page.line(f"above it: {line}", style="dim", indent=3)
