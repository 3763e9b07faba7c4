"""Reads references in English: Article 6(1)(f), Articles 8 to 15, point 2 of Annex III."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

from ragspine_graph.extraction.references import english_grammar as grammar
from ragspine_graph.extraction.references.english_titles import EnglishTitles
from ragspine_graph.extraction.references.mentions import Anchor, Mention
from ragspine_graph.extraction.references.paths import (
    ANNEX,
    ARTICLE,
    PARAGRAPH,
    POINT,
    ROOTS,
    Path,
    Step,
    english_number,
    rank_of_unit,
)
from ragspine_store.records import Span

_MAX_NUMBERS = 200
_MAX_STEPS = 6
_MAX_NESTING = 3


def find_english(text: str, titles: EnglishTitles) -> Iterator[Mention]:
    """The mentions in a text, in order.

    Args:
        text: the text; anything at all.
        titles: reads the name of a document after a reference.
    """
    found: list[Mention] = []
    at = 0
    while head := grammar.HEAD.search(text, at):
        group = _Group(text, titles, head)
        group.read_whole()
        found += group.mentions
        at = max(group.end, head.end())
    spans = [mention.span for mention in found]
    for mention in _relative(text):
        index = bisect_right(spans, mention.span.start, key=lambda span: span.start)
        if index == 0 or spans[index - 1].end <= mention.span.start:
            found.append(mention)
    found.sort(key=lambda mention: mention.span)
    yield from _without_quoted(text, found)


def _relative(text: str) -> Iterator[Mention]:
    for match in grammar.BESIDE.finditer(text):
        offset = 1 if match["side"].lower() in ("following", "next") else -1
        unit = grammar.unit_of(match["unit"])
        yield Mention(Span(*match.span()), anchor=Anchor.BESIDE, unit=unit, offset=offset)
    for match in grammar.THIS.finditer(text):
        unit = grammar.unit_of(match["unit"])
        yield Mention(Span(*match.span()), anchor=Anchor.HERE, unit=unit)


def _without_quoted(text: str, mentions: list[Mention]) -> Iterator[Mention]:
    """Leave out what quoted text says of its own place: ‘3. Without prejudice to paragraph 2’."""
    quotes = [Span(*match.span()) for match in grammar.QUOTED.finditer(text)]
    for mention in mentions:
        index = bisect_right(quotes, mention.span.start, key=lambda span: span.start)
        is_quoted = index > 0 and quotes[index - 1].contains(mention.span)
        needs_place = not mention.title and (
            mention.anchor is not Anchor.TOP or mention.steps[0].unit in (PARAGRAPH, POINT)
        )
        if not (is_quoted and needs_place):
            yield replace(mention, is_quoted=is_quoted)


class _Group:
    """The mentions that one noun opens, with what they stand in and what stands in them."""

    def __init__(self, text: str, titles: EnglishTitles, head: re.Match[str], depth: int = 0):
        self._text = text
        self._titles = titles
        self._head = head
        self._depth = depth
        self.unit = grammar.unit_of(head["noun"])
        self.end = head.end()
        self.mentions: list[Mention] = []
        self._read_numbers()

    def read_whole(self) -> None:
        """Read what the numbers stand in too."""
        if self.mentions and self._depth < _MAX_NESTING:
            self._read_inner()
            self._read_outer()

    def _read_numbers(self) -> None:
        """The numbers after the noun: 6(1)(f); 9, 10 and 12; 8 to 15; 43 (5) and (6)."""
        start, at, is_range = self._head.start(), self.end, False
        is_list = grammar.is_plural(self._head["noun"])
        while len(self.mentions) < _MAX_NUMBERS:
            steps, end = self._read_next(at)
            if not steps:
                steps, end = _read_number(self._text, at, self.unit)
                if (
                    self.mentions
                    and not is_list
                    and not grammar.AFTER_NUMBER.match(self._text, end)
                ):
                    break
            if not steps:
                break
            self.mentions.append(Mention(Span(start, end), steps, ends_range=is_range))
            self.end = end
            connector = grammar.CONNECTOR.match(self._text, end)
            if connector is None:
                break
            start = at = connector.end()
            is_range = connector["range"] is not None

    def _read_next(self, at: int) -> tuple[Path, int]:
        """A number in brackets inside of the one before: 6(1) and (2), 5(b) and (c)."""
        before = self.mentions[-1].steps if self.mentions else ()
        bracket = grammar.BRACKETED.match(self._text, at)
        if len(before) < 2 or bracket is None:
            return (), at
        return _read_brackets(self._text, at, _shared(before, bracket["number"]))

    def _read_inner(self) -> None:
        """What stands inside of the last number: Article 49 (4), point (d)."""
        gap = grammar.BEFORE_INNER.match(self._text, self.end)
        head = grammar.HEAD.match(self._text, gap.end()) if gap else None
        if head is None or not self._may_hold(grammar.unit_of(head["noun"])):
            return
        inner = _Group(self._text, self._titles, head, self._depth + 1)
        if not inner.mentions:
            return
        if inner._depth < _MAX_NESTING:
            inner._read_inner()
        last = self.mentions.pop()
        inner._put_below(last)
        first = inner.mentions[0]
        span = Span(last.span.start, first.span.end)
        inner.mentions[0] = replace(first, span=span, ends_range=last.ends_range)
        self.mentions += inner.mentions
        self.end = inner.end

    def _read_outer(self) -> None:
        """What the numbers stand inside of: point 2 of Annex III, Article 5 of a directive."""
        skipped = grammar.SUBPARAGRAPH.match(self._text, self.end)
        if named := self._titles.find_after(skipped.end() if skipped else self.end):
            self.end, title = named
            self._name(title)
            self._end_last_at(self.end)
            return
        if self._depth == 0 and self.unit in (ARTICLE, ANNEX):
            self._name(self._titles.amended_at(self.end))
        for pattern, anchor in ((grammar.OF_THIS, Anchor.HERE), (grammar.OF_THAT, Anchor.LAST)):
            match = pattern.match(self._text, self.end)
            unit = grammar.unit_of(match["unit"]) if match else ""
            if match and unit in grammar.HOLDERS.get(self.unit, ()):
                self._put_below(Mention(Span(0, 0), anchor=anchor, unit=unit))
                self.end = match.end()
                return
        gap = grammar.BEFORE_OUTER.match(self._text, self.end)
        head = grammar.HEAD.match(self._text, gap.end()) if gap else None
        unit = grammar.unit_of(head["noun"]) if head else ""
        if head is None or unit not in grammar.HOLDERS.get(self.unit, ()):
            return
        outer = _Group(self._text, self._titles, head, self._depth + 1)
        outer.read_whole()
        if outer.mentions:
            self._put_below(outer.mentions[0])
            self.end = outer.end
            self._end_last_at(outer.mentions[0].span.end)

    def _may_hold(self, unit: str) -> bool:
        innermost = self.mentions[-1].steps[-1].unit
        is_deeper = rank_of_unit(innermost) < rank_of_unit(unit)
        return self.unit in grammar.HOLDERS.get(unit, ()) and (is_deeper or innermost in ROOTS)

    def _name(self, title: str) -> None:
        self.mentions = [replace(mention, title=title) for mention in self.mentions]

    def _end_last_at(self, end: int) -> None:
        """Take the words that tell where the last mention stands into its span."""
        last = self.mentions[-1]
        self.mentions[-1] = replace(last, span=Span(last.span.start, end))

    def _put_below(self, outer: Mention) -> None:
        """Put all that was found inside of another mention."""
        self.mentions = [
            replace(
                mention,
                steps=(*outer.steps, *mention.steps),
                anchor=outer.anchor,
                unit=outer.unit,
                title=outer.title,
            )
            for mention in self.mentions
        ]


def _read_number(text: str, at: int, unit: str) -> tuple[Path, int]:
    """The steps of one number with what stands in brackets behind it; none without a number."""
    if unit in (POINT, PARAGRAPH) and grammar.BRACKETED.match(text, at):
        steps, end = _read_brackets(text, at, ())
        return (steps, end) if unit == POINT or steps[0].unit == PARAGRAPH else ((), at)
    match = grammar.NUMBER.match(text, at)
    if match is None:
        return (), at
    number = english_number(match[0])
    if unit == POINT and number[0].isdecimal():
        unit = PARAGRAPH
    if unit == PARAGRAPH and not number[0].isdecimal():
        return (), at
    return _read_brackets(text, match.end(), (Step(unit, number),))


def _read_brackets(text: str, at: int, steps: Path) -> tuple[Path, int]:
    """Go on with what stands in brackets: the first number is a paragraph's, all else points."""
    found = list(steps)
    while len(found) < _MAX_STEPS and (bracket := grammar.BRACKETED.match(text, at)):
        number = bracket["number"].lower()
        is_first = not found or found[-1].unit not in (PARAGRAPH, POINT)
        unit = PARAGRAPH if is_first and number[0].isdecimal() else POINT
        found.append(Step(unit, number))
        at = bracket.end()
    return tuple(found), at


def _shared(steps: Path, number: str) -> Path:
    """What a bracket that goes on with a list shares with the number before: 6(1) and (2)."""
    for index in range(len(steps) - 1, 0, -1):
        if steps[index].unit not in (PARAGRAPH, POINT):
            return steps[: index + 1]
        if steps[index].number[0].isdecimal() == number[0].isdecimal():
            return steps[:index]
    return steps[:1]
