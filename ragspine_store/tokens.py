"""How long a text is for a language model, estimated offline.

The estimate needs no vocabulary file and no network. Its rule, in full:

- a character of an East Asian script (kanji, kana, Hangul, bopomofo, and their punctuation) is
  one token;
- a run of n other letters is ceil(n / 5) tokens, a run of n digits ceil(n / 3), full-width
  letters and digits included;
- any other visible character is one token;
- white space and combining accents are none.

So two texts joined never cost more than the two apart, and a part never more than the whole: a
sum over pieces is a safe upper bound.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

LETTERS_PER_TOKEN = 5
DIGITS_PER_TOKEN = 3

EAST_ASIAN = (
    "\u1100-\u11ff"  # Hangul jamo
    "\u2e80-\u2fff\u3001-\ua4cf"  # radicals, marks, kana, bopomofo, ideographs; not the space
    "\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\uf900-\ufaff\ufe30-\ufe4f"  # compatibility ideographs and forms
    "\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uffef"  # widths, without letters and digits
    "\U00016fe0-\U00018dff\U0001aff0-\U0001b2ff"  # Tangut, Khitan, kana supplements
    "\U00020000-\U0003ffff"  # further ideographs
)
"""What a regular expression's character class needs to match East Asian characters."""

_ACCENTS = re.compile("[\u0300-\u036f\u3099\u309a]+")
_RUN = re.compile(
    rf"(?P<letters>[^\W\d_{EAST_ASIAN}]+)|(?P<digits>\d+)|(?P<single>(?:[{EAST_ASIAN}_]|[^\w\s])+)"
)


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens of a text.

    Chunkers add up the counts of parts, so two texts joined must not count more than the two
    apart. A counter's `repr` becomes a part of the spec of each chunker that uses it, so it has
    to name the counter and all its settings (a dataclass does), and nothing that changes between
    runs.
    """

    def count(self, text: str) -> int:
        """The number of tokens of `text`; 0 for blank text."""
        ...


@dataclass(frozen=True, slots=True)
class EstimatedTokenCounter:
    """The offline default: the rule stated at the top of this module.

    >>> EstimatedTokenCounter().count("月額20,000円まで")
    8
    """

    def count(self, text: str) -> int:
        """The estimated number of tokens of `text`, in one pass."""
        total = 0
        for run in _RUN.finditer(_ACCENTS.sub("", text)):
            length = run.end() - run.start()
            match run.lastgroup:
                case "letters":
                    total += -(-length // LETTERS_PER_TOKEN)
                case "digits":
                    total += -(-length // DIGITS_PER_TOKEN)
                case _:
                    total += length
        return total
