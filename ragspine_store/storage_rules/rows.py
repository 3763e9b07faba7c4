"""Rows that backends make of a document in the same way."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from ragspine_store.chunking.paragraphs import ParagraphIndex
from ragspine_store.kept import KeptBranch
from ragspine_store.records import Paragraphs, PreparedDocument


def branch_rows(document: PreparedDocument) -> list[KeptBranch]:
    """The nodes of a document's tree that hold visible text."""
    if not document.nodes:
        return []
    text = document.loaded.text
    # A page may hold the tail of a text that began before it and nothing else.
    nodes = [n for n in document.nodes if text[n.span.start : n.span.end].strip()]
    # A branch without a child to hit, such as a blank page, must not stand in a merge's way.
    holders: set[int | None] = {chunk.node for chunk in document.chunks}
    for node in reversed(nodes):
        if node.no in holders:
            holders.add(node.parent)
    children = Counter(node.parent for node in nodes if node.no in holders)
    children.update(chunk.node for chunk in document.chunks)
    paragraphs = ParagraphIndex(text)
    return [
        KeptBranch(
            node.no, node.parent, node.name, node.span, paragraphs.of(node.span), children[node.no]
        )
        for node in nodes
    ]


def longest_child(document: PreparedDocument) -> int:
    """The longest span of a child, which bounds where children that overlap a span begin."""
    return max((chunk.span.end - chunk.span.start for chunk in document.chunks), default=0)


def heading_paths(
    sections: Iterable[tuple[int, int | None, str]],
) -> dict[int, tuple[str, ...]]:
    """The headings from the outermost section down to each section of a document.

    Args:
        sections: `no`, parent and heading of each, in document order.

    >>> heading_paths([(0, None, "Rules"), (1, 0, "Pay"), (2, 1, "Bonus")])[2]
    ('Pay', 'Bonus')
    """
    paths: dict[int, tuple[str, ...]] = {}
    for no, parent, heading in sections:
        paths[no] = () if parent is None else (*paths.get(parent, ()), heading)
    return paths


def paragraphs_of(locator: str) -> Paragraphs | None:
    """The first and last paragraph that a locator names; None when it names none.

    >>> paragraphs_of("a.md#para3-7")
    Paragraphs(first=3, last=7)
    """
    match = re.fullmatch(r".*#para(\d+)(?:-(\d+))?", locator, re.DOTALL)
    return Paragraphs(int(match[1]), int(match[2] or match[1])) if match else None
