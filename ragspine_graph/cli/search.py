"""`search`: hits with their citations and windows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from ragspine_graph.cli.asking import Asked, reads
from ragspine_graph.cli.options import FiltersOption, QueryArgument, parse_filters
from ragspine_graph.cli.output import Page, print_json, print_refusal, warn_of_notes
from ragspine_graph.cli.window import print_window
from ragspine_graph.results import SearchResult
from ragspine_graph.retrieval import Expand
from ragspine_graph.retrieval.via import Step


@reads
def search(
    asked: Asked,
    query: QueryArgument,
    k: Annotated[int, typer.Option("-k", metavar="N", help="How many hits to give at most.")] = 10,
    filters: FiltersOption = None,
    expand: Annotated[
        Expand,
        typer.Option("--expand", help="Whether to give the window around each hit."),
    ] = "window",
) -> None:
    """Find what answers a question, and show where it stands.

    Hits come best first. A hit is what you cite. Its window, the article or section around it, is
    for reading only; it never changes which hits are found.
    """
    allowed = parse_filters(filters or [])
    with asked.open() as (knowledge, reader):
        result = knowledge.search(query, k=k, filters=allowed, expand=expand, reader=reader)
    warn_of_notes(result.notes)
    if asked.as_json:
        print_json(result.to_dict())
    else:
        print_hits(Page(), result)


def print_hits(page: Page, result: SearchResult) -> None:
    """Print hits for people: what to cite, where it stands, and each window once."""
    if result.refused:
        print_refusal(page, result.refused)
        return
    if not result.snippets:
        page.line("Nothing found: no text that this reader may see holds these words.")
        return
    first_with: dict[tuple[str, str], int] = {}
    for number, snippet in enumerate(result.snippets, start=1):
        page.line(f"{number}. {snippet.title}", style="bold")
        if snippet.locator.heading_path:
            page.line(" > ".join(snippet.locator.heading_path), indent=3)
        page.line(snippet.source_locator, style="cyan", indent=3)
        page.line(f"score {snippet.scores.fused:.3g}", style="dim", indent=3)
        if snippet.via:
            page.line(f"found by {way(snippet.via)}", style="dim", indent=3)
        page.block(snippet.text, margin="   ")
        if snippet.prompt_text:
            window = (snippet.parent_locator, snippet.prompt_text)
            first = first_with.setdefault(window, number)
            if first == number:
                print_window(page, *window)
            else:
                page.line(f"window as in hit {first}", style="dim", indent=3)
        page.line()


def way(via: Iterable[Step]) -> str:
    """The steps of a walk in one line.

    >>> way([Step("child:a.md#c0", "mentions", "", "document:b.md")])
    'child:a.md#c0 —mentions→ document:b.md'
    """
    return "; ".join(f"{step.from_id} —{step.kind}→ {step.to_id}" for step in via)
