"""What a text leaves open of a question: its words without those of the text's title."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from ragspine_store.query import Query, Term
from ragspine_store.tokenizer import tokens

# Words that say how something is asked, not what; bigrams of hiragana count as such too. Weighing
# words by how rare they are instead finds no more (docs/search.md).
_FUNCTION_WORDS = frozenset(
    """
    a an the of in on at to for and or is are was were be been by with from as that this which who
    whom whose what when where why how did do does has have had it its he she his her their they
    than then not no also both same between into out one first
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Residual:
    """The terms of a question that are still to be answered."""

    terms: tuple[Term, ...] = field(repr=False)

    @classmethod
    def of(cls, query: Query) -> Residual:
        """All that a question asks for; function words alone when it holds nothing else."""
        content = tuple(term for term in query.terms if not _is_function_word(term))
        return cls(content or query.terms)

    def without(self, words: Collection[str]) -> Residual:
        """What is left beside these words."""
        return Residual(tuple(t for t in self.terms if not set(t.tokens) <= set(words)))

    def share(self, words: frozenset[str]) -> float:
        """The share of its terms that stand among some words; 0 when nothing is left."""
        if not self.terms:
            return 0.0
        return sum(words.issuperset(term.tokens) for term in self.terms) / len(self.terms)

    def found_in(self, words: frozenset[str]) -> frozenset[int]:
        """Numbers of its terms that stand among some words."""
        return frozenset(
            number for number, term in enumerate(self.terms) if words.issuperset(term.tokens)
        )


def words_of(*texts: str) -> frozenset[str]:
    """The words of some texts, as the index holds them."""
    return frozenset(word for text in texts for word in tokens(text))


def _is_function_word(term: Term) -> bool:
    return term.is_hiragana or (len(term.tokens) == 1 and term.tokens[0] in _FUNCTION_WORDS)
