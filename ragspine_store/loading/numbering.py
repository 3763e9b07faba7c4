"""What English numbering needs the whole document for: ranks, and items written on one line.

Items on one line, `1. … 2. … (a) …; (b) …`, are told apart only where that is certain: the numbers
follow each other without a gap, each after the end of what stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ragspine_store.loading.japanese import Rank
from ragspine_store.loading.outline import BlockDraft, Draft, HeadingDraft
from ragspine_store.records import BlockKind

_SECTION = re.compile(r"section\s", re.IGNORECASE)
_FIRST_NUMBER = re.compile(r"1\.[ \t]")
_NUMBER = re.compile(
    r"\s(?<=[.;:!?)”\"’]\s)\s*(?P<label>(?P<number>\d{1,3})\.)"
    r"(?=[ \t]+[\"“‘'(\[]?[A-Z\u00c0-\u00de])"
)
_ENCLOSED = re.compile(
    r"(?P<before>[:;.—–])\s+(?:(?:and|or|and/or)\s+)?"
    r"(?P<label>\((?P<number>[a-z]{1,5}|\d{1,3})\))(?=\s+\S)"
)
_SERIES = (
    tuple("abcdefghijklmnopqrstuvwxyz"),
    ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv"),
    tuple(map(str, range(1, 200))),
)


def refine(text: str, drafts: Sequence[Draft]) -> list[Draft]:
    """Settle what single lines cannot tell, before an outline is built.

    Args:
        text: the canonical text.
        drafts: headings and blocks in document order; they are changed.

    Returns:
        The drafts, with items for the numbers that stood inside of blocks.
    """
    _rank_sections(drafts)
    if _NUMBER.search(text) is None and _ENCLOSED.search(text) is None:
        return list(drafts)
    return _split_items(text, drafts)


def _rank_sections(drafts: Sequence[Draft]) -> None:
    """Rank the headings `Section 1` below the articles, where sections are parts of them.

    In European acts a section holds articles, in American ones an article sections. Most sections
    of the former have an article right below them.
    """
    sections = [d for d in drafts if isinstance(d, HeadingDraft) and _is_section(d)]
    if not sections:
        return
    has_article = any(isinstance(d, HeadingDraft) and d.rank is Rank.ARTICLE for d in drafts)
    holding = sum(
        _is_section(above) and isinstance(below, HeadingDraft) and below.rank is Rank.ARTICLE
        for above, below in pairwise(drafts)
    )
    if has_article and holding * 2 <= len(sections):
        for section in sections:
            section.rank = Rank.NUMBER


def _is_section(draft: Draft) -> bool:
    if not isinstance(draft, HeadingDraft) or draft.rank is not Rank.SECTION:
        return False
    return _SECTION.match(draft.text) is not None


class _Place(NamedTuple):
    """Where an item starts, and its marker."""

    start: int
    label: str


def _split_items(text: str, drafts: Sequence[Draft]) -> list[Draft]:
    result: list[Draft] = []
    last_piece: dict[int, BlockDraft] = {}
    for draft in drafts:
        result.append(draft)
        if not isinstance(draft, BlockDraft):
            continue
        if draft.parent is not None:
            draft.parent = last_piece.get(id(draft.parent), draft.parent)
        if draft.kind in (BlockKind.ITEM, BlockKind.PARAGRAPH):
            pieces = list(_split(text, draft))
            if pieces:
                result.extend(pieces)
                siblings = [piece for piece in pieces if piece.depth == draft.depth]
                last_piece[id(draft)] = siblings[-1] if siblings else draft
    return result


def _split(text: str, draft: BlockDraft) -> Iterator[BlockDraft]:
    """The items to follow a block, which is cut to what stands before them."""
    places = _numbered_places(text, draft)
    ends = [*(place.start for place in places[1:]), draft.end]
    if places:
        draft.end = places[0].start
    yield from _split_enclosed(text, draft, frozenset())
    for place, end in zip(places, ends, strict=False):
        item = BlockDraft(BlockKind.ITEM, place.start, end, draft.depth, draft.parent, place.label)
        yield item
        yield from _split_enclosed(text, item, frozenset())


def _numbered_places(text: str, draft: BlockDraft) -> list[_Place]:
    """Where 2., 3. and so on stand in an item that begins with 1."""
    places: list[_Place] = []
    if draft.kind is not BlockKind.ITEM or not _FIRST_NUMBER.match(text, draft.start, draft.end):
        return places
    for match in _NUMBER.finditer(text, draft.start, draft.end):
        if int(match["number"]) == len(places) + 2:
            places.append(_Place(match.start("label"), match["label"]))
    return places


def _split_enclosed(
    text: str, holder: BlockDraft, used: frozenset[tuple[str, ...]]
) -> Iterator[BlockDraft]:
    """The items (a), (b) or (i), (ii) or (1), (2) after a colon, with those inside of them."""
    series, places = _enclosed_places(text, holder, used)
    if len(places) < 2:
        return
    ends = [*(place.start for place in places[1:]), holder.end]
    holder.end = places[0].start
    parent = holder if holder.kind is BlockKind.ITEM else holder.parent
    for place, end in zip(places, ends, strict=True):
        item = BlockDraft(BlockKind.ITEM, place.start, end, holder.depth + 1, parent, place.label)
        yield item
        yield from _split_enclosed(text, item, used | {series})


def _enclosed_places(
    text: str, holder: BlockDraft, used: frozenset[tuple[str, ...]]
) -> tuple[tuple[str, ...], list[_Place]]:
    places: list[_Place] = []
    series: tuple[str, ...] = ()
    for match in _ENCLOSED.finditer(text, holder.start, holder.end):
        number, is_announced = match["number"], match["before"] in ":—–"
        if is_announced and series and number == series[0]:
            break  # another list, whose numbers might go on with those of this one
        if is_announced and not series:
            series = next((s for s in _SERIES if s not in used and s[0] == number), ())
            is_expected = bool(series)
        else:
            is_expected = not is_announced and number in series[len(places) : len(places) + 1]
        if is_expected:
            places.append(_Place(match.start("label"), match["label"]))
    return series, places
