"""Headings that a format marks as such, by style or by looks, and the title they make."""

from __future__ import annotations

from dataclasses import replace

from ragspine_store.loading.english import clause_rank
from ragspine_store.loading.japanese import rank_of
from ragspine_store.loading.outline import HeadingDraft
from ragspine_store.records import Outline, Span


def styled_heading(span: Span, shown: str, level: int) -> HeadingDraft:
    """A heading of a stated level, with the rank that its text has in rules.

    >>> styled_heading(Span(0, 6), "第1条　目的", 3).rank
    <Rank.ARTICLE: 6>
    """
    rank = rank_of(shown)
    if rank is not None:
        return HeadingDraft(*span, shown, level, rank)
    return HeadingDraft(*span, shown, level, clause_rank(shown), is_loose=True)


def titled(outline: Outline, title: str) -> Outline:
    """The outline of a document with that title; with its own when the title is ''."""
    if not title:
        return outline
    document = replace(outline.sections[0], heading=title)
    return Outline((document, *outline.sections[1:]), outline.blocks)
