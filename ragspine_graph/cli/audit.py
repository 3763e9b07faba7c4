"""`audit`: what models proposed, verdicts on it, and what was thrown out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

import typer

from ragspine_graph.audit import RULES
from ragspine_graph.cli.asking import Asked, reads
from ragspine_graph.cli.edges import describe, print_edges, print_evidence, print_page
from ragspine_graph.cli.faults import Command
from ragspine_graph.cli.options import (
    AfterOption,
    DocumentsOption,
    KindsOption,
    LimitOption,
    OutOption,
)
from ragspine_graph.cli.output import Page, print_json, write_out
from ragspine_graph.egress import render_csv, render_json
from ragspine_graph.relations.edges import EDGE_COLUMNS, ShownEdge, edge_rows
from ragspine_graph.relations.reads import DEFAULT_LIMIT
from ragspine_graph.relations.results import AuditState, entry_to_dict

audit = typer.Typer(no_args_is_help=True, help="Edges that models proposed: see, judge, export.")

EdgesArgument = Annotated[
    list[str], typer.Argument(metavar="EDGE", help="Ids of edges: all get the verdict, or none.")
]
ReviewerOption = Annotated[
    str, typer.Option("--reviewer", metavar="NAME", help="Who decides; kept for good.")
]
NoteOption = Annotated[
    str,
    typer.Option("--note", metavar="TEXT", help="Why; kept for good, so quote no document in it."),
]
StateOption = Annotated[
    AuditState | None, typer.Option("--state", help="What is held of the edges; by default any.")
]
EntityOption = Annotated[
    list[str] | None,
    typer.Option("--entity", metavar="ID", help="Edges at this node; repeat it for several."),
]
ModelOption = Annotated[
    list[str] | None,
    typer.Option("--model", metavar="NAME", help="Edges this model proposed; likewise."),
]
RuleOption = Annotated[
    str | None,
    typer.Option(
        "--rule",
        metavar="NAME",
        help=f"Edges that a rule made instead: {', '.join(RULES)}.",
    ),
]


@audit.command("list", cls=Command)
@reads
def list_edges(
    asked: Asked,
    state: StateOption = None,
    documents: DocumentsOption = None,
    kinds: KindsOption = None,
    entities: EntityOption = None,
    models: ModelOption = None,
    rule: RuleOption = None,
    after: AfterOption = "",
    limit: LimitOption = DEFAULT_LIMIT,
) -> None:
    """Edges that models proposed, with what is held of each."""
    with asked.open() as (knowledge, reader):
        result = knowledge.audit.list(
            state=state,
            doc_ids=documents or (),
            kinds=kinds or (),
            nodes=entities or (),
            models=models or (),
            rule=rule,
            after=after,
            limit=limit,
            reader=reader,
        )
    if asked.as_json:
        print_json(result.to_dict())
    else:
        print_page(Page(), result, more="audit list")


@audit.command("show", cls=Command)
@reads
def show_edge(
    asked: Asked,
    edge_id: Annotated[str, typer.Argument(metavar="EDGE", help="The id of an edge.")],
) -> None:
    """An edge with its quotes, each in the text around it."""
    with asked.open() as (knowledge, reader):
        audited = knowledge.audit.show(edge_id, reader=reader)
    if asked.as_json:
        print_json(audited.to_dict())
        return
    page, edge = Page(), audited.edge
    page.line(f"{edge.source.label} —{edge.key.kind}→ {edge.target.label}", style="bold")
    page.line(f"{edge.id}  {edge.source.id} → {edge.target.id}", style="dim", indent=3)
    page.line(describe(edge), indent=3)
    if edge.note:
        page.line(f"note: {edge.note}", indent=3)
    for context in audited.contexts:
        page.line()
        print_evidence(page, context.evidence)
        if context.before or context.after:
            page.line("in its text:", style="dim", indent=3)
            around = f"…{context.before}«{context.evidence.quote}»{context.after}…"
            page.block(around, style="dim", margin="   | ")


@audit.command("verify", cls=Command)
@reads
def verify(
    asked: Asked,
    edge_ids: EdgesArgument,
    reviewer: ReviewerOption,
    note: NoteOption = "",
) -> None:
    """Hold edges to be true: they are trusted from now on."""
    with asked.open() as (knowledge, reader):
        edges = knowledge.audit.verify(edge_ids, reviewer=reviewer, note=note, reader=reader)
    _print_judged(asked, edges)


@audit.command("reject", cls=Command)
@reads
def reject(
    asked: Asked,
    edge_ids: EdgesArgument,
    reviewer: ReviewerOption,
    note: NoteOption = "",
) -> None:
    """Hold edges to be wrong: they stay rejected when they are proposed again."""
    with asked.open() as (knowledge, reader):
        edges = knowledge.audit.reject(edge_ids, reviewer=reviewer, note=note, reader=reader)
    _print_judged(asked, edges)


def _print_judged(asked: Asked, edges: Iterable[ShownEdge]) -> None:
    if asked.as_json:
        print_json({"edges": [edge.to_dict() for edge in edges]})
    else:
        print_edges(Page(), edges)


@audit.command("log", cls=Command)
@reads
def log(
    asked: Asked,
    operator: Annotated[
        bool,
        typer.Option(
            "--operator", help="Also give verdicts on edges that are gone or hidden, as hashes."
        ),
    ] = False,
) -> None:
    """All verdicts, oldest first."""
    with asked.open() as (knowledge, reader):
        entries = knowledge.audit.log(reader=reader, operator=operator)
    if asked.as_json:
        print_json({"entries": [entry_to_dict(entry) for entry in entries]})
        return
    page = Page()
    if not entries:
        page.line("No verdicts: none on an edge that this reader may see.")
    for entry in entries:
        name = entry.edge_id or f"an edge of hash {entry.edge[:16]}"
        page.line(f"{entry.no}. {entry.at} {entry.verdict.value} {name} by {entry.reviewer}")
        if entry.note:
            page.line(entry.note, style="dim", indent=3)


@audit.command("rejections", cls=Command)
@reads
def rejections(
    asked: Asked,
    documents: DocumentsOption = None,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rule", metavar="NAME", help="Stopped by this rule; repeat for several."),
    ] = None,
) -> None:
    """What the gate and grounding threw out, and why."""
    with asked.open() as (knowledge, reader):
        found = knowledge.audit.rejections(
            doc_ids=documents or (), rules=rules or (), reader=reader
        )
    if asked.as_json:
        print_json({"rejections": [rejection.to_dict() for rejection in found]})
        return
    page = Page()
    if not found:
        page.line("No rejections that this reader may see.")
    for rejection in found:
        page.line(f"{rejection.rule}: {rejection.reason}", style="bold")
        if rejection.source or rejection.target:
            page.line(f"{rejection.source} —{rejection.kind}→ {rejection.target}", indent=3)
        print_evidence(page, rejection.evidence)
    if found:
        page.line()
        page.facts(
            (rule, f"{number:,}") for rule, number in Counter(r.rule for r in found).most_common()
        )


@audit.command("export", cls=Command)
@reads
def export(
    asked: Asked,
    state: StateOption = None,
    documents: DocumentsOption = None,
    kinds: KindsOption = None,
    entities: EntityOption = None,
    models: ModelOption = None,
    out: OutOption = None,
) -> None:
    """Edges that models proposed as CSV, one line for each place that states one.

    A cell that a spreadsheet would take for a formula is written with an apostrophe before it.
    """
    with asked.open() as (knowledge, reader):
        edges = knowledge.audit.export(
            state=state,
            doc_ids=documents or (),
            kinds=kinds or (),
            nodes=entities or (),
            models=models or (),
            reader=reader,
        )
    if asked.as_json:
        write_out(render_json({"edges": [edge.to_dict() for edge in edges]}) + "\n", out)
    else:
        write_out(render_csv(EDGE_COLUMNS, edge_rows(edges)), out)
