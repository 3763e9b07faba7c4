"""No word is lost: each loader beside an extractor that shares no code with it.

The extractors know nothing of structure. Each prints its coverage: `pytest -rP` shows it.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from openpyxl import load_workbook

from benchmarks.law_xml_coverage import characters, expected, found, words
from ragspine_store.loading import load_document
from tests.mixed_files import xlsx

DATA = Path(__file__).parents[1] / "data"
HANDBOOK = (DATA.parents[1] / "examples/sample/handbook/就業規則.md").read_text(encoding="utf-8")
MARKDOWN = re.sub(r"\A---\n.*?\n---\n|<!--.*?-->", "", HANDBOOK, flags=re.DOTALL)
PAGE = MarkdownIt("commonmark").enable("table").render(MARKDOWN)
PLAIN = re.sub(r"^(?:#+|\|[-|]+\|$)", "", MARKDOWN, flags=re.MULTILINE)
TABLE = '名前,金額,備考\n通勤手当,"20,000","上限\nあり"\n昼食手当,10000,\n'
CODE = (DATA.parents[1] / "examples/demo.py").read_text(encoding="utf-8")

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


class _Shown(HTMLParser):
    """The text of a page, tags left out."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def text_of_html(data: bytes) -> str:
    parser = _Shown()
    parser.feed(data.decode())
    return " ".join(parser.texts)


def text_of_markdown(_: bytes) -> str:
    return text_of_html(PAGE.encode())


def text_of_docx(data: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        document = ElementTree.fromstring(package.read("word/document.xml"))
    return "\n".join(
        "".join(text.text or "" for text in paragraph.iter(f"{_W}t"))
        for paragraph in document.iter(f"{_W}p")
    )


def text_of_pdf(data: bytes) -> str:
    document = pypdfium2.PdfDocument(data)
    try:
        pages = [document[number] for number in range(len(document))]
        return "\n".join(page.get_textpage().get_text_bounded() for page in pages)
    finally:
        document.close()


def text_of_xlsx(data: bytes) -> str:
    rows = (row for sheet in load_workbook(io.BytesIO(data)) for row in sheet.values)
    return " ".join(cell for row in rows for cell in row if isinstance(cell, str))


def text_of_csv(data: bytes) -> str:
    return " ".join(cell for row in csv.reader(io.StringIO(data.decode())) for cell in row)


FILES: tuple[tuple[str, bytes, Callable[[bytes], str]], ...] = (
    ("就業規則.md", HANDBOOK.encode(), text_of_markdown),
    ("就業規則.txt", PLAIN.encode(), bytes.decode),
    ("就業規則.html", PAGE.encode(), text_of_html),
    ("就業規則.docx", (DATA / "就業規則.docx").read_bytes(), text_of_docx),
    ("就業規則.pdf", (DATA / "就業規則.pdf").read_bytes(), text_of_pdf),
    ("columns.pdf", (DATA / "pdf/columns.pdf").read_bytes(), text_of_pdf),
    ("table.pdf", (DATA / "pdf/table.pdf").read_bytes(), text_of_pdf),
    ("vertical.pdf", (DATA / "pdf/vertical.pdf").read_bytes(), text_of_pdf),
    ("手当.xlsx", xlsx("通勤手当"), text_of_xlsx),
    ("手当.csv", TABLE.encode(), text_of_csv),
    ("demo.py", CODE.encode(), bytes.decode),
)


# Running heads and page numbers, which are no content.
DROPPED = {"columns.pdf": "Employee Handbook " * 8 + "1 2 3 4 5 6 7 8"}


def words_of(text: str) -> Counter[str]:
    """Words of letters and digits; East Asian ones character by character."""
    plain = unicodedata.normalize("NFKC", text)
    # A word that a line end cuts with a hyphen is one word.
    return Counter(re.findall(r"[a-zA-Z0-9]+|\w", re.sub(r"(?<=[a-z])-\s+(?=[a-z])", "", plain)))


@pytest.mark.parametrize(("name", "data", "extract"), FILES, ids=[name for name, _, _ in FILES])
def test_no_word_that_an_independent_extractor_finds_is_lost(
    name: str, data: bytes, extract: Callable[[bytes], str]
) -> None:
    theirs, ours = words_of(extract(data)), words_of(load_document(data, name=name).text)
    lost = theirs - words_of(DROPPED.get(name, "")) - ours
    print(f"{name}: {1 - lost.total() / theirs.total():.2%} of {theirs.total():,} words")
    assert theirs.total() > 5
    assert lost == Counter()


@st.composite
def laws(draw: st.DrawFn) -> Element:
    """A statute: chapters, articles, paragraphs, items and items below them, each a few."""
    law = Element("Law")
    SubElement(law, "LawNum").text = "令和六年法律第一号"
    body = SubElement(law, "LawBody")
    SubElement(body, "LawTitle").text = "見本法"
    main = SubElement(body, "MainProvision")
    article_no = 0
    for chapter_no in range(1, draw(st.integers(1, 3)) + 1):
        chapter = SubElement(main, "Chapter")
        SubElement(chapter, "ChapterTitle").text = f"第{chapter_no}章　総則"
        for _ in range(draw(st.integers(1, 3))):
            article_no += 1
            article = SubElement(chapter, "Article")
            if draw(st.booleans()):
                SubElement(article, "ArticleCaption").text = "（目的）"
            SubElement(article, "ArticleTitle").text = f"第{article_no}条"
            for no in range(1, draw(st.integers(1, 3)) + 1):
                _add_paragraph(draw, article, no)
    for no in range(draw(st.integers(0, 2))):
        supplement = SubElement(body, "SupplProvision", AmendLawNum=f"令和{no}年法律第{no}号")
        SubElement(supplement, "SupplProvisionLabel").text = "附　則"
        _add_paragraph(draw, supplement, 1)
    return law


def _add_paragraph(draw: st.DrawFn, parent: Element, no: int) -> None:
    paragraph = SubElement(parent, "Paragraph")
    SubElement(paragraph, "ParagraphNum").text = "" if no == 1 else str(no)
    sentences = SubElement(paragraph, "ParagraphSentence")
    SubElement(sentences, "Sentence").text = draw(
        st.sampled_from(["次のとおりとする。", "定める。"])
    )
    holders = [(paragraph, "Item", 0)]
    labels = ("一二三", "イロハ", "ａｂｃ")
    while holders:
        holder, tag, depth = holders.pop()
        for label in labels[depth][: draw(st.integers(0, 3))]:
            item = SubElement(holder, tag)
            SubElement(item, f"{tag}Title").text = label
            SubElement(SubElement(item, f"{tag}Sentence"), "Sentence").text = "手当を支給する者"
            if depth < 2 and draw(st.booleans()):
                holders.append((item, f"Subitem{depth + 1}", depth + 1))


@given(laws())
def test_a_law_keeps_all_that_xpath_counts_and_every_character(law: Element) -> None:
    document = load_document(ElementTree.tostring(law, encoding="utf-8"), name="law.xml")
    assert found(document) == expected(law)
    assert len(law.findall(".//Article")) == found(document)["articles"] > 0
    theirs = characters("".join(words(law)))
    assert theirs - characters(document.text) == Counter()
