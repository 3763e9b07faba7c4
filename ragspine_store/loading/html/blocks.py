"""From the elements of a page to headings and blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragspine_store.loading.canonical import canonicalise
from ragspine_store.loading.english import clause_rank
from ragspine_store.loading.html.elements import HtmlElement
from ragspine_store.loading.html.inline import InlineText, collapse
from ragspine_store.loading.html.numbering import ListNumbering
from ragspine_store.loading.japanese import rank_of
from ragspine_store.loading.markers import parse_marker
from ragspine_store.loading.outline import BlockDraft
from ragspine_store.loading.plain_text import outline_of_plain_text
from ragspine_store.loading.rendering import Rendering
from ragspine_store.loading.tables import Cell, render_table
from ragspine_store.records import BlockKind

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_PREFORMATTED = frozenset(("pre", "listing", "xmp"))
_MOSTLY = 0.9
_LISTS = frozenset(("ul", "ol", "menu", "dir"))
_BLOCK = re.compile(
    "address|article|aside|blockquote|body|caption|center|dd|details|dialog|div|dl|dt|fieldset"
    "|figcaption|figure|footer|form|header|hgroup|hr|html|legend|main|nav|p|search|section|summary"
    "|table|tbody|td|textarea|tfoot|th|thead|tr"
)
_TABLE_PARTS = frozenset(("thead", "tbody", "tfoot"))
_CELLS = frozenset(("td", "th"))
_MAX_SPAN = 65_534  # of HTML


@dataclass(slots=True)
class _OpenItem:
    """An item of a list; its draft is made with its first text.

    Attributes:
        outer: the item that holds it.
        label: its marker.
        lead: what stands before its first text: the marker, or the term that is defined.
    """

    outer: BlockDraft | None
    label: str = ""
    lead: str = ""
    draft: BlockDraft | None = None


def read_blocks(element: HtmlElement, rendering: Rendering, *, name: str) -> None:
    """Write what an element shows into a rendering.

    Args:
        element: the body, or any part of a page.
        rendering: receives headings and blocks.
        name: the file's name, as errors show it.
    """
    walk = _Walk(rendering, name, is_typed=_is_typed(element))
    walk.read(element)
    walk.flush()


def _is_typed(page: HtmlElement) -> bool:
    """Whether a page is plain text in `pre`, with headings as people type them."""
    typed = "\n".join(
        "".join(_strings(element)) for element in page.iter() if element.tag in _PREFORMATTED
    )
    if len(typed) <= _MOSTLY * len("".join(_strings(page))):
        return False
    return len(outline_of_plain_text(canonicalise(typed)[0]).sections) > 1


class _Walk:
    """One pass over elements; a flat one makes the lines of a single block."""

    def __init__(
        self, rendering: Rendering, name: str, *, is_flat: bool = False, is_typed: bool = False
    ) -> None:
        self._rendering = rendering
        self._name = name
        self._is_flat = is_flat
        self._is_typed = is_typed
        self._inline = InlineText()
        self._items: list[_OpenItem] = []

    def read(self, element: HtmlElement) -> None:
        for child in element.children:
            if isinstance(child, str):
                self._inline.add(child)
            else:
                self._read_element(child)

    def flush(self) -> None:
        """End the paragraph that is open."""
        text = self._inline.take()
        if not text:
            return
        if not self._items:
            self._rendering.add_prose(text)
            return
        item = self._items[-1]
        if item.draft is not None:
            self._rendering.add_block(BlockKind.PARAGRAPH, text, parent=item.draft)
            return
        marker = None if item.lead else parse_marker(text)
        label = item.label or (marker.label if marker else "")
        item.draft = self._rendering.add_block(
            BlockKind.ITEM, item.lead + text, parent=item.outer, label=label
        )

    def _read_element(self, element: HtmlElement) -> None:
        match element.tag:
            case "br":
                self._inline.add_break()
            case "sup" if _is_reference(element):
                self._inline.add(f"[{_text(element)}]")
            case tag if tag in _PREFORMATTED:
                self._read_preformatted("".join(_strings(element)))
            case "li":
                self._read_list(HtmlElement("ul", children=[element]))
            case "dl" if not self._is_flat:
                self._read_definitions(element)
            case "table" if _is_data(element):
                self._add(BlockKind.TABLE, self._table(element))
            case "blockquote" if not (self._is_flat or _holds(element, _HEADINGS)):
                self._add(BlockKind.QUOTE, self._flat(element))
            case tag if tag in _HEADINGS:
                self._read_heading(element)
            case tag if tag in _LISTS:
                self._read_list(element)
            case tag if _BLOCK.fullmatch(tag):
                self.flush()
                self.read(element)
                self.flush()
            case _:
                self.read(element)

    def _read_preformatted(self, text: str) -> None:
        if self._is_typed:
            self.flush()
            self._rendering.add_prose(text)
        else:
            self._add(BlockKind.CODE, text)

    def _read_heading(self, element: HtmlElement) -> None:
        self.flush()
        self.read(element)
        if self._items:
            self.flush()
            return
        shown = self._inline.take().replace("\n", " ")
        level, rank = int(element.tag[1]), rank_of(shown)
        if rank is None:
            english = clause_rank(shown)
            self._rendering.add_heading(shown, level=level, rank=english, is_loose=True)
        else:
            self._rendering.add_heading(shown, level=level, rank=rank)

    def _read_list(self, element: HtmlElement) -> None:
        self.flush()
        numbering = ListNumbering(element)
        outer = self._holder()
        last: _OpenItem | None = None
        for child in element.children:
            if isinstance(child, str):
                self._inline.add(child)
            elif child.tag == "li":
                label = numbering.next_label(child)
                last = _OpenItem(outer, label, f"{label} " if label else "")
                self._read_item(last, child)
            elif last is not None:
                # What old editors write between items belongs to the item before.
                self._read_item(last, HtmlElement("div", children=[child]))
            else:
                self._read_element(child)
        self.flush()

    def _read_item(self, item: _OpenItem, element: HtmlElement) -> None:
        self.flush()
        self._items.append(item)
        self.read(element)
        self.flush()
        self._items.pop()

    def _read_definitions(self, element: HtmlElement) -> None:
        """A term, or several, and what is said of them are one item."""
        self.flush()
        outer = self._holder()
        item = _OpenItem(outer)
        for child in _definition_parts(element):
            if child.tag != "dt":
                self._read_item(item, child)
                continue
            if item.draft is not None:
                item = _OpenItem(outer)
            if term := self._flat(child):
                item.lead += f"{term}\n"
        self._draft_of(item)

    def _holder(self) -> BlockDraft | None:
        """What holds the next block: the innermost item, or the one around it."""
        if not self._items:
            return None
        item = self._items[-1]
        return self._draft_of(item) or item.outer

    def _draft_of(self, item: _OpenItem) -> BlockDraft | None:
        """The draft of an item, made now of its lead alone if no text has come."""
        if item.draft is None and item.lead:
            item.draft = self._rendering.add_block(
                BlockKind.ITEM, item.lead, parent=item.outer, label=item.label
            )
        return item.draft

    def _add(self, kind: BlockKind, text: str) -> None:
        self.flush()
        if text.strip():
            self._rendering.add_block(kind, text, parent=self._holder())

    def _table(self, element: HtmlElement) -> str:
        captions = [self._flat(part) for part in element.elements() if part.tag == "caption"]
        rows = [
            [self._cell(cell) for cell in row.elements() if cell.tag in _CELLS]
            for row in _rows(element)
        ]
        return "\n".join(filter(None, (*captions, render_table(rows, name=self._name))))

    def _cell(self, cell: HtmlElement) -> Cell:
        return Cell(self._flat(cell), _span(cell, "rowspan"), _span(cell, "colspan"))

    def _flat(self, element: HtmlElement) -> str:
        """The lines of an element that is shown as one block."""
        if not any(True for _ in element.elements()):
            return _text(element)
        inner = Rendering(name=self._name)
        walk = _Walk(inner, self._name, is_flat=True)
        walk.read(element)
        walk.flush()
        return re.sub(r"\n\n+", "\n", inner.text)


def _is_data(table: HtmlElement) -> bool:
    """Whether a table holds rows of data rather than the layout of a page."""
    cells = [cell for row in _rows(table) for cell in row.elements() if cell.tag in _CELLS]
    return (
        len(cells) > 1
        and table.attributes.get("role", "") not in ("presentation", "none")
        and not any(_holds(cell, _HEADINGS | {"table"}) for cell in cells)
    )


def _rows(table: HtmlElement) -> Iterator[HtmlElement]:
    for part in table.elements():
        if part.tag in _TABLE_PARTS:
            yield from (row for row in part.elements() if row.tag == "tr")


def _definition_parts(definitions: HtmlElement) -> Iterator[HtmlElement]:
    for child in definitions.children:
        if isinstance(child, str):
            yield HtmlElement("dd", children=[child])
        elif child.tag == "div":
            yield from _definition_parts(child)
        else:
            yield child


def _holds(element: HtmlElement, tags: frozenset[str]) -> bool:
    return any(inner.tag in tags for inner in element.iter() if inner is not element)


def _is_reference(element: HtmlElement) -> bool:
    """Whether a raised number leads to a footnote, rather than being a power."""
    return _text(element).isdigit() and any(
        inner.attributes.get("href", "").startswith("#") for inner in element.iter()
    )


def _span(cell: HtmlElement, name: str) -> int:
    value = cell.attributes.get(name, "").strip()
    if not value.isascii() or not value.isdigit() or len(value) > 9:
        return 1
    return min(int(value) or (_MAX_SPAN if name == "rowspan" else 1), _MAX_SPAN)


def _text(element: HtmlElement) -> str:
    return collapse("".join(_strings(element)))


def _strings(element: HtmlElement) -> Iterator[str]:
    for child in element.children:
        if isinstance(child, str):
            yield child
        elif child.tag == "br":
            yield "\n"
        else:
            yield from _strings(child)
