"""What every loader promises: a whole outline, no text lost, one clear error for what is no file.

A new loader gives a sample; everything below then holds for it too.
"""

from __future__ import annotations

import io
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from ragspine_store.errors import LoadError
from ragspine_store.loading import Loader, load_document, loader_for, registry
from ragspine_store.records import BlockKind, LoadedDocument, Span

DATA = Path(__file__).parents[1] / "data"


class Sample(NamedTuple):
    """A file, and the words that its reader sees, each once."""

    name: str
    data: bytes
    words: tuple[str, ...]


WORDS = ("総則", "目的", "定める", "通勤手当", "20,000円", "昼食手当", "附記")

MARKDOWN = """# 就業規則

## 第1章 総則

第1条（目的）　この規則を定める。

1. 通勤手当
   - 20,000円

| 昼食手当 | 有 |
|---|---|

> 附記
"""

HTML = """<title>規則</title><h1>就業規則</h1><h2>第1章 総則</h2>
<p>第1条（目的）　この規則を定める。</p>
<ol><li>通勤手当<ul><li>20,000円</ul></ol><table><tr><td>昼食手当<td>有</table>
<blockquote>附記</blockquote>"""

PLAIN = """第1章　総則

（目的）
第1条　この規則を定める。
２　手当は次のとおりとする。
（１）通勤手当　20,000円
（２）昼食手当

附記"""

LAW = """<Law Lang="ja"><LawNum>令和六年法律第一号</LawNum><LawBody><LawTitle>見本法</LawTitle>
<MainProvision><Chapter><ChapterTitle>第一章　総則</ChapterTitle><Article>
<ArticleCaption>（目的）</ArticleCaption><ArticleTitle>第一条</ArticleTitle>
<Paragraph><ParagraphNum/><ParagraphSentence><Sentence>次を定める。</Sentence></ParagraphSentence>
<Item><ItemTitle>一</ItemTitle><ItemSentence><Column>通勤手当</Column><Column>20,000円</Column>
</ItemSentence></Item><TableStruct><Table><TableRow><TableColumn>昼食手当</TableColumn></TableRow>
</Table></TableStruct></Paragraph></Article></Chapter></MainProvision>
<AppdxNote><AppdxNoteTitle>附記</AppdxNoteTitle></AppdxNote></LawBody></Law>"""

TABLE = (("総則", "目的"), ("定める", "通勤手当"), ("20,000円", "昼食手当"), ("附記", ""))


def workbook() -> bytes:
    book = Workbook()
    for row in TABLE:
        book.worksheets[0].append(list(row))
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


CODE = '''"""総則"""

class 目的:
    """定める"""

    def 通勤手当(self):
        return "20,000円"

def 昼食手当():
    return "附記"
'''

SAMPLES = (
    Sample("規則.md", MARKDOWN.encode(), WORDS),
    Sample("規則.txt", PLAIN.encode(), WORDS),
    Sample("規則.py", CODE.encode(), WORDS),
    Sample("規則.html", HTML.encode(), WORDS),
    Sample("規則.xml", LAW.encode(), WORDS),
    Sample("規則.tsv", "\n".join(map("\t".join, TABLE)).encode(), WORDS),
    Sample("規則.xlsx", workbook(), WORDS),
    Sample("就業規則.docx", (DATA / "就業規則.docx").read_bytes(), ()),
    Sample("就業規則.pdf", (DATA / "就業規則.pdf").read_bytes(), ()),
)
SAMPLE = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: Path(sample.name).suffix)


def load(sample: Sample) -> LoadedDocument:
    return load_document(sample.data, name=sample.name)


def shown(text: str) -> str:
    return "".join(text.split())


def test_every_loader_has_a_sample() -> None:
    sampled = {type(loader_for(sample.name)) for sample in SAMPLES}
    assert {type(loader) for loader in registry._own_loaders()} <= sampled


@SAMPLE
def test_sections_partition_the_text(sample: Sample) -> None:
    document = load(sample)
    sections = document.outline.sections
    assert sections[0].span == Span(0, len(document.text))
    assert sections[0].heading == document.title
    assert [section.no for section in sections] == list(range(len(sections)))
    for before, after in pairwise(sections):
        assert before.own_end == after.span.start
    for section in sections[1:]:
        above = sections[section.parent or 0]
        assert section.level == above.level + 1
        assert above.span.contains(section.span)
        assert section.heading.strip() == section.heading != ""
        assert "\n" not in section.heading
    assert sections[-1].own_end == len(document.text)


