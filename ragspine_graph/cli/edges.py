"""Showing edges of the relation graph, for `relations` and `audit` alike."""

from __future__ import annotations

from collections.abc import Iterable

from ragspine_graph.cli.output import Page
from ragspine_graph.relations.edges import ShownEdge, ShownEvidence
from ragspine_graph.relations.results import EdgeList
from ragspine_graph.results import count
from ragspine_store.relations import Provenance

MOST_EVIDENCE = 3


def print_edges(page: Page, edges: Iterable[ShownEdge]) -> None:
    """Print edges for people: the ends, where it is stated, and what is held of a model's."""
    for edge in edges:
        page.line(f"{edge.source.label} —{edge.key.kind}→ {edge.target.label}", style="bold")
        page.line(f"{edge.id}  {edge.source.id} → {edge.target.id}", style="dim", indent=3)
        page.line(describe(edge), style=_style(edge), indent=3)
        # Words that stand in one place twice are shown once.
        places = {(piece.locator, piece.quote): piece for piece in edge.evidence}
        for piece in list(places.values())[:MOST_EVIDENCE]:
            print_evidence(page, piece)
        left_out = len(places) - MOST_EVIDENCE
        if left_out > 0:
            page.line(f"and {count(left_out, 'more place')}", style="dim", indent=3)


def print_page(page: Page, result: EdgeList, *, more: str) -> None:
    """Print a page of edges, and how to get the next."""
    if not result.edges:
        page.line("No edges: none that this reader may see is of this kind.")
        return
    print_edges(page, result.edges)
    if result.next:
        page.line()
        page.line(f"More follow: {more} --after {result.next}", style="dim")


def print_evidence(page: Page, piece: ShownEvidence) -> None:
    """Print where an edge is stated, with its words."""
    stale = " (its words are gone)" if piece.is_stale else ""
    page.line(f"{piece.locator}{stale}", style="cyan", indent=3)
    if piece.quote:
        page.block(piece.quote, margin="   | ")


def describe(edge: ShownEdge) -> str:
    """Where an edge comes from and what is held of it, in one line."""
    if edge.key.provenance is not Provenance.MODEL or edge.verdict is None:
        weight = f", weight {edge.weight:.2f}" if edge.weight else ""
        return f"{edge.key.provenance.value}{weight}"
    said = f"model-derived, {edge.verdict.value}"
    if edge.reviewer:
        said += f" by {edge.reviewer} at {edge.reviewed_at}"
    if edge.is_stale:
        said += ", stale"
    if edge.has_new_evidence:
        said += ", with evidence newer than the verdict"
    return said


def _style(edge: ShownEdge) -> str:
    return "yellow" if edge.key.provenance is Provenance.MODEL else "green"
