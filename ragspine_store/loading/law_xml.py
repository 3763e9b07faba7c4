"""Japanese statutes in e-Gov's law XML, bare or in the answer of its API."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element

from ragspine_store.errors import LoadError
from ragspine_store.loading.encoding import decode
from ragspine_store.loading.japanese import Rank
from ragspine_store.loading.outline import BlockDraft
from ragspine_store.loading.rendering import Rendering
from ragspine_store.loading.safe_xml import XmlRefusedError, parse_tree
from ragspine_store.loading.tables import Cell, render_table
from ragspine_store.records import BlockKind, LoadedDocument

MAX_BYTES = 100 * 2**20

_GROUPS = {
    "Part": Rank.PART,
    "Chapter": Rank.CHAPTER,
    "Section": Rank.SECTION,
    "Subsection": Rank.SUBSECTION,
    "Division": Rank.DIVISION,
}
# What to call an appendix that has no title of its own.
_APPENDICES = {
    "AppdxTable": "別表",
    "AppdxNote": "別記",
    "AppdxStyle": "様式",
    "AppdxFormat": "書式",
    "AppdxFig": "別図",
    "Appdx": "付録",
    "SupplProvisionAppdxTable": "別表",
    "SupplProvisionAppdxStyle": "様式",
    "SupplProvisionAppdx": "付録",
}
_SENTENCES = ("Sentence", "Column")
_ITEM = re.compile(r"Paragraph|Class|Item|Subitem\d+|List|Sublist\d+")
_STRUCTURE = re.compile(
    rf"{_ITEM.pattern}|Sentence|Column|Article|SupplProvision|TableStruct|Table|NewProvision"
    rf"|{'|'.join((*_GROUPS, *_APPENDICES))}"
)
# From 2: the first paragraph never has a number.
_CIRCLED = {str(number): char for number, char in enumerate("②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳", 2)}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
# Files of e-Gov's bulk download: law id, day in force, law id of the amendment.
_FILE_NAME = re.compile(r"\d{3}[0-9A-Z]{12}_(\d{4})(\d{2})(\d{2})_")
_LINE_END = re.compile(r"[ \t\r]*\n\s*")


class LawXmlLoader:
    """Reads law XML: its groups, articles, supplementary provisions and appendices are sections.

    項, 号 and all below are items; the table of contents and the readings of ruby are left out.
    """

    suffixes = (".xml",)

    def load(self, data: bytes, *, name: str) -> LoadedDocument:
        """Load one file; see `Loader.load`."""
        if len(data) > MAX_BYTES:
            raise LoadError(
                f"{name} is larger than {MAX_BYTES // 2**20} MiB; expected one statute: "
                "leave it out"
            )
        raw = decode(data, name=name)
        try:
            root = parse_tree(raw.encode(), encoding="utf-8")
        except XmlRefusedError as error:
            raise LoadError(
                f"{name} holds {error}; expected law XML as e-Gov publishes it: "
                "download it again, or leave it out"
            ) from None
        law = _get_law(root, name)
        rendering = Rendering(name=name)
        title = _text(law.find("LawBody/LawTitle"))
        rendering.add_heading(title, level=1)
        reader = _LawReader(rendering, name)
        reader.read(child for child in law if child.tag != "LawBody")
        reader.read(child for body in law.findall("LawBody") for child in body)
        return rendering.finish(title=title, stated=_stated(root, law, name), full_text=raw)


def _get_law(root: Element, name: str) -> Element:
    laws = list(root.iter("Law"))
    if len(laws) != 1:
        raise LoadError(
            f"{name} is XML with {len(laws)} Law elements; expected law XML as e-Gov publishes it, "
            "one whole statute a file: convert other XML to HTML or Markdown"
        )
    return laws[0]


def _stated(root: Element, law: Element, name: str) -> dict[str, str]:
    """The language, and the day the text is in force, where the API or the file name tells it."""
    stated = {"language": law.get("Lang", "ja")}
    for element in root.iter("amendment_enforcement_date"):
        if _DATE.fullmatch(day := _text(element)):
            return {**stated, "valid_as_of": day}
    if match := _FILE_NAME.match(name):
        stated["valid_as_of"] = "-".join(match.groups())
    return stated


class _LawReader:
    """Reads the elements of one law into a rendering, in document order."""

    def __init__(self, rendering: Rendering, name: str) -> None:
        self._rendering = rendering
        self._name = name

    def read(self, elements: Iterable[Element], item: BlockDraft | None = None) -> None:
        """Read elements that stand beside each other; `item` holds them."""
        sentences: list[Element] = []
        for element in elements:
            if element.tag in _SENTENCES:
                sentences.append(element)
                continue
            self._add_paragraph(_joined(sentences), item)
            sentences = []
            self._read_element(element, item)
        self._add_paragraph(_joined(sentences), item)

    def _read_element(self, element: Element, item: BlockDraft | None) -> None:
        tag = element.tag
        match tag:
            case "TOC" | "LawTitle":
                pass
            case "Article":
                self._read_section(element, ("ArticleTitle", "ArticleCaption"), Rank.ARTICLE)
            case "SupplProvision":
                self._rendering.add_heading(_supplement_heading(element), rank=Rank.OUTERMOST)
                self.read(_without(element, "SupplProvisionLabel"))
            case "TableStruct" | "Table":
                self._read_table(element, item)
            case "NewProvision":
                self._add(BlockKind.QUOTE, self._flat(element), item)
            case _ if tag in _GROUPS:
                self._read_section(element, (f"{tag}Title",), _GROUPS[tag])
            case _ if tag in _APPENDICES:
                self._read_appendix(element)
            case _ if _ITEM.fullmatch(tag):
                self._read_item(element, item)
            case _ if _has_structure(element):
                self.read(element, item)
            case _:
                self._add_paragraph(_text(element), item)

    def _read_section(self, element: Element, titles: Sequence[str], rank: Rank) -> None:
        heading = "".join(_text(element.find(title)) for title in titles)
        self._rendering.add_heading(heading, rank=rank)
        self.read(_without(element, *titles))

    def _read_appendix(self, element: Element) -> None:
        tag = element.tag
        titles = (f"{tag}Title", "ArithFormulaNum", "RelatedArticleNum")
        heading = "".join(_text(element.find(title)) for title in titles) or _APPENDICES[tag]
        # An appendix of a supplementary provision stays inside of it.
        rank = Rank.PART if tag.startswith("SupplProvision") else Rank.OUTERMOST
        self._rendering.add_heading(heading, rank=rank)
        self.read(_without(element, *titles))

    def _read_item(self, element: Element, item: BlockDraft | None) -> None:
        tag = element.tag
        number = "ParagraphNum" if tag == "Paragraph" else f"{tag}Title"
        own = (f"{tag}Caption", number, f"{tag}Sentence")
        label = _text(element.find(number)) or _unwritten_number(element)
        sentence = "\u3000".join(_joined(found) for found in element.findall(own[2]))
        lines = (_text(element.find(own[0])), "\u3000".join(filter(None, (label, sentence))))
        inner = self._add(BlockKind.ITEM, "\n".join(filter(None, lines)), item, label) or item
        self.read(_without(element, *own), inner)

    def _read_table(self, struct: Element, item: BlockDraft | None) -> None:
        rows = [[self._cell(cell) for cell in row] for row in _rows(struct)]
        lines = (_text(struct.find("TableStructTitle")), render_table(rows, name=self._name))
        self._add(BlockKind.TABLE, "\n".join(filter(None, lines)), item)
        if struct.tag == "TableStruct":
            self.read(_without(struct, "TableStructTitle", "Table"), item)

    def _cell(self, cell: Element) -> Cell:
        is_plain = all(child.tag in _SENTENCES for child in cell)
        text = _joined(cell) if is_plain and len(cell) else self._flat(cell)
        return Cell(text, _span(cell, "rowspan"), _span(cell, "colspan"))

    def _flat(self, element: Element) -> str:
        """The lines of an element whose structure is not that of the law itself."""
        if not _has_structure(element):
            return _text(element)
        inner = Rendering(name=self._name)
        _LawReader(inner, self._name).read(element)
        return inner.text.replace("\n\n", "\n")

    def _add_paragraph(self, text: str, item: BlockDraft | None) -> None:
        self._add(BlockKind.PARAGRAPH, text, item)

    def _add(
        self, kind: BlockKind, text: str, item: BlockDraft | None, label: str = ""
    ) -> BlockDraft | None:
        return self._rendering.add_block(kind, text, parent=item, label=label) if text else None


def _unwritten_number(paragraph: Element) -> str:
    """The circled number of a paragraph that old laws leave without one, as e-Gov shows it.

    >>> _unwritten_number(Element("Paragraph", Num="2"))
    '②'
    """
    return _CIRCLED.get(paragraph.get("Num", ""), "") if paragraph.tag == "Paragraph" else ""


def _supplement_heading(element: Element) -> str:
    parts = [_text(element.find("SupplProvisionLabel")) or "附則"]
    if amendment := element.get("AmendLawNum"):
        parts.append(f"（{amendment}）")
    if element.get("Extract") == "true":
        parts.append("抄")
    return "\u3000".join(parts)


def _without(element: Element, *tags: str) -> list[Element]:
    return [child for child in element if child.tag not in tags]


def _has_structure(element: Element) -> bool:
    """Whether there are blocks inside, and no text of its own beside them."""
    has_own_text = any(part and part.strip() for part in (element.text, *_tails(element)))
    return not has_own_text and any(
        _STRUCTURE.fullmatch(inner.tag) for inner in element.iter() if inner is not element
    )


def _tails(element: Element) -> list[str | None]:
    return [child.tail for child in element]


def _rows(struct: Element) -> list[Element]:
    tables = [struct] if struct.tag == "Table" else struct.findall("Table")
    return [row for table in tables for row in table]


def _span(cell: Element, name: str) -> int:
    value = cell.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 6 else 1


def _joined(sentences: Iterable[Element]) -> str:
    """Sentences follow each other directly, as a proviso does; columns are set apart."""
    text = ""
    for sentence in sentences:
        part = _joined(sentence) if sentence.tag == "Column" and len(sentence) else _text(sentence)
        gap = "\u3000" if sentence.tag == "Column" and text else ""
        text += gap + part
    return text


def _text(element: Element | None) -> str:
    """The text inside an element as one line, the base of ruby without its reading."""
    if element is None:
        return ""
    return _LINE_END.sub("", "".join(_pieces(element))).strip(" \t")


def _pieces(element: Element) -> Iterable[str]:
    yield element.text or ""
    for child in element:
        if child.tag != "Rt":
            yield from _pieces(child)
        yield child.tail or ""
