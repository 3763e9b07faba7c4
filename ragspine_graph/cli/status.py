"""`status`: how much there is."""

from __future__ import annotations

from typing import Annotated

import typer

from ragspine_graph.cli.asking import Asked, reads
from ragspine_graph.cli.output import Page, print_json
from ragspine_graph.results import Status
from ragspine_store.relation_protocols import RelationCensus
from ragspine_store.relations import Provenance


@reads
def status(
    asked: Asked,
    operator: Annotated[
        bool,
        typer.Option("--operator", help="Add what is withheld from readers, stubs and warnings."),
    ] = False,
) -> None:
    """Count the documents, chunks and relations that a reader may see."""
    with asked.open() as (knowledge, reader):
        found = knowledge.status(reader=reader, operator=operator)
    if asked.as_json:
        print_json(found.to_dict())
    else:
        _print_status(Page(), found)


def _print_status(page: Page, found: Status) -> None:
    page.facts([("documents", f"{found.documents:,}"), ("chunks", f"{found.chunks:,}")])
    if found.relations != RelationCensus():
        page.line()
        page.line("Relation graph", style="bold")
        page.facts(_graph_facts(found.relations))
    census, graph = found.census, found.graph
    if census is None or graph is None:
        return
    page.line()
    page.line("For the operator", style="bold")
    page.facts(
        [
            ("documents not RESTRICTED", f"{census.documents:,}"),
            ("their chunks", f"{census.chunks:,}"),
            ("RESTRICTED documents kept with their text", f"{census.restricted_documents:,}"),
            ("RESTRICTED documents kept as stubs", f"{census.stubs:,}"),
            ("RESTRICTED parts kept with their text", f"{census.restricted_parts:,}"),
            ("documents whose relations are to be built", f"{graph.to_build:,}"),
        ]
    )
    for doc_id, level in found.withheld or ():
        page.line(f"withheld: {doc_id} ({level.name})")
    for warning in found.warnings():
        page.line(f"warning: {warning}", style="yellow")


def _graph_facts(census: RelationCensus) -> list[tuple[str, str]]:
    return [
        ("nodes", f"{sum(census.nodes.values()):,}"),
        *((f"edges, {one.value}", f"{census.edges.get(one, 0):,}") for one in Provenance),
        ("  unverified", f"{census.unverified:,}"),
        ("  verified", f"{census.verified:,}"),
        ("  rejected", f"{census.rejected:,}"),
        ("  stale", f"{census.stale:,}"),
        ("dangling references", f"{census.dangling:,}"),
    ]
