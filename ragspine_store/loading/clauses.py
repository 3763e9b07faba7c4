"""Which section is one clause of a text, or one class of source code."""

from __future__ import annotations

import re
from collections.abc import Callable

from ragspine_store.loading.japanese import Rank, rank_of
from ragspine_store.records import Outline

_CLASS = re.compile(
    r"(?:class|interface|enum|record|struct|union|trait|impl|namespace|mod|module|type|@interface)"
    r"\s+\S"
)


def enclosing_clause(outline: Outline, section: int) -> int | None:
    r"""`no` of the clause that a section is or stands in; None outside of any.

    >>> from ragspine_store.loading import outline_of
    >>> outline = outline_of("# 第1章\n## 第1条\n### 注\n")
    >>> [enclosing_clause(outline, no) for no in range(4)]
    [None, None, 2, 2]
    """
    return _enclosing(outline, section, lambda heading: rank_of(heading) is Rank.ARTICLE)


def enclosing_class(outline: Outline, section: int) -> int | None:
    r"""`no` of the innermost class that a section of source code is or stands in.

    >>> from ragspine_store.loading import outline_of
    >>> enclosing_class(outline_of("# class Invoice\n"), 1)
    1
    """
    return _enclosing(outline, section, lambda heading: _CLASS.match(heading) is not None)


def _enclosing(outline: Outline, section: int, is_sought: Callable[[str], bool]) -> int | None:
    at = outline.sections[section]
    while at.parent is not None:
        if is_sought(at.heading):
            return at.no
        at = outline.sections[at.parent]
    return None
