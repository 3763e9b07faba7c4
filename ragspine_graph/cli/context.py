"""`context`: whole texts to generate from, with the evidence in each."""

from __future__ import annotations

from ragspine_graph.cli.asking import Asked, reads
from ragspine_graph.cli.options import (
    BudgetOption,
    FiltersOption,
    QueryArgument,
    ShapeOption,
    parse_filters,
)
from ragspine_graph.cli.output import Page, print_json, print_refusal, warn_of_notes
from ragspine_graph.results import ContextResult, count
from ragspine_graph.retrieval.context import DEFAULT_BUDGET_TOKENS


@reads
def context(
    asked: Asked,
    query: QueryArgument,
    budget: BudgetOption = DEFAULT_BUDGET_TOKENS,
    expand: ShapeOption = "window",
    filters: FiltersOption = None,
) -> None:
    """Gather whole texts to generate an answer from.

    Each block names the hits in it and where they stand: cite those. Blocks that the budget has no
    room for are left out and counted.
    """
    allowed = parse_filters(filters or [])
    with asked.open() as (knowledge, reader):
        result = knowledge.context(
            query, budget=budget, expand=expand, filters=allowed, reader=reader
        )
    warn_of_notes(result.notes)
    if asked.as_json:
        print_json(result.to_dict())
    else:
        print_blocks(Page(), result)


def print_blocks(page: Page, result: ContextResult) -> None:
    """Print blocks for people: what each is, its text, and what to cite from it."""
    if result.refused:
        print_refusal(page, result.refused)
        return
    if not result.blocks and not result.left_out:
        page.line("Nothing found: no text that this reader may see holds these words.")
        return
    for number, block in enumerate(result.blocks, start=1):
        page.line(f"{number}. {block.title}", style="bold")
        if block.heading_path:
            page.line(" > ".join(block.heading_path), indent=3)
        page.line(block.locator, style="cyan", indent=3)
        for step in block.via:
            way = f"linked: {step.from_id} {step.kind} {step.to_id}"
            page.line(way, style="dim", indent=3)
        if block.evidence:
            page.line(f"score {block.score:.3g}", style="dim", indent=3)
        page.block(block.text, margin="   ")
        if block.citations:
            page.line(f"cite {', '.join(block.citations)}", style="cyan", indent=3)
        page.line()
    over_budget = result.left_out - result.beyond_parents
    if result.needed_budget:
        page.line(
            f"Nothing fits the budget: the first block takes {result.needed_budget:,} tokens, so "
            f"--budget {result.needed_budget} would hold it."
        )
    if over_budget:
        page.line(f"{count(over_budget, 'block')} left out: the budget has no room for more.")
    if result.beyond_parents:
        page.line(f"{count(result.beyond_parents, 'window')} left out: max_parents allows no more.")
