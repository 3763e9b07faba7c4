"""Cutting one over-long block into pieces of bounded size.

A block is taken apart only as far as it must be: into lines (tables, code), sentences, clauses,
words, and at last characters; the parts are then packed again, in order, up to the size.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragspine_store.chunking.paragraphs import iter_paragraphs, stripped
from ragspine_store.records import Span
from ragspine_store.sentences import sentence_spans
from ragspine_store.tokens import EAST_ASIAN, TokenCounter

OVERLAP_TOLERANCE = 5
"""An overlap may miss its target by a fifth of it, so as to begin where a clause begins."""

# A run of ASCII marks is tried from its first mark alone, else a line of n dots takes n² steps.
_CLAUSE = re.compile(
    r"(?:(?:[、；：。｡！？…]|，(?!\d))+[」』）】］〕)\]”\"]*"
    r"|(?<![,;:.!?])[,;:.!?]++[)\]”\"]*+(?=\s))\s*"
)
_DIGIT = r"[\d〇一二三四五六七八九十百千]"
_NUMBER = r"\d+(?:[.,:/．，-]\d+)*[%％\u3041-\u9fff]?"
_WORD = re.compile(
    r"(?:"
    r"(?:https?://|www\.)[!-~]+"  # a URL
    r"|[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,255}"  # an e-mail address
    rf"|第{_DIGIT}+[編章節款目条項号](?:の{_DIGIT}+)*"  # a reference
    rf"|{_NUMBER}"
    r"|[\u30a1-\u30fa\u30fc-\u30fe\uff66-\uff9f\u3099\u309a]+"  # a word in katakana
    rf"|[{EAST_ASIAN}][\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef]*"
    rf"|[^\s\d{EAST_ASIAN}\x00-/:-@\[-^`{{-\x7f]+(?:{_NUMBER})?"  # a word of another script
    r"|\S"
    r")\s*"
)
_ZERO_WIDTH_JOINER = "\u200d"
_JOINERS = frozenset(_ZERO_WIDTH_JOINER + "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
_LONGEST_CLUSTER = 16

_Unit = tuple[Span, int]


@dataclass(frozen=True, slots=True)
class PieceSizes:
    """How large pieces are, in tokens.

    Attributes:
        max_tokens: most tokens of a piece.
        overlap_tokens: what a piece of prose repeats of the one before; less than `max_tokens`.
        counter: counts the tokens.
    """

    max_tokens: int
    overlap_tokens: int
    counter: TokenCounter

    def count(self, text: str, span: Span) -> int:
        """The tokens of `text[span]`."""
        return self.counter.count(text[span.start : span.end])


def cut_block(text: str, block: Span, sizes: PieceSizes, *, by_lines: bool) -> list[Span]:
    """The pieces of one block, in order.

    Args:
        text: canonical text.
        block: what to cut; white space at its ends is left out.
        sizes: the bounds.
        by_lines: the block's lines are its units (a table, code): cut between lines first, and
            repeat nothing.

    Returns:
        Spans that together cover every visible character of the block; one, the block itself,
        when that is small enough; none for a blank block.

    >>> from ragspine_store.tokens import EstimatedTokenCounter
    >>> text = "手当は20,000円とする。"
    >>> sizes = PieceSizes(8, 1, EstimatedTokenCounter())
    >>> [text[a:b] for a, b in cut_block(text, Span(0, len(text)), sizes, by_lines=False)]
    ['手当は20,000円と', 'とする。']
    """
    block = stripped(text, block)
    if block.start == block.end:
        return []
    if sizes.count(text, block) <= sizes.max_tokens:
        return [block]
    overlap = 0 if by_lines else sizes.overlap_tokens
    most = min(overlap + -(-overlap // OVERLAP_TOLERANCE), sizes.max_tokens - 1)
    units = [
        (unit, sizes.count(text, unit))
        for unit in _units(text, block, sizes, sizes.max_tokens - most, 0 if by_lines else 1)
    ]
    pieces = (stripped(text, piece) for piece in _packed(text, units, sizes, overlap, most))
    return [piece for piece in pieces if piece.start < piece.end]


def _extents(starts: Iterable[int], end: int) -> Iterator[Span]:
    for start, stop in pairwise([*starts, end]):
        yield Span(start, stop)


def _lines(text: str, span: Span) -> Iterator[Span]:
    return _extents((line.start for line in iter_paragraphs(text, span)), span.end)


def _sentences(text: str, span: Span) -> Iterator[Span]:
    return _extents((sentence.start for sentence in sentence_spans(text, *span)), span.end)


def _clauses(text: str, span: Span) -> Iterator[Span]:
    ends = (mark.end() for mark in _CLAUSE.finditer(text, *span))
    return _extents([span.start, *(end for end in ends if end < span.end)], span.end)


def _words(text: str, span: Span) -> Iterator[Span]:
    return (Span(*word.span()) for word in _WORD.finditer(text, *span))


def _halves(text: str, span: Span) -> Iterator[Span]:
    middle = (span.start + span.end) // 2
    for at in range(middle, max(span.start, middle - _LONGEST_CLUSTER), -1):
        if not _joins(text[at]) and text[at - 1] != _ZERO_WIDTH_JOINER:
            middle = at
            break
    return _extents([span.start, middle], span.end)


def _joins(character: str) -> bool:
    """Whether a character belongs to the one before it, as an accent or a skin tone does."""
    return unicodedata.category(character)[0] == "M" or character in _JOINERS


_LEVELS = (_lines, _sentences, _clauses, _words, _halves)


def _units(text: str, span: Span, sizes: PieceSizes, limit: int, level: int) -> Iterator[Span]:
    """The largest parts within the limit, each with the white space that follows it."""
    for part in _LEVELS[level](text, span):
        if part.end - part.start == 1 or sizes.count(text, part) <= limit:
            yield part
        else:
            yield from _units(text, part, sizes, limit, min(level + 1, len(_LEVELS) - 1))


def _packed(
    text: str, units: Sequence[_Unit], sizes: PieceSizes, overlap: int, most: int
) -> Iterator[Span]:
    start, size = units[0][0].start, 0
    for no, (unit, cost) in enumerate(units):
        if size and size + cost > sizes.max_tokens:
            yield Span(start, unit.start)
            if overlap:
                tail = Span(_tail_start(units, no, most), unit.start)
                start = _overlap_start(text, tail, start, sizes, overlap, most)
            else:
                start = unit.start
            size = sizes.count(text, Span(start, unit.start))
        size += cost
    yield Span(start, units[-1][0].end)


def _tail_start(units: Sequence[_Unit], no: int, tokens: int) -> int:
    """Where the units before unit `no` begin that hold at least so many tokens."""
    while no > 0 and tokens > 0:
        no -= 1
        tokens -= units[no][1]
    return units[no][0].start


def _overlap_start(
    text: str, tail: Span, after: int, sizes: PieceSizes, overlap: int, most: int
) -> int:
    """Where the next piece begins: at a clause near the target, else at the nearest word."""
    clauses = {clause.start for clause in _clauses(text, tail)}
    least = 2 * overlap - most
    best, best_rank = tail.end, (False, -overlap)
    tokens = 0
    for word in reversed(list(_words(text, tail))):
        tokens += sizes.count(text, word)
        if tokens > most or word.start <= after:
            break
        rank = (word.start in clauses and tokens >= least, -abs(tokens - overlap))
        if rank > best_rank:
            best, best_rank = word.start, rank
    return best
