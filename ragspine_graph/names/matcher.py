"""Finding many names in a text at once, as `ragspine_graph.names.normaliser` compares them.

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
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick

from ragspine_graph.names.normaliser import FoldedName, Gap, fold_name, fold_text, normalise_name
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
    """A name as it is compared: its gaps beside its letters."""

    key: str
    gaps: tuple[int, ...]

    def is_spelt(self, folded: FoldedName, start: int, end: int) -> bool:
        """Whether the gaps of a text are those of the name, or decoration."""
        given = folded.gaps[start : end + 1]
        inner = given[1:-1]
        if not any(inner) and not any(gap & Gap.LONG for gap in self.gaps):
            return True
        is_spelt_out = len(given) > _LEAST_SPELT_OUT and all(inner)
        for number, (wanted, gap) in enumerate(zip(self.gaps, given, strict=True)):
            if wanted & Gap.LONG:
                if not gap & (Gap.LONG | Gap.DASH):
                    return False
            elif not 0 < number < end - start:
                continue
            elif gap & Gap.LONG:
                return False
            elif gap & Gap.SPACE and not wanted and not is_spelt_out:
                around = folded.text[start + number - 1 : start + number + 1]
                if all(map(_is_in_word, around)):
                    return False
        return True


class NameMatcher:
    """Many names to find; those that normalise to nothing are left out.

    Args:
        names: as people write them; legal forms are not needed for a name to be found.
        is_loose: compare less, see `ragspine_graph.names.normaliser.fold_text`.

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
                if pattern.is_spelt(folded, start, end):
                    yield NameMatch(pattern.key, Span(folded.starts[start], folded.ends[end - 1]))
                    break


def _stands_alone(folded: FoldedName, start: int, end: int) -> bool:
    return not (_joins(folded, start) or _joins(folded, end))


def _joins(folded: FoldedName, edge: int) -> bool:
    """Whether the letters on both sides of an edge belong to one word."""
    return (
        0 < edge < len(folded.text)
        and not folded.gaps[edge]
        and _is_in_word(folded.text[edge - 1])
        and _is_in_word(folded.text[edge])
    )


@lru_cache(maxsize=1 << 14)
def _is_in_word(letter: str) -> bool:
    """Whether a letter is of a script that parts words by spaces."""
    if not letter.isalnum() and unicodedata.category(letter)[0] != "M":
        return False
    return letter < "\u0e00" or "\u1c80" <= letter < "\u2e00" or "\ua640" <= letter < "\uac00"
