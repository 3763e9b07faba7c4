"""What a judge reads of a passage."""

from __future__ import annotations

from ragspine_graph.retrieval import Passage

MAX_PASSAGE_CHARS = 2_000
"""Most characters of a passage that are sent; far more than a child of the usual size has."""


def passage_text(passage: Passage) -> str:
    r"""Its headings and its text, cut at the bound.

    >>> passage_text(Passage("pay.md#c0", "Paid on the 25th.", ("Rules", "Pay")))
    'Rules > Pay\nPaid on the 25th.'
    """
    path = " > ".join(passage.heading_path)
    return (f"{path}\n{passage.text}" if path else passage.text)[:MAX_PASSAGE_CHARS]
