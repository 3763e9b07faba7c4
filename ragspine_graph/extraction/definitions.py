"""Where a document uses the terms it defines.

A term belongs to its document (`term:会社@rules.md`), so that 「会社」 of two handbooks stay apart.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping

from ragspine_graph.extraction.defined_terms import DefinedTerm
from ragspine_graph.name_matcher import NameMatcher
from ragspine_store.records import Span

# 会社 in 株式会社 or 子会社 is another word.
_INSIDE_WORD = re.compile(r"[一-鿿々ァ-ヺー]{2}")


def find_uses(text: str, definitions: Mapping[str, DefinedTerm]) -> Iterator[tuple[str, Span]]:
    """Where terms are defined and used; a use inside of a definition is the definition.

    Args:
        text: the text.
        definitions: by normalised name.

    >>> from ragspine_graph.extraction.defined_terms import find_defined_terms
    >>> text = "株式会社甲（以下「会社」という。）は、会社とする。"
    >>> uses = find_uses(text, {term.name: term for term in find_defined_terms(text)})
    >>> [text[span.start : span.end] for _, span in uses]
    ['以下「会社」という', '会社']
    """
    defining = sorted(term.span for term in definitions.values())
    for name, term in definitions.items():
        yield name, term.span
    matcher = NameMatcher(term.name for term in definitions.values())
    for name, span in matcher.find(text):
        index = bisect_right(defining, span) - 1
        is_defining = index >= 0 and defining[index].contains(span)
        is_inside_word = span.start > 0 and _INSIDE_WORD.match(text, span.start - 1) is not None
        if name in definitions and not is_defining and not is_inside_word:
            yield name, span
