"""Children that stand at an address which the question names.

No relation has to be built for it: the index finds what holds the article's number, and the
headings above tell what stands under it. So a reader's scope is that of every search.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ragspine_graph.extraction.references.paths import ARTICLE, PARAGRAPH
from ragspine_graph.extraction.references.titles import own_titles
from ragspine_graph.retrieval.asked_addresses import AskedAddress, HeadingAddress, heading_address
from ragspine_graph.retrieval.retriever import Question
from ragspine_store.errors import QueryError
from ragspine_store.protocols import Candidate, Scope, StoreReader
from ragspine_store.query import Query, parse_query
from ragspine_store.records import Hit
from ragspine_store.tokenizer import fold

ADDRESS = "address"

# How many children that hold the number are looked at for each address.
_LOOK = 200
_IN_NAMED = 1.0
_IN_ANY = 0.4
_AT_PARAGRAPH = 1.5
_AT_OTHER_PARAGRAPH = 0.75
_LEAST_ENDING = 5
_MARKER = re.compile(r"[\s*\-]*[(（]?(\d{1,3})[.)）\s]")


@dataclass(frozen=True, slots=True)
class AddressRetriever:
    """Addresses: children under an article that the question names.

    A score is 1 in the document that is named, less where none is, and more where the paragraph is
    the one that is named too.
    """

    @property
    def name(self) -> str:
        """What it is called in scores."""
        return ADDRESS

    def find(
        self, transaction: StoreReader, question: Question, scope: Scope, depth: int
    ) -> list[Hit]:
        """The children that stand at an address of the question; none for one without."""
        found: defaultdict[int, float] = defaultdict(float)
        place: dict[int, tuple[str, int]] = {}
        for asked in question.addresses:
            hits = transaction.search(_query(asked), scope, _LOOK)
            for candidate in transaction.candidates(hits):
                if share := _share(asked, candidate):
                    found[candidate.key] = max(found[candidate.key], share)
                    place[candidate.key] = candidate.chunk.doc_id, candidate.chunk.seq
        best = sorted(found, key=lambda key: (-found[key], place[key]))
        return [Hit(key, found[key]) for key in best[:depth]]


def _query(asked: AskedAddress) -> Query:
    terms = [asked.term]
    with suppress(QueryError):  # without a title there is nothing to add
        terms += parse_query(asked.title).terms
    return Query(tuple(terms))


def _share(asked: AskedAddress, candidate: Candidate) -> float:
    """How well a child stands at an address; 0 for not at all."""
    under = address_of(candidate)
    if under is None or under.path[0] != asked.path[0]:
        return 0.0
    share = _IN_ANY
    if asked.title:
        names = [under.title] if under.title else own_titles(candidate.chunk.title)
        if not any(_is_called(name, asked.title) for name in names):
            return 0.0
        share = _IN_NAMED
    wanted = next((s.number for s in asked.path[1:] if s.unit == PARAGRAPH), None)
    if wanted is None:
        return share
    stated = next((s.number for s in under.path[1:] if s.unit == PARAGRAPH), None)
    if stated is not None:
        return share * (_AT_PARAGRAPH if stated == wanted else _AT_OTHER_PARAGRAPH)
    marker = _MARKER.match(fold(candidate.chunk.text))
    return share * (_AT_PARAGRAPH if marker and marker[1] == wanted else 1.0)


def _is_called(name: str, title: str) -> bool:
    """Whether a title is a document's name, or the end of it: long ones are hard to read whole."""
    return name == title or (len(title) >= _LEAST_ENDING and name.endswith(title))


def address_of(candidate: Candidate) -> HeadingAddress | None:
    """The article that a child stands under, by the innermost heading that opens one."""
    for section in reversed(candidate.ancestors):
        if (found := heading_address(section.heading)) is not None:
            return found
    return None


def article_of(candidate: Candidate) -> Hashable | None:
    """What children of one article share; None for a child outside of all articles.

    An article is a section; where each of its paragraphs is a document of its own, which is called
    by law and article, all of these are one.
    """
    for section in reversed(candidate.ancestors):
        found = heading_address(section.heading)
        if found is not None and found.path[0].unit == ARTICLE:
            return (found.title, found.path[0]) if found.title else section.section_id
    return None


def lifted_by_article(children: Sequence[Candidate], weight: float) -> dict[int, float]:
    """The scores of children, each drawn towards the best of its article.

    The best keeps its score. A question is about an article more often than about one line of it,
    so that what stands beside a good hit is likelier than what stands anywhere else.

    Args:
        children: found for one question, and seen by its reader.
        weight: 0 for the child's own score alone, 1 for the article's alone.
    """
    # The default chunker cuts without regard to articles.
    articles = {c.key: article_of(c) if c.window else None for c in children}
    best: defaultdict[Hashable, float] = defaultdict(float)
    for child in children:
        best[articles[child.key]] = max(best[articles[child.key]], child.score)
    return {
        c.key: c.score
        if articles[c.key] is None
        else (1 - weight) * c.score + weight * best[articles[c.key]]
        for c in children
    }
