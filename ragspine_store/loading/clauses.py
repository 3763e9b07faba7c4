"""Which section is one clause of a text, or one class of source code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragspine_store.loading.english import clause_rank, parse_clause
from ragspine_store.loading.japanese import Rank, rank_of
from ragspine_store.records import Outline

_CLASS = re.compile(
    r"(?:class|interface|enum|record|struct|union|trait|impl|mod|type|@interface)"
    r"\s+\S"
)


def enclosing_clause(outline: Outline, section: int) -> int | None:
    r"""`no` of the clause that a section is or stands in; None outside of any.

    An article (条, Article) is a clause; without one above, the outermost numbered section is.

    >>> from ragspine_store.loading import outline_of
    >>> outline = outline_of("# 第1章\n## 第1条\n### 注\n")
    >>> [enclosing_clause(outline, no) for no in range(4)]
    [None, None, 2, 2]
    """
    above = list(_upwards(outline, section))
    for is_clause in (_is_article, _is_numbered):
        if found := [no for no, heading in above if is_clause(heading)]:
            return found[-1]
    return None


def enclosing_class(outline: Outline, section: int) -> int | None:
    r"""`no` of the innermost class that a section of source code is or stands in.

    >>> from ragspine_store.loading import outline_of
    >>> enclosing_class(outline_of("# class Invoice\n"), 1)
    1
    """
    return next((no for no, heading in _upwards(outline, section) if _CLASS.match(heading)), None)


def _is_article(heading: str) -> bool:
    return Rank.ARTICLE in (rank_of(heading), clause_rank(heading))


def _is_numbered(heading: str) -> bool:
    clause = parse_clause(heading)
    return clause is not None and bool(clause.numbers) and clause.rank >= Rank.SECTION


def _upwards(outline: Outline, section: int) -> Iterator[tuple[int, str]]:
    """A section and those above it, the document left out."""
    at = outline.sections[section]
    while at.parent is not None:
        yield at.no, at.heading
        at = outline.sections[at.parent]
