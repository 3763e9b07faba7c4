"""Everyday words in questions, and the terms that documents use in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragspine_graph.names.matcher import NameMatcher
from ragspine_graph.names.normaliser import normalise_name
from ragspine_store.tokenizer import fold


class Synonyms:
    """The synonyms of a profile.

    Args:
        terms: everyday word to the terms that documents use; words are found as names are, so that
            width, case and spelling do not matter, and of two that overlap the longer one is.

    >>> Synonyms({"有休": ["年次有給休暇"], "休み": ["休暇", "休日"]}).find_terms("有休の休みは？")
    ['年次有給休暇', '休暇', '休日']
    """

    def __init__(self, terms: Mapping[str, Sequence[str]]) -> None:
        self._matcher = NameMatcher(terms) if terms else None
        self._terms: dict[str, list[str]] = {}
        for word, meant in terms.items():
            self._terms.setdefault(normalise_name(word), []).extend(meant)

    def find_terms(self, text: str) -> list[str]:
        """The terms for the words of a text, each once, in order; those that it holds left out."""
        if self._matcher is None:
            return []
        folded = fold(text)
        found = (term for match in self._matcher.find(text) for term in self._terms[match.key])
        return [term for term in dict.fromkeys(found) if fold(term) not in folded]
