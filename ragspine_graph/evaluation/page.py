"""A report as one HTML page that needs nothing besides, with plots and no script."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ragspine_graph.evaluation.measures import Ranks, recall
from ragspine_graph.evaluation.plots import (
    COLOURS,
    Bars,
    Curve,
    Dot,
    bar_plot,
    curve_plot,
    dot_plot,
    escaped,
)
from ragspine_graph.evaluation.report import GroupDifference, Miss, Report
from ragspine_graph.evaluation.wording import difference, interval, kind_name, number, title_of


def render_page(
    report: Report,
    other: Report | None,
    differences: Sequence[GroupDifference],
    *,
    title: str,
    misses: Sequence[Miss] = (),
) -> str:
    """The page.

    Args:
        report: of the configuration that is looked at.
        other: of the one it is compared with; None for none.
        differences: between the two; none without another.
        title: what was asked, in its first line.
        misses: questions to show in a table.
    """
    parts = [
        *_opening(report, other),
        *_bars(report, other),
        *_curves(report, other),
        *(_dots(report, other) if other else ()),
        *(_compared(report, other, differences) if other else _figures(report)),
        *_missed(misses),
    ]
    return _PAGE.format(title=escaped(title), parts="\n".join(parts))


_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font: 14px sans-serif; margin: 1.5em; color: #222222; }}
h2 {{ font-size: 17px; margin: 1.6em 0 .5em; }}
svg {{ margin: 0 .5em .5em 0; vertical-align: top; }}
svg text {{ font-size: 11px; fill: #444444; }}
svg text.title {{ font-size: 13px; font-weight: bold; fill: #222222; }}
line.grid {{ stroke: #dddddd; }}
line.even {{ stroke: #999999; stroke-dasharray: 2 3; }}
line.whisker {{ stroke: #222222; stroke-width: 1.5; }}
table {{ border-collapse: collapse; }}
th, td {{ border-bottom: 1px solid #dddddd; padding: .3em .8em; text-align: left; \
vertical-align: top; }}
td.number {{ text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }}
th.number {{ text-align: right; }}
.key {{ display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1em; }}
</style>
</head>
<body>
<h1>{title}</h1>
{parts}
</body>
</html>
"""


def _opening(report: Report, other: Report | None) -> Iterator[str]:
    settings = report.settings
    said = (
        f"{len(report.answerable):,} questions with gold, {len(report.unanswerable):,} without; "
        f"contexts of at most {settings.budget:,} tokens, by {settings.expand}; "
        "intervals: 95 %, bootstrap over questions."
    )
    yield f"<p>{escaped(said)}</p>"
    if other:
        keys = (
            f'<span class="key" style="background: {colour}"></span>{name}'
            for colour, name in zip(COLOURS, ("this configuration", "against"), strict=False)
        )
        yield f"<p>{''.join(keys)}</p>"


def _bars(report: Report, other: Report | None) -> Iterator[str]:
    if not report.groups:
        return
    yield "<h2>By kind of question</h2>"
    reports = [report, *([other] if other else [])]
    for name in report.groups[0].figures:
        if name not in ("context_characters", "items_per_1000_characters"):
            yield bar_plot(
                title_of(name),
                [
                    Bars(kind_name(groups[0].kind), [group.figures[name] for group in groups])
                    for groups in zip(*(one.groups for one in reports), strict=True)
                ],
            )


def _curves(report: Report, other: Report | None) -> Iterator[str]:
    if not report.groups:
        return
    curves: list[Curve] = []
    for series, one in enumerate((report, other)):
        if one:
            suffix = ", against" if series else ""
            leaves = [outcome.ranks for outcome in one.answerable]
            articles = [outcome.article_ranks for outcome in one.answerable]
            curves += [
                Curve(f"leaves{suffix}", _recalls(leaves, one), series),
                Curve(f"articles{suffix}", _recalls(articles, one), series, is_dashed=True),
            ]
    yield "<h2>Recall at each k</h2>"
    yield curve_plot("share of gold found", "k", curves)


def _recalls(ranks: Sequence[Ranks], report: Report) -> list[tuple[float, float]]:
    return [
        (k, math.fsum(recall(one, k) for one in ranks) / len(ranks))
        for k in range(1, report.settings.ks[-1] + 1)
    ]


def _dots(report: Report, other: Report) -> Iterator[str]:
    name = f"ndcg@{report.settings.ks[-1]}"
    theirs = {outcome.question.id: outcome for outcome in other.answerable}
    dots = [
        Dot(
            theirs[outcome.question.id].figures(report.settings.ks)[name],
            outcome.figures(report.settings.ks)[name],
            f"{outcome.question.id} {outcome.question.text}",
        )
        for outcome in report.answerable
    ]
    yield "<h2>Question by question</h2>"
    yield dot_plot(title_of(name), "against", "this configuration", dots)


def _figures(report: Report) -> Iterator[str]:
    if not report.groups:
        return
    yield "<h2>Figures</h2>"
    yield from _table(
        ["", *(f"{kind_name(group.kind)} ({group.questions})" for group in report.groups)],
        [
            [title_of(name), *(interval(name, group.figures[name]) for group in report.groups)]
            for name in report.groups[0].figures
        ],
    )


def _compared(
    report: Report, other: Report, differences: Sequence[GroupDifference]
) -> Iterator[str]:
    for group, theirs, apart in zip(report.groups, other.groups, differences, strict=True):
        yield f"<h2>{escaped(kind_name(group.kind))}: {group.questions:,} questions</h2>"
        yield from _table(
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


def _missed(misses: Sequence[Miss]) -> Iterator[str]:
    if not misses:
        return
    yield "<h2>Missed</h2>"
    yield "<table><tr><th>id</th><th>question</th><th>gold</th><th>above it</th></tr>"
    for miss in misses:
        question = miss.outcome.question
        gold, above = (
            "<br>".join(map(escaped, lines)) for lines in (miss.gold_lines(), miss.above_lines())
        )
        yield (
            f"<tr><td>{escaped(question.id)}</td><td>{escaped(question.text)}</td>"
            f"<td>{gold}</td><td>{above}</td></tr>"
        )
    yield "</table>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    names = "".join(
        f'<th class="number">{escaped(name)}</th>' if no else f"<th>{escaped(name)}</th>"
        for no, name in enumerate(head)
    )
    yield f"<table><tr>{names}</tr>"
    for first, *rest in rows:
        cells = "".join(f'<td class="number">{escaped(cell)}</td>' for cell in rest)
        yield f"<tr><td>{escaped(first)}</td>{cells}</tr>"
    yield "</table>"
