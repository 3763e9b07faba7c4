"""Workbooks, as their sheets show them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from datetime import date, datetime

import pytest
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.worksheet.worksheet import Worksheet

from ragspine_store.errors import LoadError
from ragspine_store.loading.xlsx import XlsxLoader, cells, loader
from ragspine_store.records import BlockKind, LoadedDocument

HEADER = ["社員番号", "氏名", "手当"]


def saved(book: Workbook) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def load(data: bytes) -> LoadedDocument:
    return XlsxLoader().load(data, name="book.xlsx")


def sheet(fill: Callable[[Worksheet], object], *, title: str = "手当") -> bytes:
    book = Workbook()
    book.remove(book.worksheets[0])
    fill(book.create_sheet(title))
    return saved(book)


def rows(*content: Sequence[object]) -> bytes:
    def fill(page: Worksheet) -> None:
        for row in content:
            page.append(list(row))

    return sheet(fill)


def blocks(document: LoadedDocument) -> list[str]:
    return [document.text[b.span.start : b.span.end] for b in document.outline.blocks]


def edited(data: bytes, part: str, old: str, new: str) -> bytes:
    """The same package with one part changed by hand."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(stream, "w") as target:
        for info in source.infolist():
            content = source.read(info)
            if info.filename == part:
                # openpyxl writes an empty element either way, by the XML library it finds.
                content = content.replace(b"<v />", b"<v></v>").replace(b"<v/>", b"<v></v>")
                assert old.encode() in content
                content = content.replace(old.encode(), new.encode())
            target.writestr(info, content)
    return stream.getvalue()


SHEET = "xl/worksheets/sheet1.xml"


def test_a_sheet_is_a_section_and_a_row_a_block_that_reads_alone() -> None:
    document = load(rows(HEADER, ["001", "山田", 20000], ["002", None, 5000]))
    assert [s.heading for s in document.outline.sections] == ["", "手当"]
    assert blocks(document) == [
        "社員番号 | 氏名 | 手当",
        "社員番号: 001 | 氏名: 山田 | 手当: 20000",
        "社員番号: 002 | 手当: 5000",
    ]
    assert {block.kind for block in document.outline.blocks} == {BlockKind.TABLE}
    assert document.title == ""


def test_sheets_stand_beside_each_other_and_empty_ones_are_left_out() -> None:
    book = Workbook()
    book.worksheets[0].title = "空"
    for title in ("甲", "乙"):
        book.create_sheet(title).append([title, "x"])
    book.properties.title = "一覧"
    document = load(saved(book))
    assert [(s.level, s.heading) for s in document.outline.sections] == [
        (0, "一覧"),
        (1, "甲"),
        (1, "乙"),
    ]
    assert document.title == "一覧"


def test_numbers_and_dates_are_shown_as_the_sheet_shows_them() -> None:
    def fill(page: Worksheet) -> None:
        page.append(["日付", "率", "額", "番号", "時刻", "可否"])
        page.append([date(2024, 4, 1), 0.075, 1234567, 7, datetime(2024, 4, 1, 9, 5), True])
        formats = ["yyyy/m/d", "0.0%", '"¥"#,##0', "000", "h:mm", "General"]
        for column, code in enumerate(formats, 1):
            page.cell(2, column).number_format = code

    assert blocks(load(sheet(fill)))[1] == (
        "日付: 2024/4/1 | 率: 7.5% | 額: ¥1,234,567 | 番号: 007 | 時刻: 9:05 | 可否: TRUE"
    )


def test_days_that_count_from_1904_give_the_same_dates() -> None:
    book = Workbook()
    book.epoch = CALENDAR_MAC_1904
    book.worksheets[0].append(["日", date(2024, 4, 1)])
    book.worksheets[0]["B1"].number_format = "yyyy/m/d"
    assert load(saved(book)).text.endswith("日 | 2024/4/1")


