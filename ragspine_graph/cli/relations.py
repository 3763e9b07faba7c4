"""`relations`: build the relation graph, and read it."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from ragspine_graph.building import BuildProgress, GraphBuildReport
from ragspine_graph.cli.asking import Asked, reads
from ragspine_graph.cli.edges import print_edges, print_evidence, print_page
from ragspine_graph.cli.faults import Command
from ragspine_graph.cli.options import (
    AfterOption,
    ConfigOption,
    DocumentsOption,
    JsonOption,
    KindsOption,
    LimitOption,
    OutOption,
    StoreOption,
    UnverifiedOption,
)
from ragspine_graph.cli.output import Page, print_json, print_refusal, warn, write_out
from ragspine_graph.cli.progress import progress_bar
from ragspine_graph.config import ServiceConfig
from ragspine_graph.egress import render_csv, render_json
from ragspine_graph.facts import load_facts
from ragspine_graph.knowledge_base import KnowledgeBase
from ragspine_graph.model_build import ModelProgress
from ragspine_graph.relations.edges import EDGE_COLUMNS, edge_rows
from ragspine_graph.relations.export import graphml, node_link
from ragspine_graph.relations.reads import DEFAULT_LIMIT
from ragspine_graph.results import count
from ragspine_store.relations import Provenance

relations = typer.Typer(no_args_is_help=True, help="The relation graph: build, read, export.")


class ExportFormat(enum.Enum):
    """How a graph is written."""

    GRAPHML = "graphml"
    CSV = "csv"


@relations.command("build", cls=Command)
def build(
    profile: Annotated[
        Path | None,
        typer.Option("--profile", metavar="FILE", help="The profile in TOML; RAGSPINE_PROFILE."),
    ] = None,
    facts: Annotated[
        list[Path] | None,
        typer.Option(
            "--facts",
            metavar="FILE",
            help="Facts in CSV, JSON or JSON lines, in place of those given before; repeat it for "
            "several files.",
        ),
    ] = None,
    extractor: Annotated[
        str | None,
        typer.Option(
            "--extractor",
            metavar="SPEC",
            help="What adds relations: none, deterministic, llm; RAGSPINE_RELATION_EXTRACTOR, by "
            "default none.",
        ),
    ] = None,
    entities: Annotated[
        str | None,
        typer.Option(
            "--entities",
            metavar="NAMES",
            help="Where names in texts come from: profile, titles, terms, joined by commas, or "
            "none; RAGSPINE_ENTITY_SOURCES, by default profile.",
        ),
    ] = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Build the relation graph, or what of it is missing.

    Cross-references and what the profile and the metadata of documents say are always built. With a
    language model the exit code is 3 when every call failed; what else was found is written.
    """
    settings = ServiceConfig.load(
        config, store=store, profile=profile, relation_extractor=extractor, entity_sources=entities
    )
    given = [fact for file in facts or () for fact in load_facts(file)]
    with (
        KnowledgeBase.open(config=settings, create=False) as knowledge,
        progress_bar(_describe) as progress,
    ):
        report = knowledge.build_relations(given, progress=progress)
    if report.gap:
        warn(f"warning: {report.gap}: no model was asked")
    if as_json:
        print_json(report.to_dict())
    else:
        _print_report(Page(), report)
    if report.model and report.model.all_failed:
        raise typer.Exit(3)


def _describe(now: BuildProgress | ModelProgress) -> tuple[int, int, str]:
    if isinstance(now, BuildProgress):
        return now.done, now.total, now.doc_id
    return now.done, now.total, f"asking the model, {now.failed} failed"


def _print_report(page: Page, report: GraphBuildReport) -> None:
    done = report.rules
    page.facts(
        [
            ("documents built", f"{done.documents:,}"),
            ("unchanged", f"{done.unchanged:,}"),
            ("relations", f"{done.relations:,}"),
            ("references", f"{done.references:,}"),
            ("rejected by the gate", f"{done.rejected:,}"),
            ("beyond a bound", f"{done.left_out:,}"),
        ]
    )
    if done.outdated:
        page.line(f"{count(done.outdated, 'document')} changed meanwhile: build again.")
    if report.advice:
        page.line(report.advice, style="dim")
    if report.model is None:
        return
    asked = report.model
    page.line()
    page.line(f"Model {asked.model}", style="bold")
    page.facts(
        [
            ("children answered", f"{asked.answered:,}"),
            ("from the cache", f"{asked.cached:,}"),
            ("failed", f"{asked.failed:,}"),
            ("not asked", f"{asked.unasked:,}"),
            ("relations", f"{asked.relations:,} in {count(asked.edges, 'edge')}"),
            ("beyond the bound", f"{asked.left_out:,}"),
            ("requests", f"{asked.usage.calls:,}"),
            *((f"rejected: {rule}", f"{n:,}") for rule, n in sorted(asked.rejected.items())),
        ]
    )
    for failure, number in asked.failures.items():
        if failure != asked.stopped:
            page.line(f"Failed {count(number, 'time')}: {failure}", style="yellow")
    if asked.stopped:
        page.line(f"Stopped: {asked.stopped}", style="yellow")


