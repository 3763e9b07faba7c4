"""`show`: one document, a branch of it, a child or a range of paragraphs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from ragspine_graph.cli.asking import Asked, reads
from ragspine_graph.cli.output import Page, print_json
from ragspine_graph.cli.window import print_window
from ragspine_graph.retrieval.node import ShownNode


@reads
def show(
    asked: Asked,
    node_id: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="A document, a section (ID#s2), item (ID#i4), page (ID#p5) or window (ID#w6), "
            "a child (ID#c3) or a locator (ID#para3-7).",
        ),
    ],
) -> None:
    """Show a document's outline, or the text of a part of it.

    An id that is withheld and one that does not exist are answered alike: not found.
    """
    with asked.open() as (knowledge, reader):
        shown = knowledge.show(node_id, reader=reader)
    if asked.as_json:
        print_json(shown.to_dict())
    else:
        print_node(Page(), shown)


def print_node(page: Page, shown: ShownNode) -> None:
    """Print a node for people: a document without its text, everything else with it."""
    outline = list(_outline(shown))
    if shown.kind == "document" and shown.sections[:1] and shown.sections[0].heading == shown.title:
        page.line(outline.pop(0)[0], style="bold")
    elif shown.heading_path[:1] != (shown.title,):
        page.line(shown.title, style="bold")
    if shown.heading_path:
        page.line(" > ".join(shown.heading_path), style="bold")
    facts: list[tuple[str, object]] = [
        (shown.kind, shown.id),
        ("label", shown.sensitivity),
        ("collection", shown.collection),
    ]
    if shown.source_locator != shown.id:
        facts.append(("stands at", shown.source_locator))
    if shown.kind not in ("child", "paragraphs"):
        facts += [("sections", f"{len(shown.sections):,}"), ("children", _children(shown))]
    page.facts(facts)
    if outline:
        page.line()
    for entry, depth in outline:
        page.line(entry, indent=2 * depth)
    if shown.kind == "document":
        return
    page.line()
    if shown.text is None:
        page.line("No text to show: a part of it is withheld, or none is kept.")
    else:
        page.block(shown.text)
    if shown.prompt_text:
        page.line()
        print_window(page, shown.parent_locator, shown.prompt_text)


def _children(shown: ShownNode) -> str:
    ids = shown.chunks
    if len(ids) < 2:
        return ids[0] if ids else "none"
    return f"{len(ids):,}, from {ids[0]} to {ids[-1]}"


def _outline(shown: ShownNode) -> Iterator[tuple[str, int]]:
    """The sections, each with how many it stands in: a tree, top to bottom."""
    above: list[int] = []
    for section in shown.sections:
        while above and above[-1] >= section.level:
            above.pop()
        yield f"{section.heading}  {section.id.removeprefix(shown.doc_id)}", len(above)
        above.append(section.level)
