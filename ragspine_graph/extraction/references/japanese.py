"""The grammar of references in Japanese: 第N条第M項, 前条, 同項, 別表第一, 労働基準法第39条."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from ragspine_graph.extraction.references.japanese_titles import TitleReader
from ragspine_graph.extraction.references.mentions import Anchor, Mention
from ragspine_graph.extraction.references.paths import (
    ARTICLE,
    ITEM,
    JAPANESE_UNITS,
    PARAGRAPH,
    POINT,
    SUPPLEMENT,
    TABLE,
    Step,
    rank_of_unit,
)
from ragspine_store.numerals import arabic_digits
from ragspine_store.records import Span
from ragspine_store.tokenizer import scan_numbered

_NUMBER = "(?:[0-9０-９]{1,2}|[〇一二三四五六七八九十]{1,3})"
# A unit, unless it begins another word: 前条件, 本条例, 次項目, 各号俸.
_UNIT = (
    "(?P<{}>条(?![件例約項文理])|項(?![目番])|号(?![俸令車外室棟])"
    "|章(?!程)|節(?![約電分])|編(?![成集入]))"
)
_OTHER = re.compile(
    rf"(?P<every>前?各){_UNIT.format('every_unit')}"
    rf"|(?P<beside>[前次])(?P<count>{_NUMBER})?{_UNIT.format('beside_unit')}"
    rf"|(?P<here>(?<![基根日])本|この){_UNIT.format('here_unit')}"
    rf"|同{_UNIT.format('same_unit')}"
    r"|附[ \u3000]?則"
    rf"|別[ \u3000]?表(?:[ \u3000]?第?[ \u3000]?(?P<table>{_NUMBER}(?:の{_NUMBER})*))?(?![記示現])"
)
_IROHA = re.compile("[イロハニホヘトチリヌルヲワカヨタレソツネナラム](?![ぁ-ヿ])")
_LAW_NUMBER = re.compile(
    r"(?:法律|政令|勅令|省令|府令|令|規則|告示|条約|条例|通達|訓令|議案|様式|発)\Z"
)
_CAPTION = r"(?:[（(][^（）()\n]{1,60}[）)])?"
_LIST = re.compile(
    rf"[（(]|(?:まで)?{_CAPTION}[ \u3000]*(?:[、，,・]|[、，,]?"
    r"(?:及び|および|並びに|ならびに|又は|または|若しくは|もしくは|と|や))[ \u3000]*、?"
)
_RANGE = re.compile(rf"{_CAPTION}[ \u3000]*(?:から|乃至|ないし|[〜～~―—–－-])[ \u3000]*")
_JOINT = re.compile(rf"{_CAPTION}(?:の|[ \u3000]?)")
# What may follow 第三号 for it to be a reference, unlike 第三号被保険者.
_AFTER_ALONE = re.compile(
    r"[^一-鿿ァ-ヺ]|及び|又は|並び|若し|乃至|[前後]段|本文|各|中(?!心)|違反|関係|該当|準用|適用|参照|規定|\Z"
)
_QUOTE_OR_LINE = re.compile(r"[「」\n]")
_MAX_GAP = 70
_MAX_BRACKET = 60


class _Atom(NamedTuple):
    """One step of a reference as it is written."""

    start: int
    end: int
    step: Step | None = None
    anchor: Anchor = Anchor.TOP
    unit: str = ""
    offset: int = 0
    is_full: bool = True
    names_items: bool = False


def find_japanese(text: str, titles: TitleReader) -> Iterator[Mention]:
    """The mentions in a text, in order.

    Args:
        text: the text; anything at all.
        titles: reads the name of a document in front of a reference.
    """
    others = list(_others(text))
    covered = {at for atom in others for at in range(atom.start, atom.end)}
    numbered = (atom for atom in _numbered(text) if atom.start not in covered)
    atoms = sorted((*numbered, *others), key=lambda atom: atom.start)
    quoted = _quoted(text)
    ends: set[int] = set()
    previous: Mention | None = None
    at = 0
    while at < len(atoms):
        stop = at + 1
        while stop < len(atoms) and _joins(text, atoms[stop - 1], atoms[stop]):
            stop += 1
        mention = _mention(text, atoms[at:stop], previous, titles)
        if mention is not None and _is_bracketed_behind(text, mention.span.start, ends):
            mention = replace(mention, continues=True)
        at = stop
        if mention is None:
            continue
        if _is_inside(quoted, mention):
            if _needs_place(mention):
                continue
            mention = replace(mention, is_quoted=True)
        yield mention
        previous = mention
        ends.add(mention.span.end)


def _quoted(text: str) -> list[Span]:
    """Where a text quotes: 同条中「前項」とあるのは… says nothing of its own place."""
    spans: list[Span] = []
    opening: list[int] = []
    for match in _QUOTE_OR_LINE.finditer(text):
        if match[0] == "「":
            opening.append(match.start())
        elif match[0] == "\n":
            opening.clear()
        elif opening:
            start = opening.pop()
            while spans and spans[-1].start > start:
                spans.pop()
            spans.append(Span(start, match.end()))
    return spans


def _needs_place(mention: Mention) -> bool:
    """Whether it means one thing here and another elsewhere: 前項, 第2項, 同条."""
    if mention.anchor is not Anchor.TOP:
        return True
    return not mention.continues and mention.steps[0].unit in (PARAGRAPH, ITEM)


def _is_inside(spans: list[Span], mention: Mention) -> bool:
    index = bisect_right(spans, mention.span.start, key=lambda span: span.start) - 1
    return index >= 0 and spans[index].contains(mention.span)


def _numbered(text: str) -> Iterator[_Atom]:
    for part in scan_numbered(text):
        unit = JAPANESE_UNITS[part.unit]
        if part.unit == "号" and _LAW_NUMBER.search(text[max(part.start - 3, 0) : part.start]):
            continue
        end = part.end
        yield _Atom(part.start, end, Step(unit, part.number), is_full=part.is_full)
        if unit == ITEM and (match := _IROHA.match(text, end)):
            yield _Atom(end, match.end(), Step(POINT, match[0]))


def _others(text: str) -> Iterator[_Atom]:
    for match in _OTHER.finditer(text):
        start, end = match.span()
        if match["every"]:
            unit = JAPANESE_UNITS[match["every_unit"]]
            anchor = Anchor.BEFORE if match["every"] == "前各" else Anchor.HERE
            yield _Atom(start, end, None, anchor, unit, names_items=True)
        elif match["beside"]:
            unit = JAPANESE_UNITS[match["beside_unit"]]
            count = int(arabic_digits(match["count"])) if match["count"] else 1
            offset = -count if match["beside"] == "前" else count
            yield _Atom(start, end, None, Anchor.BESIDE, unit, offset)
        elif match["here"]:
            yield _Atom(start, end, None, Anchor.HERE, JAPANESE_UNITS[match["here_unit"]])
        elif match["same_unit"]:
            yield _Atom(start, end, None, Anchor.LAST, JAPANESE_UNITS[match["same_unit"]])
        elif text[start] == "附":
            yield _Atom(start, end, Step(SUPPLEMENT, ""))
        else:
            number = match["table"] or ""
            digits = "-".join(arabic_digits(part) for part in number.split("の"))
            yield _Atom(start, end, Step(TABLE, digits))


def _joins(text: str, before: _Atom, atom: _Atom) -> bool:
    """Whether an atom goes on with the one before: 第3条 and 第2項, 前条 and 各号."""
    gap = text[before.end : min(atom.start, before.end + 50)]
    if before.end + len(gap) < atom.start or _JOINT.fullmatch(gap) is None:
        return False
    if atom.names_items:
        return atom.anchor is Anchor.HERE and atom.unit == ITEM and not before.names_items
    unit = before.step.unit if before.step is not None else before.unit
    return (
        atom.step is not None
        and not before.names_items
        and rank_of_unit(unit) < rank_of_unit(atom.step.unit)
    )


def _mention(
    text: str, atoms: list[_Atom], previous: Mention | None, titles: TitleReader
) -> Mention | None:
    """The mention that atoms make together, None where they refer to nothing."""
    first, last = atoms[0], atoms[-1]
    continues, ends_range = _goes_on(text, previous, first.start)
    start, title = first.start, ""
    if first.step is not None:
        unit = first.step.unit
        is_whole = rank_of_unit(unit) <= rank_of_unit(ARTICLE)
        named = titles.find_before(first.start) if is_whole else None
        if named is not None:
            start, title = named
            continues = ends_range = False
        elif not continues and not _stands_alone(text, first, last.end):
            return None
    return Mention(
        span=Span(start, last.end),
        steps=tuple(atom.step for atom in atoms if atom.step is not None),
        anchor=first.anchor,
        unit=first.unit,
        offset=first.offset,
        title=title,
        continues=continues,
        ends_range=ends_range,
        names_items=last.names_items,
    )


def _goes_on(text: str, previous: Mention | None, start: int) -> tuple[bool, bool]:
    """Whether a mention goes on with a list, and whether it ends a range."""
    if previous is None or start - previous.span.end > _MAX_GAP:
        return False, False
    gap = text[previous.span.end : start]
    ends_range = _RANGE.fullmatch(gap) is not None
    return ends_range or _LIST.fullmatch(gap) is not None, ends_range


def _is_bracketed_behind(text: str, start: int, ends: set[int]) -> bool:
    """Whether a bracket opens behind a mention and holds this place: 第3条（第2項を除き、第4項…."""
    depth = 0
    for index in range(start - 1, max(start - _MAX_BRACKET, 0) - 1, -1):
        if text[index] in "）)":
            depth += 1
        elif text[index] in "（(":
            depth -= 1
        if depth < 0:
            return index in ends
    return False


def _stands_alone(text: str, first: _Atom, end: int) -> bool:
    """Whether a number is a reference without anything before it: 第三号, not 第三号被保険者."""
    if not first.is_full or first.step is None:
        return False
    if first.step.unit in (PARAGRAPH, ITEM):
        return _AFTER_ALONE.match(text, end) is not None
    return True
