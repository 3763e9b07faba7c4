"""The numbers and bullets of lists, as Word shows them."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace

from ragspine_store.loading.docx.number_formats import format_number
from ragspine_store.loading.docx.styles import (
    Indent,
    ListPlace,
    Style,
    Styles,
    bounded_int,
    indent_of,
)
from ragspine_store.loading.docx.xml import Element, children_of, find_child, value_of

_MAX_LEVELS = 9
_MAX_TEMPLATE = 100
_PLACEHOLDER = re.compile("%([1-9])")
# Bullets are drawn in symbol fonts, at places where Unicode has no such characters.
_BULLETS = {"\uf0b7": "•", "\uf0a7": "■", "\uf06c": "●", "\uf06e": "■", "\uf075": "◆", "o": "○"}
_ANY_BULLET = "•"


@dataclass(frozen=True, slots=True)
class Label:
    """What stands before the text of a numbered paragraph.

    Attributes:
        text: the number or bullet as shown.
        gap: what separates it from the text.
        list_id: equal for the paragraphs of one sequence.
        level: from 0.
        indent: as the list states it.
    """

    text: str
    gap: str
    list_id: str
    level: int
    indent: Indent


@dataclass(frozen=True, slots=True)
class _Level:
    start: int = 1
    number_format: str = "decimal"
    text: str = ""
    gap: str = " "
    restart_after: int | None = None
    is_legal: bool = False
    style_id: str = ""
    indent: Indent = field(default_factory=Indent)


@dataclass(frozen=True, slots=True)
class _List:
    """A list as paragraphs refer to it; lists of one definition count on together."""

    definition: str
    levels: tuple[_Level, ...]
    restarts: dict[int, int]


class Numbering:
    """Counts the numbered paragraphs of one document, in document order.

    Args:
        root: of the numbering part; None when the document has none.
        styles: that lists may be defined by.
    """

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self._lists = _read_lists(root, styles)
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        self._begun: set[tuple[str, int]] = set()

    def next_label(self, place: ListPlace, style: Style) -> Label | None:
        """The label of the next paragraph at a place; None when it has none."""
        found = self._lists.get(place.list_id)
        if found is None:
            return None
        at = _level_of(found, place, style)
        level = found.levels[at]
        self._count(place.list_id, found, at)
        text = _shown(found, at, self._counts[found.definition])
        return Label(text, _gap(level) if text else "", found.definition, at, level.indent)

    def _count(self, list_id: str, found: _List, at: int) -> None:
        counts = self._counts[found.definition]
        restart = found.restarts.get(at)
        is_first_here = (list_id, at) not in self._begun
        self._begun.add((list_id, at))
        if restart is not None and is_first_here:
            counts[at] = restart
        else:
            counts[at] = counts.get(at, found.levels[at].start - 1) + 1
        for higher in range(at):
            counts.setdefault(higher, found.levels[higher].start)
        for deeper in range(at + 1, len(found.levels)):
            limit = found.levels[deeper].restart_after
            if limit is None or at < limit:
                counts.pop(deeper, None)


def _level_of(found: _List, place: ListPlace, style: Style) -> int:
    """The level of a paragraph: its own, or the one that is tied to its style."""
    if place.level is not None:
        return min(place.level, len(found.levels) - 1)
    tied = (i for i, level in enumerate(found.levels) if level.style_id == style.style_id)
    return next(tied, 0)


def _shown(found: _List, at: int, counts: dict[int, int]) -> str:
    level = found.levels[at]
    if level.number_format == "bullet":
        return _bullet(level.text)

    def number(match: re.Match[str]) -> str:
        which = min(int(match[1]) - 1, at)
        is_legal = level.is_legal and which != at
        number_format = "decimal" if is_legal else found.levels[which].number_format
        return format_number(counts.get(which, 0), number_format)

    return _PLACEHOLDER.sub(number, level.text).strip()


def _gap(level: _Level) -> str:
    """What separates a label from the text: what its own template ends with comes first."""
    return level.text[len(level.text.rstrip()) :] or level.gap


def _bullet(text: str) -> str:
    shown = "".join(_BULLETS.get(char, char) for char in text.strip())
    return _ANY_BULLET if re.search("[\ue000-\uf8ff]", shown) else shown


def _read_lists(root: Element | None, styles: Styles) -> dict[str, _List]:
    definitions = {e.get("w:abstractNumId", ""): e for e in children_of(root, "w:abstractNum")}
    numbers = {e.get("w:numId", ""): e for e in children_of(root, "w:num")}
    lists: dict[str, _List] = {}
    for list_id, element in numbers.items():
        definition = value_of(element, "w:abstractNumId")
        if definition in definitions and list_id != "0":
            definition = _linked(definition, definitions, numbers, styles)
            levels = _read_levels(definitions[definition])
            lists[list_id] = _overridden(definition, levels, element)
    return lists


def _linked(
    definition: str, definitions: dict[str, Element], numbers: dict[str, Element], styles: Styles
) -> str:
    """The definition itself, or the one of the numbering style that it stands for."""
    style_id = value_of(definitions[definition], "w:numStyleLink")
    linked = value_of(numbers.get(styles.list_of(style_id)), "w:abstractNumId")
    return linked if linked in definitions else definition


def _read_levels(definition: Element) -> tuple[_Level, ...]:
    levels = [_Level()] * _MAX_LEVELS
    for element in children_of(definition, "w:lvl"):
        levels[bounded_int(element.get("w:ilvl", ""), 0, _MAX_LEVELS - 1)] = _read_level(element)
    return tuple(levels)


def _read_level(element: Element) -> _Level:
    restart = value_of(element, "w:lvlRestart")
    legal = find_child(element, "w:isLgl")
    return _Level(
        start=bounded_int(value_of(element, "w:start"), 0, 2**31),
        number_format=value_of(element, "w:numFmt") or "decimal",
        text=value_of(element, "w:lvlText")[:_MAX_TEMPLATE],
        gap="" if value_of(element, "w:suff") == "nothing" else " ",
        restart_after=bounded_int(restart, 0, _MAX_LEVELS) if restart else None,
        is_legal=legal is not None and legal.get("w:val") not in ("0", "false", "off"),
        style_id=value_of(element, "w:pStyle"),
        indent=indent_of(find_child(element, "w:pPr")),
    )


def _overridden(definition: str, levels: tuple[_Level, ...], element: Element) -> _List:
    changed = list(levels)
    restarts: dict[int, int] = {}
    for override in children_of(element, "w:lvlOverride"):
        at = bounded_int(override.get("w:ilvl", ""), 0, _MAX_LEVELS - 1)
        level = find_child(override, "w:lvl")
        if level is not None:
            changed[at] = _read_level(level)
        start = value_of(override, "w:startOverride")
        if start:
            restarts[at] = bounded_int(start, 0, 2**31)
            changed[at] = replace(changed[at], start=restarts[at])
    return _List(definition, tuple(changed), restarts)