@SAMPLE
def test_blocks_are_disjoint_in_order_and_inside_their_section(sample: Sample) -> None:
    document = load(sample)
    blocks, sections = document.outline.blocks, document.outline.sections
    for before, after in pairwise(blocks):
        assert before.span.end <= after.span.start
        assert before.section <= after.section
    for block in blocks:
        text = document.text[block.span.start : block.span.end]
        assert text.strip() == text != ""
        assert sections[block.section].own.contains(block.span)
        assert block.label in text


@SAMPLE
def test_blocks_hang_in_items_above_them(sample: Sample) -> None:
    blocks = load(sample).outline.blocks
    for at, block in enumerate(blocks):
        is_item = block.kind is BlockKind.ITEM
        if block.parent is None:
            assert block.depth == is_item
            continue
        above = blocks[block.parent]
        assert block.parent < at
        assert above.kind is BlockKind.ITEM
        assert above.section == block.section
        assert block.depth == above.depth + is_item


@SAMPLE
def test_headings_and_blocks_cover_all_text(sample: Sample) -> None:
    document = load(sample)
    for section in document.outline.sections:
        spans = [b.span for b in document.outline.blocks if b.section == section.no]
        borders = [section.span.start, *(at for span in spans for at in span), section.own_end]
        gaps = [shown(document.text[a:b]) for a, b in zip(borders[::2], borders[1::2], strict=True)]
        assert not any(gaps[1:])
        if section.no == 0:
            assert gaps == [""] * len(gaps)
        else:
            # Code shows no heading of its own: the line that opens a class heads it.
            is_code = document.outline.blocks[0].kind is BlockKind.CODE
            standing = shown(document.text[slice(*section.own)]) if is_code else gaps[0]
            assert Counter(shown(section.heading)) <= Counter(standing)


@SAMPLE
def test_every_word_is_there_once(sample: Sample) -> None:
    text = shown(load(sample).text)
    found = {word: text.count(word) for word in sample.words}
    header = {word for word in TABLE[0] if sample.name.endswith((".tsv", ".xlsx"))}
    # The names of columns are repeated with each of their values.
    assert {word for word, count in found.items() if count != 1 and word not in header} == set()
    assert all(found.values())


@SAMPLE
def test_the_same_bytes_give_the_same_document(sample: Sample) -> None:
    assert load(sample) == load(sample)


@SAMPLE
def test_pages_start_in_order_inside_the_text(sample: Sample) -> None:
    document = load(sample)
    assert list(document.pages) == sorted(document.pages)
    if document.pages:
        assert document.pages[0] == 0
        assert document.pages[-1] <= len(document.text)


@SAMPLE
def test_what_is_screened_holds_all_words(sample: Sample) -> None:
    full_text = load(sample).full_text
    assert all(word in full_text for word in sample.words)


@SAMPLE
def test_the_way_back_to_the_file_is_exact_where_there_is_one(sample: Sample) -> None:
    document = load(sample)
    if document.offsets is None:
        return
    for block in document.outline.blocks:
        raw = document.offsets.raw_span(block.span)
        text = document.text[block.span.start : block.span.end]
        assert document.full_text[raw.start : raw.end] == text


def damage(data: bytes, seed: int) -> bytes:
    """The bytes with a part cut out, doubled or overwritten."""
    chance = random.Random(seed)
    start = chance.randrange(len(data) + 1)
    end = min(len(data), start + chance.choice((1, 4, 64, len(data))))
    noise = chance.randbytes(end - start)
    middle = chance.choice((b"", data[start:end] * 2, noise, b"\0", b"<!DOCTYPE x>"))
    return data[:start] + middle + data[end:]


def is_refused_in_one_line(loader: Loader, data: bytes) -> None:
    """Load bytes that may be anything: what comes is a document or one clear error."""
    try:
        document = loader.load(data, name="a file")
    except LoadError as error:
        message = str(error)
        assert message.startswith("a file ")
        assert "\n" not in message
        assert "手当" not in message
    else:
        assert document.text.strip()


@SAMPLE
@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_a_damaged_file_is_a_document_or_one_clear_error(sample: Sample, seed: int) -> None:
    is_refused_in_one_line(loader_for(sample.name), damage(sample.data, seed))


@SAMPLE
@settings(deadline=None, max_examples=60)
@given(data=st.binary(max_size=200))
def test_any_bytes_are_a_document_or_one_clear_error(sample: Sample, data: bytes) -> None:
    is_refused_in_one_line(loader_for(sample.name), data)


@SAMPLE
@pytest.mark.parametrize("parts", [0, 1, 3])
def test_a_file_that_was_cut_off_is_a_document_or_one_clear_error(
    sample: Sample, parts: int
) -> None:
    is_refused_in_one_line(loader_for(sample.name), sample.data[: len(sample.data) * parts // 4])
