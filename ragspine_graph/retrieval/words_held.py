"""How well words alone find what a question asks for: what decides how much vectors count.

Questions that name what they ask for are answered by words, and vectors of small models only
disturb; questions in everyday words are answered by meaning. The best hit by words tells which it
is: of the first kind it holds half of the question's words, of the second a sixth.
"""

from __future__ import annotations

from ragspine_store.protocols import Candidate
from ragspine_store.query import Query
from ragspine_store.tokenizer import tokens
from ragspine_store.words import MARK

# From this share on vectors count nothing. Chosen on company rules and two sets of questions about
# an encyclopedia; from .4 to .5 all three are within .01.
_ENOUGH = 0.45


def share_held(query: Query, child: Candidate) -> float:
    """The share of a question's terms that a child holds in text or headings, 0 to 1.

    Words of a dictionary are left out: bigrams tell of them.
    """
    headings = " ".join(section.heading for section in child.ancestors)
    held = {*tokens(headings), *tokens(child.chunk.text)}
    terms = [term for term in query.terms if not term.tokens[0].startswith(MARK)]
    return sum(held.issuperset(term.tokens) for term in terms) / len(terms) if terms else 0.0


def weight_of_vectors(share: float) -> float:
    """What is left of the weight of vectors beside words that hold such a share, 0 to 1.

    >>> weight_of_vectors(0.0), weight_of_vectors(0.9)
    (1.0, 0.0)
    """
    return max(0.0, 1 - share / _ENOUGH)
