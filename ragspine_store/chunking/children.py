"""What becomes a child: blocks, sentences, facts, or questions with their answers.

Whatever a strategy looks for, all other text becomes children too, so that no word is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ragspine_store.chunking.facts import is_fact
from ragspine_store.chunking.pieces import PieceSizes, cut_block
from ragspine_store.chunking.questions import find_pairs
from ragspine_store.chunking.sections import LINE_KINDS, block_units
from ragspine_store.chunking.windows import Part
from ragspine_store.records import Block, Section, Span


def block_parts(
    text: str, section: Section, blocks: Iterable[Block], sizes: PieceSizes
) -> Iterator[Part]:
    """One part for each block, several for one that is too long."""
    for block in blocks:
        yield from _cut(text, section, block, [block.span], sizes)


def sentence_parts(
    text: str, section: Section, blocks: Iterable[Block], sizes: PieceSizes, *, sentences: int
) -> Iterator[Part]:
    """So many sentences of a block to a part, or lines of a table or of code; never over its end.

    Fewer where that many are too long.
    """
    for block in blocks:
        groups = _groups(text, block_units(text, block), sizes, most=sentences)
        yield from _cut(text, section, block, groups, sizes)


def fact_parts(
    text: str, section: Section, blocks: Iterable[Block], sizes: PieceSizes
) -> Iterator[Part]:
    """Each sentence that holds a fact is a part; those between two facts are one together."""
    for block in blocks:
        groups = _groups(
            text,
            block_units(text, block),
            sizes,
            stands_alone=lambda unit: is_fact(text[unit.start : unit.end]),
        )
        yield from _cut(text, section, block, groups, sizes)


def qa_parts(
    text: str, section: Section, blocks: Sequence[Block], sizes: PieceSizes
) -> Iterator[Part]:
    """Each question is a part with its answer; what belongs to none is cut as blocks are."""
    pairs = find_pairs(text, section, blocks)
    at = no = 0
    for block in blocks:
        units: list[Span] = []
        at = max(at, block.span.start)
        while no < len(pairs) and pairs[no].start < block.span.end:
            units += [Span(at, pairs[no].start), pairs[no]]
            at = pairs[no].end
            no += 1
        units.append(Span(at, block.span.end))
        yield from _cut(text, section, block, units, sizes)


def _cut(
    text: str, section: Section, block: Block, units: Iterable[Span], sizes: PieceSizes
) -> Iterator[Part]:
    border = 2 if block.parent is None else 1
    for unit in units:
        for span in cut_block(text, unit, sizes, by_lines=block.kind in LINE_KINDS):
            yield Part(span, border, section, block)
            border = 0


def _groups(
    text: str,
    units: Iterable[Span],
    sizes: PieceSizes,
    *,
    most: int | None = None,
    stands_alone: Callable[[Span], bool] = lambda _: False,
) -> Iterator[Span]:
    """Consecutive units joined while they are few and short enough, and none stands alone."""
    group: Span | None = None
    size = 0
    for unit in units:
        alone = stands_alone(unit)
        joined = unit if group is None else Span(group.start, unit.end)
        if group is not None and (
            alone or size == most or sizes.count(text, joined) > sizes.max_tokens
        ):
            yield group
            group, size = None, 0
        if alone:
            yield unit
        else:
            group, size = (unit if group is None else joined), size + 1
    if group is not None:
        yield group
