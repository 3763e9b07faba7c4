"""Passages of running text: whole sentences up to a size, each beginning where the last one ends.

A fact and what explains it often stand on both sides of a border. So a passage repeats the last
sentences of the one before, and what is found in both is given once (`context` sees to that).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ragspine_store.chunking.children import sentence_parts
from ragspine_store.chunking.pieces import PieceSizes
from ragspine_store.chunking.sections import TokenRuns
from ragspine_store.chunking.windows import Part, best_stop
from ragspine_store.records import Block, Section, Span


def passage_parts(
    text: str, section: Section, blocks: Iterable[Block], sizes: PieceSizes
) -> Iterator[Part]:
    """Consecutive sentences of a section's own text to a part, over the ends of blocks.

    A part ends between blocks where that leaves it at least half full.

    Args:
        text: canonical text.
        section: whose own text it is.
        blocks: of it, in order.
        sizes: the most tokens of a part, and of what it repeats of the one before.
    """
    # So that each part holds at least one sentence of its own.
    own = replace(sizes, max_tokens=sizes.max_tokens - sizes.overlap_tokens, overlap_tokens=0)
    units = list(sentence_parts(text, section, blocks, own, sentences=1))
    runs = TokenRuns(text, [unit.span for unit in units], sizes.counter)
    first = 0
    while first < len(units):
        lead = overlap_start(
            runs, first, most_tokens=sizes.max_tokens, overlap_tokens=sizes.overlap_tokens
        )
        stop = best_stop(units, runs, first, sizes.max_tokens, lead=lead)
        yield units[lead]._replace(span=Span(units[lead].span.start, units[stop - 1].span.end))
        first = stop


def overlap_start(runs: TokenRuns, first: int, *, most_tokens: int, overlap_tokens: int) -> int:
    """The first of the spans before `first` that a run repeats; `first` itself for none.

    Args:
        runs: sizes of the spans.
        first: the first span that is the run's own.
        most_tokens: of the repeated spans together with the first own one.
        overlap_tokens: of the repeated spans.
    """
    return bisect_left(
        range(first),
        True,
        key=lambda lead: (
            runs.tokens(lead, first - 1) <= overlap_tokens
            and runs.tokens(lead, first) <= most_tokens
        ),
    )
