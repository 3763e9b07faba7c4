"""From the text of a question to what the arms need of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from ragspine_graph.retrieval.asked_addresses import find_asked
from ragspine_graph.retrieval.retriever import Question
from ragspine_graph.retrieval.synonyms import Synonyms
from ragspine_store.errors import QueryError
from ragspine_store.query import Query, parse_query
from ragspine_store.words import FindWords


@dataclass(frozen=True, slots=True)
class QuestionReader:
    r"""Reads questions, as one store has to be asked.

    Attributes:
        find_words: finds the words that the store's index holds; None where it holds none.
        synonyms: terms that are asked for beside everyday words.

    >>> reader = QuestionReader(synonyms=Synonyms({"raise": ["pay increase"]}))
    >>> reader.read("When is the raise?").expanded
    'When is the raise?\npay increase'
    """

    find_words: FindWords | None = None
    synonyms: Synonyms = field(default_factory=lambda: Synonyms({}))

    def read(self, text: str) -> Question:
        """The question, without vectors.

        Raises:
            QueryError: nothing searchable in it, or it is too long.
        """
        query = parse_query(text, self.find_words)
        terms = self.synonyms.find_terms(text)
        for term in terms:
            # A term that holds nothing to search for adds nothing.
            with suppress(QueryError):
                more = parse_query(term, self.find_words)
                query = Query(tuple(dict.fromkeys((*query.terms, *more.terms))))
        expanded = "\n".join([text, *terms])
        return Question(text, query, expanded=expanded, addresses=find_asked(text))
