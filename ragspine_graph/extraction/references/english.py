"""The grammar of references in English: Article 6(1)(f), Articles 8 to 15, point 2 of Annex III."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

from ragspine_graph.extraction.references.english_titles import EnglishTitles
from ragspine_graph.extraction.references.mentions import Anchor, Mention
from ragspine_graph.extraction.references.paths import (
    ANNEX,
    APPENDIX,
    ARTICLE,
    CHAPTER,
    CLAUSE,
    EXHIBIT,
    PARAGRAPH,
    PART,
    POINT,
    SCHEDULE,
    SECTION,
    TITLE,
    Path,
    Step,
    english_number,
)
from ragspine_store.records import Span

_UNITS = {
    "part": PART,
    "title": TITLE,
    "chapter": CHAPTER,
    "section": SECTION,
    "sec": SECTION,
    "sect": SECTION,
    "§": SECTION,
    "§§": SECTION,
    "article": ARTICLE,
    "art": ARTICLE,
    "clause": CLAUSE,
    "cl": CLAUSE,
    "annex": ANNEX,
    "annexe": ANNEX,
    "appendix": APPENDIX,
    "schedule": SCHEDULE,
    "exhibit": EXHIBIT,
    "paragraph": PARAGRAPH,
    "para": PARAGRAPH,
    "subparagraph": POINT,
    "subsection": PARAGRAPH,
    "point": POINT,
}
_WORDS = (
    "section|article|clause|annex|paragraph|subparagraph|subsection|point|(?:sect?|art|cl|paras?)\\.?"
    "|Part|Title|Chapter|Section|Article|Clause|Annexe?|Appendix|Schedule|Exhibit|Paragraph|Point"
    "|Subsection|(?:Sect?|Arts?|Cl|Paras?)\\.?|PART|CHAPTER|SECTION|ARTICLE|CLAUSE|ANNEX|APPENDIX"
    "|SCHEDULE|EXHIBIT"
)
_GAP = r"[ \t\u00a0]{0,3}(?:\n[ \t\u00a0]{0,8})?"
_NOUN = rf"(?:(?<![\w-])(?:{_WORDS})(?P<plural>e?s)?(?=[ \t\u00a0\n])|(?<![\w-])(?P<irregular>Appendices|appendices)|§§?)"
_HEAD = re.compile(rf"(?P<noun>{_NOUN}){_GAP}(?=[\d(IVXLCA-Z])")
_NUMBER = re.compile(
    r"(?P<number>\d{1,4}(?:\.\d{1,3}){0,5}[a-z]?(?![\w/])|[IVXLC]{1,7}(?!\w)|[A-Z](?!\w))"
)
_LOOSE_NUMBER = re.compile(r"(?P<number>\d{1,4})(?=of\b)")
_SUB = re.compile(rf"[ \u00a0]?\((?P<number>[0-9]{{1,3}}[a-z]?|[a-z]{{1,5}}|[A-Z]{{1,3}})\)")
_CONNECTOR = re.compile(
    rf"(?P<range>{_GAP}(?:to|through|–|—|-){_GAP})"
    rf"|{_GAP},?{_GAP}(?:and/or|and|or){_GAP}|{_GAP},{_GAP}"
)
_SUBPARAGRAPH = (
    rf"(?:{_GAP},?{_GAP}(?:the )?(?:first|second|third|fourth|fifth|last|introductory)"
    rf"{_GAP}(?:sub-?paragraph|paragraph|sentence|part|indent|wording)s?)"
)
_SUBPARAGRAPHS = re.compile(_SUBPARAGRAPH)
_INNER = re.compile(rf"{_SUBPARAGRAPH}?(?:{_GAP},{_GAP}|[ \u00a0]?\(|[ \u00a0]{{1,2}})(?={_NOUN})")
_OF = re.compile(
    rf"{_SUBPARAGRAPH}?{_GAP},?{_GAP}(?:of|to|in){_GAP}"
    rf"(?:the (?:first|second|third|fourth|last) sub-?paragraph of{_GAP})?(?={_NOUN}|this|that)"
)
_OF_HERE = re.compile(
    rf"{_SUBPARAGRAPH}?{_GAP},?{_GAP}(?:of|to|in|under){_GAP}(?:this|the present)"
    rf"{_GAP}(?P<unit>part|title|chapter|section|article|clause|annex|appendix|schedule|exhibit|paragraph)\b",
    re.IGNORECASE,
)
_OF_THAT = re.compile(
    rf"{_SUBPARAGRAPH}?{_GAP},?{_GAP}(?:of|to|in){_GAP}(?:that|the same)"
    rf"{_GAP}(?P<unit>chapter|section|article|clause|annex|schedule|paragraph)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    rf"\b[Tt]he{_GAP}(?P<side>preceding|previous|foregoing|following|next)"
    rf"{_GAP}(?P<unit>chapter|section|article|clause|paragraph|annex)\b"
    r"(?! (?:is|are|shall be) (?:added|inserted|replaced|deleted))",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"\b[Tt]his (?P<unit>[Cc]hapter|[Ss]ection|[Pp]art|[Tt]itle|[Aa]nnex|[Ss]chedule)\b"
)
# What the second of two nouns may be for the first to stand inside of it.
_OUTER_OF = {
    PART: (TITLE, ANNEX),
    CHAPTER: (TITLE, PART, ANNEX),
    SECTION: (CHAPTER, TITLE, PART, ANNEX, ARTICLE, APPENDIX, SCHEDULE, EXHIBIT),
    ARTICLE: (ANNEX, APPENDIX, SCHEDULE, EXHIBIT),
    CLAUSE: (ANNEX, APPENDIX, SCHEDULE, EXHIBIT),
    PARAGRAPH: (ARTICLE, CLAUSE, SECTION, ANNEX, APPENDIX, SCHEDULE, EXHIBIT, PART),
    POINT: (PARAGRAPH, ARTICLE, CLAUSE, SECTION, ANNEX, APPENDIX, SCHEDULE, EXHIBIT, PART),
}
# Article 5 or 50 is a list, Article 6 and 12 months is none.
_ENDS_LIST = re.compile(
    r"\s{0,3}(?:[.,;:)]|\Z|(?:of|to|and|or|shall|may|is|are|apply|applies|in|if|when|where)\b)"
)
_QUOTED = re.compile(r"‘(?:[^‘’“”]|(?<=\w)’(?=\w))+’|“[^‘“”]+”")
_MAX_ITEMS = 200


class _Group:
    """Mentions that one noun opens, and where their text ends."""

    def __init__(self, unit: str, mentions: list[Mention], end: int) -> None:
        self.unit = unit
        self.mentions = mentions
        self.end = end

    def below(self, outer: Mention) -> None:
        """Put all that was found inside of another mention."""
        self.mentions = [
            replace(
                mention,
                steps=(*outer.steps, *mention.steps),
                anchor=outer.anchor,
                unit=outer.unit,
                offset=outer.offset,
                title=outer.title,
            )
            for mention in self.mentions
        ]


def find_english(text: str, titles: EnglishTitles) -> Iterator[Mention]:
    """The mentions in a text, in order.

    Args:
        text: the text; anything at all.
        titles: reads the name of a document after a reference.
    """
    found: list[Mention] = []
    at = 0
    while match := _HEAD.search(text, at):
        group = _read_group(text, match, titles)
        if group is None:
            at = match.end()
            continue
        found += group.mentions
        at = max(group.end, match.end())
    found = _without_quoted(text, found)
    taken = [mention.span for mention in found]
    for mention in _relative(text):
        index = _first_after(taken, mention.span.start)
        if index == 0 or taken[index - 1].end <= mention.span.start:
            found.append(mention)
    yield from sorted(found, key=lambda mention: mention.span)


def _without_quoted(text: str, mentions: list[Mention]) -> list[Mention]:
    """Leave out what a quoted text says of its own place: ‘3. Without prejudice to paragraph 2…’."""
    quotes = [Span(*match.span()) for match in _QUOTED.finditer(text)]
    kept: list[Mention] = []
    for mention in mentions:
        index = _first_after(quotes, mention.span.start)
        is_quoted = index > 0 and quotes[index - 1].contains(mention.span)
        needs_place = not mention.title and (
            mention.anchor is not Anchor.TOP or mention.steps[0].unit in (PARAGRAPH, POINT)
        )
        if not (is_quoted and needs_place):
            kept.append(replace(mention, is_quoted=is_quoted))
    return kept


def _first_after(spans: list[Span], at: int) -> int:
    return bisect_right(spans, at, key=lambda span: span.start)


def _relative(text: str) -> Iterator[Mention]:
    for match in _BESIDE.finditer(text):
        offset = 1 if match["side"].lower() in ("following", "next") else -1
        unit = _UNITS[match["unit"].lower()]
        yield Mention(Span(*match.span()), anchor=Anchor.BESIDE, unit=unit, offset=offset)
    for match in _HERE.finditer(text):
        unit = _UNITS[match["unit"].lower()]
        yield Mention(Span(*match.span()), anchor=Anchor.HERE, unit=unit)


def _read_group(
    text: str,
    head: re.Match[str],
    titles: EnglishTitles,
    depth: int = 0,
    *,
    reads_outer: bool = True,
) -> _Group | None:
    noun = head["noun"]
    is_plural = bool(head["plural"] or head["irregular"]) or noun == "§§"
    unit = _unit(noun)
    group = _Group(unit, [], head.end())
    _read_items(text, head, unit, group, is_plural=is_plural)
    if not group.mentions:
        return None
    if depth < 3:
        _read_inner(text, group, titles, depth)
        if reads_outer:
            _read_outer(text, group, titles, depth)
    return group


def _unit(noun: str) -> str:
    lower = noun.lower().rstrip(".")
    if lower == "appendices":
        return APPENDIX
    for ending in ("", "s", "es"):
        stem = lower.removesuffix(ending)
        if lower.endswith(ending) and stem in _UNITS:
            return _UNITS[stem]
    return _UNITS[lower]


def _read_items(
    text: str, head: re.Match[str], unit: str, group: _Group, *, is_plural: bool
) -> None:
    """The numbers after a noun: 6(1)(f), 9, 10 and 12, 8 to 15, 43 (5) and (6)."""
    at, start, is_range = head.end(), head.start(), False
    while len(group.mentions) < _MAX_ITEMS:
        steps, end = _go_on(text, at, group)
        if not steps:
            steps, end = _read_number(text, at, unit)
            if group.mentions and steps and not is_plural and not _ENDS_LIST.match(text, end):
                break
        if not steps:
            break
        group.mentions.append(Mention(Span(start, end), steps, ends_range=is_range))
        group.end = end
        connector = _CONNECTOR.match(text, end)
        if connector is None or connector.end() == end:
            break
        at = start = connector.end()
        is_range = connector["range"] is not None


def _go_on(text: str, at: int, group: _Group) -> tuple[Path, int]:
    """A number in brackets that goes on inside of the one before: 6(1) and (2), 5(b) and (c)."""
    before = group.mentions[-1].steps if group.mentions else ()
    sub = _SUB.match(text, at)
    if len(before) < 2 or sub is None:
        return (), at
    return _read_subs(text, at, _kept(before, sub["number"]))


def _read_number(text: str, at: int, unit: str) -> tuple[Path, int]:
    """The steps of one number with what stands in brackets behind it."""
    if unit in (POINT, PARAGRAPH) and (sub := _SUB.match(text, at)):
        first = sub["number"]
        kind = PARAGRAPH if unit == PARAGRAPH or first[0].isdigit() else POINT
        return _read_subs(text, sub.end(), (Step(kind, first.lower()),))
    match = _NUMBER.match(text, at) or _LOOSE_NUMBER.match(text, at)
    if match is None:
        return (), at
    number = english_number(match["number"])
    if unit == POINT:
        unit = PARAGRAPH if number[0].isdigit() else POINT
    if unit == PARAGRAPH and not number[0].isdigit():
        return (), at
    return _read_subs(text, match.end(), (Step(unit, number),))


def _read_subs(text: str, at: int, steps: Path) -> tuple[Path, int]:
    while sub := _SUB.match(text, at):
        number = sub["number"].lower()
        steps = (*steps, Step(_kind_below(steps, number), number))
        at = sub.end()
        if len(steps) > 6:
            break
    return steps, at


def _kind_below(steps: Path, number: str) -> str:
    holds = {PARAGRAPH, POINT}
    is_first = not steps or steps[-1].unit not in holds
    return PARAGRAPH if number[0].isdigit() and is_first else POINT


def _kept(steps: Path, number: str) -> Path:
    """What a bracket that goes on with a list shares with the number before: 6(1) and (2)."""
    kept = steps
    while kept and kept[-1].unit in (PARAGRAPH, POINT):
        last = kept[-1].number
        kept = kept[:-1]
        if last[0].isdigit() == number[0].isdigit():
            break
    return kept


def _read_inner(text: str, group: _Group, titles: EnglishTitles, depth: int) -> None:
    """What stands inside of the last mention: Article 49 (4), point (d)."""
    gap = _INNER.match(text, group.end)
    if gap is None:
        return
    head = _HEAD.match(text, gap.end())
    if head is None or group.unit not in _OUTER_OF.get(_unit(head["noun"]), ()):
        return
    inner = _read_group(text, head, titles, depth + 1, reads_outer=False)
    if inner is None:
        return
    last = group.mentions.pop()
    inner.below(last)
    first = inner.mentions[0]
    inner.mentions[0] = replace(
        first, span=Span(last.span.start, first.span.end), ends_range=last.ends_range
    )
    group.mentions += inner.mentions
    group.end = inner.end


def _read_outer(text: str, group: _Group, titles: EnglishTitles, depth: int) -> None:
    """What the mentions stand inside of: point 2 of Annex III, Article 5 of Directive 2008/115."""
    end = group.end
    if skipped := _SUBPARAGRAPHS.match(text, end):
        end = skipped.end()
    if named := titles.find_after(end):
        group.mentions = [replace(mention, title=named[1]) for mention in group.mentions]
        group.end = named[0]
        return
    if depth == 0 and group.unit in (ARTICLE, ANNEX) and (name := titles.amended_at(group.end)):
        group.mentions = [replace(mention, title=name) for mention in group.mentions]
    for pattern, anchor in ((_OF_HERE, Anchor.HERE), (_OF_THAT, Anchor.LAST)):
        if match := pattern.match(text, group.end):
            unit = _UNITS[match["unit"].lower()]
            if unit in _OUTER_OF.get(group.unit, ()):
                group.below(Mention(Span(0, 0), anchor=anchor, unit=unit))
                group.end = match.end()
                if named := titles.find_after(group.end):
                    group.end = named[0]
            return
    gap = _OF.match(text, group.end)
    head = _HEAD.match(text, gap.end()) if gap else None
    if head is None or _unit(head["noun"]) not in _OUTER_OF.get(group.unit, ()):
        return
    outer = _read_group(text, head, titles, depth + 1)
    if outer is not None:
        group.below(outer.mentions[0])
        group.end = outer.end
        last = group.mentions[-1]
        if len(group.mentions) == 1:
            group.mentions[-1] = replace(
                last, span=Span(last.span.start, outer.mentions[0].span.end)
            )