def test_a_formula_is_its_last_result_and_without_one_as_written() -> None:
    data = rows(["甲", "乙"], ["=1+1", "=A2*2"])
    data = edited(data, SHEET, "<f>1+1</f><v></v>", "<f>1+1</f><v>2</v>")
    assert blocks(load(data))[1] == "甲: 2 | 乙: =A2*2"


def test_readings_of_strings_are_left_out() -> None:
    data = rows(["氏名", "所属"], ["山田", "東京"])
    phonetic = "<si><r><t>山</t></r><r><t>田</t></r><rPh sb='0' eb='1'><t>ヤマ</t></rPh></si>"
    document = load(edited(data, "xl/sharedStrings.xml", "<si><t>山田</t></si>", phonetic))
    assert "氏名: 山田 |" in document.text
    assert "ヤマ" not in document.text


def test_values_of_every_other_kind_are_read_as_they_are() -> None:
    cells = (
        '<row><c t="inlineStr"><is><r><t>甲</t></r><r><t>乙</t></r></is></c>'
        '<c><v>1e999</v></c><c><v>?</v></c><c t="e"><v>#N/A</v></c>'
        '<c t="d"><v>2024-04-01</v></c><c t="str"><v>文</v></c></row>'
    )
    data = edited(rows(["x"]), SHEET, "</sheetData>", f"{cells}</sheetData>")
    assert blocks(load(data)) == ["x", "甲乙 | 1e999 | ? | #N/A | 2024-04-01 | 文"]


def test_what_is_hidden_is_not_content_but_is_screened() -> None:
    book = Workbook()
    page = book.worksheets[0]
    for row in (["甲", "隠列", "乙"], ["a", "秘1", "b"], ["秘2", "秘3", "秘4"], ["c", "", "d"]):
        page.append(row)
    page.column_dimensions["B"].hidden = True
    page.row_dimensions[3].hidden = True
    for state in ("hidden", "veryHidden"):
        other = book.create_sheet(state)
        other.append([f"秘{state}", "x"])
        other.sheet_state = state
    document = load(saved(book))
    assert blocks(document) == ["甲 | 乙", "甲: a | 乙: b", "甲: c | 乙: d"]
    for text in ("秘1", "秘4", "秘hidden", "秘veryHidden"):
        assert text in document.full_text
    assert document.notes == ("left out: 1 hidden row, 1 hidden column, 2 hidden sheets",)


def test_comments_are_not_content_but_are_screened() -> None:
    def fill(page: Worksheet) -> None:
        page.append(["甲", "乙"])
        page.append(["a", "b"])
        page["A2"].comment = Comment("秘密", "誰か")

    document = load(sheet(fill))
    assert "秘密" not in document.text
    assert "秘密" in document.full_text
    assert document.notes == ("left out: 1 comment",)


def test_what_is_hidden_and_empty_is_not_noted() -> None:
    book = Workbook()
    page = book.worksheets[0]
    page.append(["甲", "乙"])
    page.append(["a", "b"])
    page.column_dimensions["F"].hidden = True
    page.row_dimensions[9].hidden = True
    book.create_sheet("blank").sheet_state = "hidden"
    assert load(saved(book)).notes == ()


def test_a_cell_merged_over_rows_is_repeated_and_over_columns_is_not() -> None:
    def fill(page: Worksheet) -> None:
        for row in (["手当一覧"], ["区分", "名", "額"], ["通勤", "甲", 1], [None, "乙", 2]):
            page.append(list(row))
        page.merge_cells("A1:C1")
        page.merge_cells("A3:A4")

    assert blocks(load(sheet(fill))) == [
        "手当一覧",
        "区分 | 名 | 額",
        "区分: 通勤 | 名: 甲 | 額: 1",
        "区分: 通勤 | 名: 乙 | 額: 2",
    ]


