"""PDFs: small ones written here operator by operator, and some that LibreOffice made."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_store.errors import LoadError
from ragspine_store.loading.pdf import PdfLoader
from ragspine_store.loading.pdf.layers import Layer
from ragspine_store.loading.pdf.lines import Line
from ragspine_store.loading.pdf.paragraphs import typography_of
from ragspine_store.loading.pdf.running_heads import without_running_heads
from ragspine_store.records import BlockKind, LoadedDocument, Pages, pages_of

_MADE = Path(__file__).parents[1] / "data" / "pdf"


class Text(NamedTuple):
    """A text on a page, in Helvetica, or in a Japanese font that no viewer needs to have."""

    x: float
    y: float
    text: str
    size: float = 12
    is_bold: bool = False


def pdf(*pages: Sequence[Text], title: str = "", drawing: str = "") -> bytes:
    """A PDF of pages with texts."""
    japanese = 5 + 2 * len(pages)
    kids = " ".join(f"{5 + 2 * i} 0 R" for i in range(len(pages)))
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica{} /Encoding /WinAnsiEncoding >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        font.format(""),
        font.format("-Bold"),
    ]
    for i, texts in enumerate(pages):
        content = drawing + "".join(
            f"BT /F{_font(t)} {t.size} Tf {t.x} {t.y} Td {_shown(t.text)} Tj ET\n" for t in texts
        )
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"/Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 {japanese} 0 R >> >> "
            f"/Contents {6 + 2 * i} 0 R >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    objects += [
        "<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UCS2-H "
        f"/DescendantFonts [{japanese + 1} 0 R] >>",
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /DW 1000 /CIDSystemInfo "
        "<< /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> "
        f"/FontDescriptor {japanese + 2} 0 R >>",
        "<< /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 4 /FontBBox [0 -200 1000 900] "
        "/ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 700 /StemV 80 >>",
    ]
    objects.append(f"<< /Title ({_escaped(title)}) >>")
    written = "%PDF-1.7\n"
    offsets: list[int] = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    trailer = f"<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>"
    start = len(written)
    written += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n{trailer}\n"
    return f"{written}startxref\n{start}\n%%EOF".encode("cp1252")


def _font(text: Text) -> int:
    return 3 if not text.text.isascii() else 2 if text.is_bold else 1


def _shown(text: str) -> str:
    return f"({_escaped(text)})" if text.isascii() else f"<{text.encode('utf-16-be').hex()}>"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def paragraph(y: float, *lines: str, x: float = 72, size: float = 12) -> list[Text]:
    return [Text(x, y - 15 * i, line, size) for i, line in enumerate(lines)]


def load(data: bytes) -> LoadedDocument:
    return PdfLoader().load(data, name="rules.pdf")


def load_made(name: str) -> LoadedDocument:
    return PdfLoader().load((_MADE / name).read_bytes(), name=name)


def headings(document: LoadedDocument) -> list[tuple[int, str]]:
    return [(section.level, section.heading) for section in document.outline.sections[1:]]


def blocks(document: LoadedDocument) -> list[str]:
    return [document.text[b.span.start : b.span.end] for b in document.outline.blocks]


_LONG = "The quick brown fox jumps over the lazy dog and then comes back to sleep for a"
_NEXT = "long while in the shade of an old oak tree, where nobody will ever find it again"


def test_lines_of_a_paragraph_are_joined_and_hyphens_at_their_ends_go() -> None:
    body = paragraph(
        700,
        _LONG,
        "long while in the shade of a tree, where nobody would look for in-",
        "formation.",
    )
    assert blocks(load(pdf(body))) == [
        f"{_LONG} long while in the shade of a tree, where nobody would look for information."
    ]


def test_a_short_line_a_wide_gap_and_an_indent_end_a_paragraph() -> None:
    texts = [
        *paragraph(700, _LONG, "A short line."),
        *paragraph(670, _LONG, _NEXT),
        *paragraph(600, _NEXT, _LONG),
        Text(96, 570, "Indented, as a first line is."),
    ]
    assert blocks(load(pdf(texts))) == [
        f"{_LONG} A short line.",
        f"{_LONG} {_NEXT}",
        f"{_NEXT} {_LONG}",
        "Indented, as a first line is.",
    ]


def test_larger_and_bolder_lines_are_headings_by_their_size() -> None:
    texts = [
        Text(72, 780, "Rules", 24),
        Text(72, 740, "Scope", 16),
        *paragraph(700, _LONG, _NEXT),
        Text(72, 650, "Definitions", 12, is_bold=True),
        *paragraph(620, _LONG, _NEXT),
        Text(72, 570, "Final words", 16),
        *paragraph(540, _LONG, _NEXT),
    ]
    document = load(pdf(texts))
    assert headings(document) == [
        (1, "Rules"),
        (2, "Scope"),
        (3, "Definitions"),
        (2, "Final words"),
    ]
    assert document.title == "Rules"


def test_letters_set_larger_than_the_japanese_around_them_are_no_heading() -> None:
    texts = [
        Text(72, 780, "就業規則", 18),
        Text(72, 750, "手当は次のとおりとする。", 10.5),
        Text(72, 730, "(a)", 12),
        Text(90, 730, "通勤", 10.5),
        Text(72, 710, "(b)", 12),
        Text(90, 710, "昼食", 10.5),
        Text(72, 690, "ABC 20000", 12),
        Text(72, 660, "Annex", 16),
        Text(72, 640, "別紙のとおりとする。", 10.5),
    ]
    document = load(pdf(texts))
    assert headings(document) == [(1, "就業規則"), (2, "Annex")]
    assert blocks(document)[:4] == ["手当は次のとおりとする。", "(a) 通勤", "(b) 昼食", "ABC 20000"]


def test_a_paragraph_after_japanese_may_begin_with_a_small_letter() -> None:
    texts = [
        Text(72, 760, "会社は、連絡先を次のとおり台帳に載せて保管する。"),
        Text(72, 700, "対象は次のとおりとする"),
        Text(72, 685, "e-mail address"),
    ]
    assert blocks(load(pdf(texts)))[1:] == ["対象は次のとおりとする", "e-mail address"]


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [
        ("許可なく印刷物の掲示", "・配布をしない。", ["許可なく印刷物の掲示・配布をしない。"]),
        ("次に掲げる。", "・配布は禁止。", ["次に掲げる。", "・配布は禁止。"]),
        ("・通勤手当は", "・昼食手当は。", ["・通勤手当は", "・昼食手当は。"]),
    ],
    ids=["between nouns", "after a sentence", "below another item"],
)
def test_a_middle_dot_that_wrapping_put_first_opens_no_item(
    above: str, below: str, expected: list[str]
) -> None:
    assert blocks(load(pdf([Text(72, 700, above), Text(72, 685, below)]))) == expected


def test_a_raised_number_stays_in_its_sentence() -> None:
    texts = [
        Text(72, 700, "会社は手当を支給", 10.5),
        Text(156, 704.6, "1", 7),
        Text(161, 700, "する。", 10.5),
        Text(72, 300, "1", 8),
        Text(84, 300, "試用期間を除く。", 8),
    ]
    assert blocks(load(pdf(texts)))[0] == "会社は手当を支給1する。"


def test_a_large_sentence_and_a_bold_cell_are_no_headings() -> None:
    texts = [
        Text(72, 760, "This is said louder than the rest of it,", 16),
        *paragraph(700, _LONG, _NEXT),
        Text(72, 650, "Item", 12, is_bold=True),
        Text(250, 650, "Price", 12, is_bold=True),
        *paragraph(600, _LONG, _NEXT),
    ]
    assert headings(load(pdf(texts))) == []


def test_numbers_of_one_size_nest_by_their_dots() -> None:
    texts = [
        Text(72, 780, "1. Terms", 14),
        *paragraph(750, _LONG, _NEXT),
        Text(72, 700, "1.1 Words", 14),
        *paragraph(670, _LONG, _NEXT),
        Text(72, 620, "2. Fees", 14),
        *paragraph(590, _LONG, _NEXT),
    ]
    assert headings(load(pdf(texts))) == [(1, "1. Terms"), (2, "1.1 Words"), (1, "2. Fees")]


def test_items_in_one_place_nest_by_how_they_are_numbered() -> None:
    lines = (
        "1. Duties:",
        "(a) skill;",
        "(b) care, that is:",
        "(i) yours;",
        "(ii) mine.",
        "(c) law.",
    )
    texts = [Text(72, 700 - 15 * i, line) for i, line in enumerate((*lines, "2. Fees."))]
    blocks_found = load(pdf(texts)).outline.blocks
    assert [(block.label, block.depth) for block in blocks_found] == [
        ("1.", 1),
        ("(a)", 2),
        ("(b)", 2),
        ("(i)", 3),
        ("(ii)", 3),
        ("(c)", 2),
        ("2.", 1),
    ]


def test_items_nest_by_where_they_stand() -> None:
    texts = [
        Text(72, 700, "1."), Text(90, 700, "first item"),
        Text(90, 680, "-"), Text(108, 680, "inner item"),
        Text(108, 660, "More of the inner one"),
        Text(72, 640, "2."), Text(90, 640, "second item"),
        Text(72, 600, _LONG), Text(72, 585, _NEXT),
    ]  # fmt: skip
    document = load(pdf(texts))
    found = [(b.kind.name, b.depth, b.label, b.parent) for b in document.outline.blocks]
    assert found == [
        ("ITEM", 1, "1.", None),
        ("ITEM", 2, "-", 0),
        ("PARAGRAPH", 2, "", 1),
        ("ITEM", 1, "2.", None),
        ("PARAGRAPH", 0, "", None),
    ]


def test_a_heading_with_a_gap_above_items_is_no_table() -> None:
    lines = ("附　則", "１　この規程は、令和６年から施行する。", "２　旧規程は、これを廃止する。")
    texts = [Text(72, 700 - 15 * i, line) for i, line in enumerate(lines)]
    document = load(
        pdf([Text(72, 730, "会社は、別に定めるところにより旅費を支給することがある。"), *texts])
    )
    assert headings(document) == [(1, "附　則")]
    assert [block.label for block in document.outline.blocks] == ["", "１", "２"]


def test_cells_below_each_other_are_a_table() -> None:
    texts = [
        *paragraph(760, _LONG, _NEXT),
        *(Text(72, 700 - 20 * i, f"Grade {i}") for i in range(3)),
        *(Text(200, 700 - 20 * i, f"{i},000 yen") for i in range(3)),
        *paragraph(600, _LONG, _NEXT),
    ]
    document = load(pdf(texts))
    assert [block.kind for block in document.outline.blocks] == [
        BlockKind.PARAGRAPH, BlockKind.TABLE, BlockKind.PARAGRAPH,
    ]  # fmt: skip
    assert blocks(document)[1].split("\n") == [
        "| Grade 0 | 0,000 yen |", "| Grade 1 | 1,000 yen |", "| Grade 2 | 2,000 yen |",
    ]  # fmt: skip


def test_borders_part_cells_that_nearly_touch() -> None:
    rules = "".join(f"72 {y} m 300 {y} l S\n" for y in (715, 695, 675))
    rules += "".join(f"{x} 675 m {x} 715 l S\n" for x in (72, 108, 300))
    texts = [
        Text(75, 700, "Grade"), Text(110, 700, "Pay"),
        Text(75, 680, "First"), Text(110, 680, "1,000 yen"),
        *paragraph(600, _LONG, _NEXT),
    ]  # fmt: skip
    assert blocks(load(pdf(texts, drawing=rules)))[0] == "| Grade | Pay |\n| First | 1,000 yen |"


def test_running_heads_and_page_numbers_go_but_are_screened() -> None:
    pages = [
        [
            Text(72, 800, "Top secret handbook", 9),
            *paragraph(700, _LONG, f"Page {n} says {n}."),
            Text(290, 30, f"- {n} of 4 -", 9),
        ]
        for n in range(1, 5)
    ]
    document = load(pdf(*pages))
    assert "secret" not in document.text
    assert " of 4" not in document.text
    assert "Top secret handbook" in document.full_text
    assert all(f"Page {n} says {n}." in document.text for n in range(1, 5))


def test_a_dotless_i_is_no_roman_page_number() -> None:
    line = Line("ı", 72, 800, 80, 812, 802, 12, 0, 12, False, 0, 72, 8)
    (layer,) = without_running_heads([Layer(0, (line,), (), 0, 842)], typography_of([line]))
    assert layer.lines == (line,)


def test_lines_that_come_again_inside_of_text_stay() -> None:
    pages = [paragraph(810, "Signed by:", f"Person {n}", "Date:") for n in (7, 5, 6)]
    assert load(pdf(*pages)).text.count("Signed by:") == 3


def forms(count: int, title: str = "Certificate", size: float = 20) -> bytes:
    """Pages that all begin with the same line."""
    return pdf(
        *(
            [Text(72, 790, title, size), *paragraph(700, _LONG, f"Person {n * n + 5} is fit.")]
            for n in range(count)
        )
    )


@pytest.mark.parametrize("count", [3, 10])
def test_the_first_of_lines_that_look_like_a_heading_stays(count: int) -> None:
    document = load(forms(count))
    assert headings(document) == [(1, "Certificate")]
    assert document.text.count("Certificate") == 1
    assert headings(load(forms(count, "Chapter 2: Duties", 12))) == [(1, "Chapter 2: Duties")]
    assert "Rules of the house" not in load(forms(count, "Rules of the house", 12)).text


def test_two_pages_are_no_evidence_of_a_running_head() -> None:
    document = load(forms(2, "House rules of the company", 12))
    assert document.text.count("House rules of the company") == 2


def test_a_chapters_running_head_goes_where_its_heading_stands_in_the_text() -> None:
    pages = [
        [Text(72, 810, "2. Duties", 9), *paragraph(700 - 20 * n, _LONG, _NEXT)] for n in range(4)
    ]
    pages[0].insert(1, Text(72, 730, "2. Duties", 16, is_bold=True))
    document = load(pdf(*pages))
    assert headings(document) == [(1, "2. Duties")]
    assert document.text.count("Duties") == 1


def test_a_heading_that_opens_each_chapter_is_no_running_head() -> None:
    pages = [
        [*paragraph(790 - 7 * n, f"{_LONG} {n * n}"), *paragraph(700, _NEXT)] for n in range(24)
    ]
    for first in range(0, 24, 6):
        pages[first] = [Text(72, 790, "Summary", 20), *paragraph(700, _LONG)]
    assert headings(load(pdf(*pages))) == [(1, "Summary")] * 4


_PICTURE = "q 595 0 0 842 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G /F /AHx ID 80> EI Q\n"


def test_pages_that_look_scanned_are_named() -> None:
    pages: list[list[Text]] = [paragraph(700, f"{_LONG} {n * n}", _NEXT) for n in range(9)]
    for number in (2, 5, 6, 7):
        pages[number - 1] = []
    assert load(pdf(*pages)).notes == ()
    drawn = load(pdf(*pages, drawing=_PICTURE))
    assert drawn.notes == (
        "no text on pages 2 and 5-7, which may be scanned: recognise the text (OCR) and ingest "
        "the result",
    )


def test_a_scanned_page_with_a_number_alone_is_named() -> None:
    body = [paragraph(700, f"{_LONG} {n}", _NEXT) if n != 1 else [] for n in range(4)]
    pages = [[*texts, Text(290, 30, f"- {n} -", 9)] for n, texts in enumerate(body, 1)]
    assert load(pdf(*pages, drawing=_PICTURE)).notes[0].startswith("no text on page 2,")


def test_a_paragraph_goes_on_over_a_page_and_pages_say_where() -> None:
    document = load(pdf(paragraph(100, _LONG, _LONG), [], paragraph(780, "ends here.")))
    assert blocks(document) == [f"{_LONG} {_LONG} ends here."]
    ends = document.text.index("ends")
    assert document.pages == (0, ends, ends)
    assert pages_of(document.pages, document.outline.blocks[0].span) == Pages(1, 3)


@pytest.mark.parametrize(
    ("stated", "title"),
    [("House rules", "House rules"), ("Microsoft Word - rules.docx", ""), ("rules.docx", "")],
    ids=["words", "a program's", "a file name"],
)
def test_a_file_without_headings_has_its_stated_title(stated: str, title: str) -> None:
    document = load(pdf(paragraph(700, _LONG, _NEXT), title=stated))
    assert (document.title, document.outline.sections[0].heading) == (title, title)
    assert stated in document.full_text


def test_columns_are_read_one_after_the_other() -> None:
    document = load_made("columns.pdf")
    found = [heading for _, heading in headings(document)]
    assert found[0] == "Employee Handbook"
    assert found[1:] == [
        heading
        for n in range(1, 9)
        for heading in (f"{n}. Topic number {n}", f"{n}.1 Subtopic 1", f"{n}.2 Subtopic 2")
    ]
    assert all(f"Para {n}1 begins. The quick management of" in document.text for n in range(1, 9))


def test_vertical_japanese_reads_from_the_right() -> None:
    document = load_made("vertical.pdf")
    assert [h for _, h in headings(document)] == [f"第{n}条" for n in "一二三四五六七"]
    assert blocks(document)[0].startswith("従業員は、この規則を守り、誠実に職務を行わなければ")
    assert blocks(document)[0].endswith("休憩は1時間とする。")


def test_plain_articles_over_pages_keep_their_tree() -> None:
    document = load_made("running_heads.pdf")
    articles = [h for level, h in headings(document) if level == 2]
    assert articles == [f"第{n}条（目的その{n}）" for n in range(1, 21)]
    labels = [block.label for block in document.outline.blocks]
    assert labels == ["", "２", "（１）", "（２）", "（３）"] * 20
    assert "みなと" not in document.text


def test_a_table_with_borders_is_read_row_by_row_over_pages() -> None:
    rows = [line for line in load_made("table.pdf").text.split("\n") if line.startswith("| 区分")]
    assert rows[0] == "| 区分 | 日当 | 備考 |"
    assert [row.split(" | ")[1] for row in rows[1:]] == [f"{n},000円" for n in range(40)]


def test_a_file_that_only_restricts_printing_is_read() -> None:
    assert load_made("owner_only.pdf").text == load_made("table.pdf").text


@pytest.mark.parametrize(
    ("data", "remedy"),
    [
        ((_MADE / "encrypted.pdf").read_bytes(), "without a password"),
        (pdf([]), "OCR"),
        (b"%PDF-1.7 and nothing more", "open it in a PDF viewer"),
        (b"", "open it in a PDF viewer"),
    ],
    ids=["encrypted", "no text layer", "broken", "empty"],
)
def test_what_cannot_be_read_names_its_remedy(data: bytes, remedy: str) -> None:
    with pytest.raises(LoadError, match=r"^rules\.pdf ") as caught:
        load(data)
    assert remedy in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(LoadError, match=r"ragspine-graph\[docs\]"):
        load(pdf(paragraph(700, _LONG)))


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.floats(0, 300),
            st.integers(2, 38),
            st.text("ab1.(A) -", min_size=1, max_size=12),
            st.floats(4, 18),
            st.booleans(),
        ),
        min_size=1,
        max_size=25,
        unique_by=lambda drawn: drawn[1],
    )
)
def test_no_letter_is_lost_wherever_it_stands(
    drawn: list[tuple[float, int, str, float, bool]],
) -> None:
    texts = [Text(x, 20 * row, text, size, bold) for x, row, text, size, bold in drawn]
    document = load(pdf([*texts, Text(72, 20, "X", 10)]))
    for letter in "abA":
        count = sum(text.text.count(letter) for text in texts)
        assert document.text.count(letter) == count
