"""The paragraphs, items and points inside of an article, read from its text.

They are found whatever cut the document into children: only its text counts here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragspine_graph.extraction.references.english_items import find_english_items
from ragspine_graph.extraction.references.paths import ITEM, PARAGRAPH, POINT, Path, Step
from ragspine_store.loading import outline_of
from ragspine_store.numerals import arabic_digits
from ragspine_store.records import Block, BlockKind, Span
from ragspine_store.tokenizer import fold

_ANNOUNCES = re.compile(
    r"各号|[次以下](?:の|に)?(?:と[お]り|通り|掲げ|各|に)|次の|以下の|[:：]\s*\Z"
)
_PLAIN_NUMBER = re.compile(r"(?P<number>\d{1,4})(?:の(?P<branch>\d{1,3}))?[.)]?")
_KANJI_NUMBER = re.compile(r"[一二三四五六七八九十百]+(?:の[一二三四五六七八九十]+)*")
_DOTTED = re.compile(r"(?:\d{1,4}\.)+(?P<last>\d{1,4})項?\.?")

_Found = tuple[Path, Span]


@dataclass(frozen=True, slots=True)
class Item:
    """A numbered part of an article.

    Attributes:
        steps: its path below the article.
        span: from its number to the end of the last part in it.
    """

    steps: Path
    span: Span


def find_items(
    text: str, span: Span, *, is_japanese: bool, has_sections: bool = False
) -> list[Item]:
    """The numbered parts in a stretch of text, in document order.

    Args:
        text: the canonical text.
        span: an article's own text, without its heading.
        is_japanese: whether its parts are 項 and 号, or paragraphs and points.
        has_sections: whether sections may open within a line, as in an annex.
    """
    if not is_japanese:
        return [
            Item(steps, Span(start, end))
            for steps, start, end in find_english_items(text, *span, has_sections=has_sections)
        ]
    part = text[span.start : span.end]
    blocks = outline_of(part).blocks
    if not blocks:
        return []
    ends = _ends(blocks, len(part.rstrip()))
    return [
        Item(steps, Span(start + span.start, end + span.start))
        for steps, (start, end) in _japanese(part, blocks, ends)
    ]


def _ends(blocks: Sequence[Block], end: int) -> list[int]:
    """Where each block ends with all that is nested in it."""
    ends = [end] * len(blocks)
    open_blocks: list[int] = []
    for index, block in enumerate(blocks):
        while open_blocks and open_blocks[-1] != block.parent:
            ends[open_blocks.pop()] = block.span.start
        open_blocks.append(index)
    return ends


def _number(label: str) -> str:
    """The number of a marker in digits, `25-2` with a branch, or its letter; '' for a bullet."""
    plain = fold(label).strip(" ()")
    if match := _PLAIN_NUMBER.fullmatch(plain):
        return match["number"] + (f"-{match['branch']}" if match["branch"] else "")
    if _KANJI_NUMBER.fullmatch(plain):
        return "-".join(arabic_digits(number) for number in plain.split("の"))
    if match := _DOTTED.fullmatch(plain):
        return match["last"]
    letter = plain.strip(".")
    return letter if letter.isalnum() and len(letter) <= 5 else ""


def _style(label: str) -> str:
    """How a marker is written: what tells 項 from 号."""
    if label[:1] in "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳":
        return "circled"
    plain = fold(label)
    if plain[:1] == "(":
        return "bracketed"
    if plain[:1].isdecimal():
        return "dotted" if _DOTTED.fullmatch(plain) else "plain"
    return "kanji" if _KANJI_NUMBER.match(plain) else "other"


def _japanese(text: str, blocks: Sequence[Block], ends: Sequence[int]) -> Iterator[_Found]:
    """項 and 号: which of them the outermost numbers are depends on what stands around them."""
    style = _paragraph_style(text, blocks)
    numbered = [
        index
        for index, block in enumerate(blocks)
        if block.kind is BlockKind.ITEM and block.parent is None and _style(block.label) == style
    ]
    paragraph: Path = (Step(PARAGRAPH, "1"),)
    if not numbered:
        yield paragraph, Span(blocks[0].span.start, ends[-1])
    elif _number(blocks[numbered[0]].label) != "1" and numbered[0] > 0:
        yield paragraph, Span(blocks[0].span.start, blocks[numbered[0]].span.start)
    outermost = frozenset(numbered)
    path_of: dict[int, Path] = {}
    bullets: Counter[int | None] = Counter()
    for index, block in enumerate(blocks):
        if block.kind is not BlockKind.ITEM:
            continue
        number = _number(block.label)
        if not number:
            # 号 that are no more than bullets are referred to by their order.
            if block.parent is not None and block.parent not in outermost:
                continue
            bullets[block.parent] += 1
            number = str(bullets[block.parent])
        if index in outermost:
            paragraph = path_of[index] = (Step(PARAGRAPH, number),)
        else:
            above = _above(blocks, block, path_of) or paragraph
            path_of[index] = (*above, Step(ITEM if len(above) == 1 else POINT, number))
        yield path_of[index], Span(block.span.start, ends[index])


def _paragraph_style(text: str, blocks: Sequence[Block]) -> str:
    """The style of the numbers of 項, '' where none is numbered.

    A list below a text that announces it (次の各号) is one of 号; so is one of kanji numerals.
    """
    outermost = [block for block in blocks if block.kind is BlockKind.ITEM and block.parent is None]
    lead = text[: outermost[0].span.start].strip() if outermost else ""
    for style in ("plain", "dotted", "circled", "bracketed"):
        numbers = [_number(block.label) for block in outermost if _style(block.label) == style]
        if numbers:
            is_announced = style != "plain" or _ANNOUNCES.search(lead) is not None
            return "" if lead and numbers[0] == "1" and is_announced else style
    return ""


def _above(blocks: Sequence[Block], block: Block, path_of: dict[int, Path]) -> Path:
    """The path of the nearest numbered part that holds a block."""
    while block.parent is not None:
        if block.parent in path_of:
            return path_of[block.parent]
        block = blocks[block.parent]
    return ()
