"""Finding many names in a text at once, as `ragspine_graph.names` compares them.

One pass of an Aho-Corasick automaton over the folded text; ahocorasick-rs (Apache 2.0) has wheels
and types for every platform, where pyahocorasick lacks some. What the automaton finds counts only
where the text around and between its letters allows:

- in scripts that part words by spaces a name starts and ends with a word: `meta` is not in
  metadata, `aia` not in "via IaaS", nor `intel` in "in Tel Aviv", though `i-n-t-e-l` and
  `i n t e l` are names spelt out. CJK scripts have no such edges: トヨタ is in トヨタ自動車㈱;
- in the loose form a long vowel has to be there, if only as a dash.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick

from ragspine_graph.names import FoldedName, Gap, fold_name, fold_text, normalise_name
from ragspine_store.records import Span

_LEAST_SPELT_OUT = 3


class NameMatch(NamedTuple):
    """A name that stands in a text.

    Attributes:
        key: the name normalised, as `normalise_name` gives it.
        span: where it stands in the text as given, half-open.
    """

    key: str
    span: Span


class _Pattern(NamedTuple):
    key: str
    gaps: Sequence[Gap]


class NameMatcher:
    """Many names to find; those that normalise to nothing are left out.

    Args:
        names: as people write them; legal forms are not needed for a name to be found.
        is_loose: compare less, see `ragspine_graph.names.fold_text`.

    >>> NameMatcher(["Toyota", "トヨタ"]).find("ﾄﾖﾀ自動車㈱ (TOYOTA)")
    [NameMatch(key='トヨタ', span=Span(start=0, end=3)), NameMatch(key='toyota', span=...)]
    """

    def __init__(self, names: Iterable[str], *, is_loose: bool = False) -> None:
        self._is_loose = is_loose
        patterns: defaultdict[str, dict[_Pattern, None]] = defaultdict(dict)
        for name in names:
            folded = fold_name(name, is_loose=is_loose)
            if folded.text:
                pattern = _Pattern(normalise_name(name), tuple(folded.gaps))
                patterns[folded.text][pattern] = None
        self._patterns = [tuple(variants) for variants in patterns.values()]
        self._automaton = AhoCorasick(patterns)

    def find(self, text: str) -> list[NameMatch]:
        """The names in a text from left to right, of those that overlap the first and longest."""
        found: list[NameMatch] = []
        for match in sorted(self.iter_all(text), key=lambda m: (m.span.start, -m.span.end)):
            if not found or match.span.start >= found[-1].span.end:
                found.append(match)
        return found

    def iter_all(self, text: str) -> Iterator[NameMatch]:
        """Every place of every name, those inside or across others too."""
        if not self._patterns:
            return
        folded = fold_text(text, is_loose=self._is_loose)
        for number, start, end in self._automaton.find_matches_as_indexes(
            folded.text, overlapping=True
        ):
            if not _stands_alone(folded, start, end):
                continue
            for pattern in self._patterns[number]:
                if _is_spelt(pattern.gaps, folded, start, end):
                    yield NameMatch(pattern.key, Span(folded.starts[start], folded.ends[end - 1]))
                    break


def _stands_alone(folded: FoldedName, start: int, end: int) -> bool:
    return not (_joins(folded, start) or _joins(folded, end))


def _joins(folded: FoldedName, edge: int) -> bool:
    """Whether the letters on both sides of an edge belong to one word."""
    return (
        0 < edge < len(folded.text)
        and folded.gaps[edge] is Gap.NONE
        and _is_in_word(folded.text[edge - 1])
        and _is_in_word(folded.text[edge])
    )


def _is_spelt(wanted: Sequence[Gap], folded: FoldedName, start: int, end: int) -> bool:
    """Whether the gaps of a text are those of the name, or decoration."""
    given = folded.gaps[start : end + 1]
    inner = range(1, end - start)
    is_spelt_out = len(given) > _LEAST_SPELT_OUT and all(given[number] for number in inner)
    for number in range(end - start + 1):
        if wanted[number] & Gap.LONG:
            if not given[number] & (Gap.LONG | Gap.DASH):
                return False
        elif number not in inner:
            continue
        elif given[number] & Gap.LONG:
            return False
        elif given[number] & Gap.SPACE and not wanted[number] and not is_spelt_out:
            letters = folded.text[start + number - 1 : start + number + 1]
            if all(map(_is_in_word, letters)):
                return False
    return True


@lru_cache(maxsize=1 << 14)
def _is_in_word(letter: str) -> bool:
    """Whether a letter is of a script that parts words by spaces."""
    if not letter.isalnum() and unicodedata.category(letter)[0] != "M":
        return False
    return letter < "\u0e00" or "\u1c80" <= letter < "\u2e00" or "\ua640" <= letter < "\uac00"
