"""Questions that are written in a document together with their answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragspine_store.chunking.paragraphs import iter_paragraphs, stripped
from ragspine_store.chunking.sections import LINE_KINDS
from ragspine_store.records import Block, Section, Span

_BEFORE = r"[ \t\u3000]*(?:(?:[-*+・■●○>]|[0-9]{1,3}[.)])[ \t\u3000]+)?[*_【\[]{0,3}"
_NUMBER = r"[ \t]?[0-9０-９]{1,3}(?:[-－][0-9０-９]{1,3})?"
_AFTER = (
    rf"[】\]]?(?:(?:{_NUMBER})?[*_】\]]{{0,3}}[.．:：、)）]|{_NUMBER}[*_】\]]{{0,3}}[ \t\u3000])"
)
_QUESTION = re.compile(rf"{_BEFORE}(?:(?:[QＱqｑ]|質?問|Question){_AFTER}|問[ \t\u3000])")
_ANSWER = re.compile(rf"{_BEFORE}(?:(?:[AＡaａ]|答え?|回答|Answer){_AFTER}|答[ \t\u3000])")
_ASKS = re.compile(r"[?？][\W_]*\Z")


def find_pairs(text: str, section: Section, blocks: Sequence[Block]) -> list[Span]:
    """Find the questions of a section's own text, each with its answer, in order and disjoint.

    A question is a line that opens with Q, 問 or Question, and its answer a line below it that
    opens with A, 答 or Answer; the pair ends where the next question begins, or with the section.
    Without such lines, a heading that asks (a question mark ends it, or a Q opens it) makes a
    pair with all the text under it.

    Args:
        text: canonical text.
        section: the section.
        blocks: of its own text, in order.
    """
    if not blocks:
        return []
    end = blocks[-1].span.end
    pairs = list(_marked_pairs(text, blocks, end))
    heading = Span(section.span.start, blocks[0].span.start)
    is_asked = _ASKS.search(section.heading) or _QUESTION.match(section.heading)
    if pairs or not is_asked or not text[heading.start : heading.end].strip():
        return pairs
    return [stripped(text, Span(heading.start, end))]


def _marked_pairs(text: str, blocks: Sequence[Block], end: int) -> Iterator[Span]:
    asked, answered = -1, False
    for block in blocks:
        if block.kind in LINE_KINDS:
            continue
        for line in iter_paragraphs(text, block.span):
            if _QUESTION.match(text, line.start, line.end):
                if answered:
                    yield stripped(text, Span(asked, line.start))
                asked, answered = line.start, False
            elif asked >= 0 and _ANSWER.match(text, line.start, line.end):
                answered = True
    if answered:
        yield stripped(text, Span(asked, end))
