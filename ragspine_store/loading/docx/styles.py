"""What Word's paragraph styles say about structure: headings, lists, quotes, code, contents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from ragspine_store.loading.docx.xml import Element, find_child, value_of
from ragspine_store.records import BlockKind

TITLE_LEVEL = 0
_BODY_LEVEL = 9
_MAX_INHERITANCE = 50

# Word keeps the English name whatever its language is; other programs write their own.
_HEADING = re.compile(
    r"(?:heading|見出し|标题|標題|제목|überschrift|titre|título|titolo|kop|rubrik|nagłówek"
    r"|заголовок)\s*([1-9])"
)
_TITLE = frozenset({"title", "表題", "タイトル"})
_CONTENTS = re.compile(r"(?:toc|contents|目次|verzeichnis|tm)\s*[1-9]")
_KINDS = {
    "quote": BlockKind.QUOTE,
    "quotations": BlockKind.QUOTE,
    "intense quote": BlockKind.QUOTE,
    "引用文": BlockKind.QUOTE,
    "html preformatted": BlockKind.CODE,
    "preformatted text": BlockKind.CODE,
    "source code": BlockKind.CODE,
}


@dataclass(frozen=True, slots=True)
class Indent:
    """Where a paragraph starts, in twentieths of a point from the margin; None is not stated.

    Attributes:
        left: of its lines.
        first: of its first line, relative to `left`; negative when the number hangs.
    """

    left: int | None = None
    first: int | None = None

    def over(self, base: Indent) -> Indent:
        """This indent, with what it does not state taken from another."""
        return Indent(
            base.left if self.left is None else self.left,
            base.first if self.first is None else self.first,
        )

    @property
    def start(self) -> int:
        """Where the first line starts."""
        return (self.left or 0) + (self.first or 0)


@dataclass(frozen=True, slots=True)
class ListPlace:
    """A place in a list: the list's id ('0' is none, '' is not stated) and the level from 0."""

    list_id: str = ""
    level: int | None = None

    def over(self, base: ListPlace) -> ListPlace:
        """This place, with what it does not state taken from another."""
        level = base.level if self.level is None and not self.list_id else self.level
        return ListPlace(self.list_id or base.list_id, level)


@dataclass(frozen=True, slots=True)
class Style:
    """The structure of a paragraph, its style's ancestors included.

    Attributes:
        style_id: the style itself, as lists refer to it.
        level: 0 for a title, 1 to 9 for headings, None for body text.
        kind: of its block when it is body text.
        is_contents: an entry of a table of contents.
        place: in which list.
        indent: as stated.
    """

    style_id: str = ""
    level: int | None = None
    kind: BlockKind = BlockKind.PARAGRAPH
    is_contents: bool = False
    place: ListPlace = field(default_factory=ListPlace)
    indent: Indent = field(default_factory=Indent)


class Styles:
    """The paragraph styles of one document.

    Args:
        root: of the styles part; None when the document has none.
    """

    def __init__(self, root: Element | None) -> None:
        self._elements: dict[str, Element] = {}
        self._default = ""
        for element in () if root is None else root.iter("w:style"):
            style_id = element.get("w:styleId", "")
            self._elements[style_id] = element
            is_default = element.get("w:default") in ("1", "true", "on")
            if is_default and element.get("w:type") == "paragraph":
                self._default = style_id
        self._resolved: dict[str, Style] = {}

    def of(self, style_id: str) -> Style:
        """The style of that id; the default one for an empty or unknown id."""
        if style_id not in self._elements:
            style_id = self._default
        if style_id not in self._resolved:
            self._resolved[style_id] = self._resolve(style_id)
        return self._resolved[style_id]

    def list_of(self, style_id: str) -> str:
        """The id of the list that a numbering style stands for; '' without one."""
        return list_place(find_child(self._elements.get(style_id), "w:pPr")).list_id

    def _resolve(self, style_id: str) -> Style:
        level: int | None = None
        kind = BlockKind.PARAGRAPH
        is_contents = False
        list_id, list_level = "", None
        indent = Indent()
        for element in self._ancestry(style_id):
            name = _style_name(element)
            properties = find_child(element, "w:pPr")
            level = _level(name, properties) if level is None else level
            kind = _KINDS.get(name, kind) if kind is BlockKind.PARAGRAPH else kind
            is_contents = is_contents or _CONTENTS.fullmatch(name) is not None
            place = list_place(properties)
            list_id = list_id or place.list_id
            list_level = place.level if list_level is None else list_level
            indent = indent.over(indent_of(properties))
        return Style(
            style_id=style_id,
            level=None if level == _BODY_LEVEL + 1 else level,
            kind=kind,
            is_contents=is_contents,
            place=ListPlace(list_id, list_level),
            indent=indent,
        )

    def _ancestry(self, style_id: str) -> Iterator[Element]:
        for _ in range(_MAX_INHERITANCE):
            element = self._elements.get(style_id)
            if element is None:
                return
            yield element
            style_id = value_of(element, "w:basedOn")


def _style_name(element: Element) -> str:
    return unicodedata.normalize("NFKC", value_of(element, "w:name")).casefold().strip()


def _level(name: str, properties: Element | None) -> int | None:
    """The level that one style states itself; 10 says body text."""
    stated = outline_level(properties)
    if stated is not None:
        return stated
    if name in _TITLE:
        return TITLE_LEVEL
    heading = _HEADING.fullmatch(name)
    return int(heading[1]) if heading else None


def outline_level(properties: Element | None) -> int | None:
    """The outline level that paragraph properties state: 1 to 9, 10 for body text."""
    value = value_of(properties, "w:outlineLvl")
    return bounded_int(value, 0, _BODY_LEVEL) + 1 if value else None


def list_place(properties: Element | None) -> ListPlace:
    """The place in a list that paragraph properties state."""
    numbering = find_child(properties, "w:numPr")
    if numbering is None:
        return ListPlace()
    level = value_of(numbering, "w:ilvl")
    return ListPlace(value_of(numbering, "w:numId"), bounded_int(level, 0, 8) if level else None)


def indent_of(properties: Element | None) -> Indent:
    """The indent that paragraph properties state."""
    element = find_child(properties, "w:ind")
    if element is None:
        return Indent()
    left = _twips(element, "w:left", "w:start")
    hanging = _twips(element, "w:hanging")
    return Indent(left, _twips(element, "w:firstLine") if hanging is None else -hanging)


def bounded_int(text: str, least: int, most: int) -> int:
    """The number a text states, within bounds; the least one when it states none."""
    is_number = text.isdecimal() and len(text) < 12
    return max(least, min(int(text), most)) if is_number else least


def _twips(element: Element, *names: str) -> int | None:
    for name in names:
        match = re.match(r"-?\d{1,6}(?!\d)", element.get(name, ""))
        if match:
            return int(match[0])
    return None