@relations.command("list", cls=Command)
@reads
def list_edges(
    asked: Asked,
    documents: DocumentsOption = None,
    kinds: KindsOption = None,
    provenances: Annotated[
        list[Provenance] | None,
        typer.Option("--provenance", help="Of this provenance; repeat it for several."),
    ] = None,
    unverified: UnverifiedOption = False,
    after: AfterOption = "",
    limit: LimitOption = DEFAULT_LIMIT,
) -> None:
    """Edges, by kind, source and target."""
    with asked.open() as (knowledge, reader):
        result = knowledge.relations.list(
            kinds=kinds or (),
            provenances=provenances or (),
            doc_ids=documents or (),
            unverified=unverified,
            after=after,
            limit=limit,
            reader=reader,
        )
    if asked.as_json:
        print_json(result.to_dict())
    else:
        print_page(Page(), result, more="relations list")


@relations.command("neighbours", cls=Command)
@reads
def neighbours(
    asked: Asked,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A node: its id or a name.")],
    kinds: KindsOption = None,
    depth: Annotated[
        int, typer.Option("--depth", metavar="N", help="How many edges away, 1 to 6.")
    ] = 1,
    unverified: UnverifiedOption = False,
    limit: LimitOption = DEFAULT_LIMIT,
) -> None:
    """What stands around a node, nearest first."""
    with asked.open() as (knowledge, reader):
        found = knowledge.relations.neighbours(
            name, kinds=kinds or (), depth=depth, unverified=unverified, limit=limit, reader=reader
        )
    if asked.as_json:
        print_json(found.to_dict())
        return
    page = Page()
    if found.refused:
        print_refusal(page, found.refused)
        return
    for node in found.nodes:
        page.line(f"{node.label} ({node.id})", style="bold")
    if not found.edges:
        page.line("No edges around it that this reader may see.")
    print_edges(page, found.edges)
    if found.left_out:
        page.line(f"{count(found.left_out, 'edge')} left out: --limit gives more.")


@relations.command("path", cls=Command)
@reads
def path(
    asked: Asked,
    source: Annotated[str, typer.Argument(metavar="FROM", help="A node: its id or a name.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="Another node, likewise.")],
    kinds: KindsOption = None,
    max_hops: Annotated[
        int, typer.Option("--max-hops", metavar="N", help="Edges on the path at most, 1 to 6.")
    ] = 4,
    unverified: UnverifiedOption = False,
) -> None:
    """A shortest path between two nodes; edges are walked in either direction."""
    with asked.open() as (knowledge, reader):
        found = knowledge.relations.path(
            source,
            target,
            kinds=kinds or (),
            max_hops=max_hops,
            unverified=unverified,
            reader=reader,
        )
    if asked.as_json:
        print_json(found.to_dict())
        return
    page = Page()
    if found.refused:
        print_refusal(page, found.refused)
    elif not found.nodes:
        page.line(f"No path of at most {count(max_hops, 'edge')} that this reader may see.")
    else:
        page.line(" – ".join(node.label for node in found.nodes), style="bold")
        print_edges(page, found.edges)


@relations.command("dangling", cls=Command)
@reads
def dangling(
    asked: Asked,
    documents: DocumentsOption = None,
) -> None:
    """References that nothing answers to, such as 第99条 where there are 40 articles."""
    with asked.open() as (knowledge, reader):
        found = knowledge.relations.dangling(doc_ids=documents or (), reader=reader)
    if asked.as_json:
        print_json({"dangling": [reference.to_dict() for reference in found]})
        return
    page = Page()
    if not found:
        page.line("No dangling references that this reader may see.")
    for reference in found:
        page.line(" ".join(filter(None, (reference.title, reference.address))), style="bold")
        print_evidence(page, reference.evidence)


@relations.command("export", cls=Command)
@reads
def export(
    asked: Asked,
    form: Annotated[
        ExportFormat,
        typer.Option(
            "--format", help="GraphML, or CSV with one line for each place that states an edge."
        ),
    ] = ExportFormat.GRAPHML,
    unverified: UnverifiedOption = False,
    out: OutOption = None,
) -> None:
    """The whole graph that a reader may see.

    With --json it is node-link data, as networkx reads it.
    """
    with asked.open() as (knowledge, reader):
        edges = knowledge.relations.all(unverified=unverified, reader=reader)
    if asked.as_json:
        write_out(render_json(node_link(edges)) + "\n", out)
    elif form is ExportFormat.CSV:
        write_out(render_csv(EDGE_COLUMNS, edge_rows(edges)), out)
    else:
        write_out(graphml(edges), out)