def test_texts_of_shapes_on_a_sheet_are_kept() -> None:
    stream = io.BytesIO(rows(["甲", "乙"], ["1", "2"]))
    with zipfile.ZipFile(stream, "a") as package:
        package.writestr(
            "xl/worksheets/_rels/sheet1.xml.rels",
            '<Relationships><Relationship Id="rId1" Type="x/drawing" '
            'Target="../drawings/drawing1.xml"/></Relationships>',
        )
        package.writestr(
            "xl/drawings/drawing1.xml",
            '<xdr:wsDr xmlns:xdr="x" xmlns:a="y"><xdr:txBody><a:p><a:r><a:t>注</a:t></a:r>'
            "<a:r><a:t>意</a:t></a:r></a:p><a:p/></xdr:txBody></xdr:wsDr>",
        )
    assert blocks(load(stream.getvalue()))[-1] == "注意"


def packed(parts: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return stream.getvalue()


BOMB = packed({"xl/workbook.xml": b"<workbook/>", "xl/media/a": b"\0" * (30 * 2**20)})
GOOD = rows(["甲", "乙"], ["1", "2"])
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 512
REFUSED = {
    "zip bomb": (BOMB, "more than 200 times its size once unpacked"),
    "many parts": (packed({f"a{i}": b"" for i in range(10_001)}), "more than 10,000 parts"),
    "encrypted": (OLE + "EncryptedPackage".encode("utf-16-le"), "is encrypted; .* remove the"),
    "old binary": (OLE, r"binary workbook \(\.xls\); expected \.xlsx: save it as"),
    "no zip": (b"a,b\n1,2\n", "cannot be unpacked as a workbook"),
    "empty": (b"", "cannot be unpacked as a workbook"),
    "other zip": (packed({"a.txt": b"x"}), "cannot be unpacked as a workbook"),
    "cut off": (GOOD[:-40], "cannot be unpacked as a workbook"),
    "no text": (rows(), "holds no text"),
    "document type": (
        edited(GOOD, SHEET, "<worksheet", "<!DOCTYPE x []><worksheet"),
        "a document type declaration",
    ),
    "broken sheet": (edited(GOOD, SHEET, "</row>", ""), "broken XML"),
}


@pytest.mark.parametrize(("data", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_workbook_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(LoadError, match=reason) as caught:
        load(data)
    assert str(caught.value).startswith("book.xlsx ")


def test_more_rows_than_people_read_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MAX_ROWS", 2)
    assert blocks(load(GOOD)) == ["甲 | 乙", "甲: 1 | 乙: 2"]
    with pytest.raises(LoadError, match=r"more than 1,000,000 rows; .* split it"):
        load(rows(["1"], ["2"], ["3"]))


def test_more_cells_than_people_read_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MAX_CELLS", 3)
    with pytest.raises(LoadError, match="a sheet of more than 3 cells"):
        load(GOOD)


def test_more_text_than_people_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    book = Workbook()
    for title in ("甲", "乙"):
        book.create_sheet(title).append(["あ" * 30, "い"])
    book.worksheets[2].sheet_state = "hidden"
    monkeypatch.setattr(loader, "MAX_RENDERED_CHARS", 70)
    assert "あ" in load(saved(book)).text
    monkeypatch.setattr(loader, "MAX_RENDERED_CHARS", 60)
    with pytest.raises(LoadError, match="more than 50,000,000 characters"):
        load(saved(book))


def test_a_part_is_read_once_however_often_it_is_named() -> None:
    twice = '<sheet name="再" sheetId="9" r:id="rId1" xmlns:r="x"/></sheets>'
    assert blocks(load(edited(GOOD, "xl/workbook.xml", "</sheets>", twice))) == blocks(load(GOOD))


def test_a_cell_far_to_the_right_costs_no_more_than_one_near() -> None:
    def fill(page: Worksheet) -> None:
        for number in range(1, 3001):
            page.cell(number, 16_384, f"値{number}")
        page.column_dimensions["A"].hidden = True

    assert len(blocks(load(sheet(fill)))) == 3000
