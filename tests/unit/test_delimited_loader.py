"""CSV, TSV and their like."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.errors import LoadError
from ragspine_store.loading import delimited
from ragspine_store.loading.delimited import DelimitedLoader
from ragspine_store.records import BlockKind, LoadedDocument


def load(text: str) -> LoadedDocument:
    return DelimitedLoader().load(text.encode(), name="a.csv")


def blocks(text: str) -> list[str]:
    document = load(text)
    return [document.text[b.span.start : b.span.end] for b in document.outline.blocks]


def test_each_row_names_its_values() -> None:
    document = load("社員番号,氏名,手当\n001,山田,20000\n\n002,,5000\n")
    assert document.text == (
        "社員番号 | 氏名 | 手当\n"
        "社員番号: 001 | 氏名: 山田 | 手当: 20000\n"
        "社員番号: 002 | 手当: 5000"
    )
    assert {block.kind for block in document.outline.blocks} == {BlockKind.TABLE}
    assert len(document.outline.sections) == 1
    assert document.offsets is None


TABLES = {
    "comma": "名,額\n甲,1\n",
    "tab": "名\t額\n甲\t1\n",
    "semicolon": "名;額\n甲;1\n",
    "bar": "名|額\n甲|1\n",
    "hint": "sep=;\n名;額\n甲;1\n",
    "hint that none would guess": "sep=~\r\n名~額\r\n甲~1\r\n",
    "quotes": '"名","額"\r\n"甲","1"\r\n',
    "no last line end": "名,額\n甲,1",
    "blank rows": "\n,\n名,額\n\n甲,1\n,\n",
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES.keys())
def test_the_delimiter_is_found(text: str) -> None:
    assert blocks(text) == ["名 | 額", "名: 甲 | 額: 1"]


HEADERS = {
    "numbers from the first row": ("1,2\n3,4\n", ["1 | 2", "3 | 4"]),
    "dates from the first row": ("甲,2024/4/1\n乙,2024年4月2日\n", None),
    "one column": ("甲\n乙\n", ["甲", "乙"]),
    "one row": ("甲,乙\n", ["甲 | 乙"]),
    "title above": (
        "一覧\n\n名,額,率\n甲,1,5%\n",
        ["一覧", "名 | 額 | 率", "名: 甲 | 額: 1 | 率: 5%"],
    ),
    "more values than names": ("名,額\n甲,1,注\n", ["名 | 額", "名: 甲 | 額: 1 | 注"]),
    "a column without a name": ("名,,額\n甲,注,1\n", ["名 | 額", "名: 甲 | 注 | 額: 1"]),
}


@pytest.mark.parametrize(("text", "shown"), HEADERS.values(), ids=HEADERS.keys())
def test_a_header_is_the_first_full_row_if_it_holds_names(
    text: str, shown: list[str] | None
) -> None:
    plain = [row.replace(",", " | ") for row in text.split()]
    assert blocks(text) == (plain if shown is None else shown)


def test_line_ends_in_quotes_stay_inside_their_cell() -> None:
    assert blocks('名,注\n甲,"一\n二, ""三"""\n')[1] == '名: 甲 | 注: 一 二, "三"'


def test_a_cell_that_looks_like_a_formula_is_text() -> None:
    assert blocks("名,額\n甲,=1+1\n")[1] == "名: 甲 | 額: =1+1"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "euc_jp", "utf-16"])
def test_the_encoding_does_not_matter(encoding: str) -> None:
    data = "なまえ,所属\n山田,総務部\n".encode(encoding)
    assert (
        DelimitedLoader().load(data, name="a.csv").text
        == "なまえ | 所属\nなまえ: 山田 | 所属: 総務部"
    )


REFUSED = {
    "a field without end": ('a,b\n1,"' + "x" * 200_000, "after row 1; .* close its quotes"),
    "nothing": (",\n,\n", "no text"),
}


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_table_is_refused(text: str, reason: str) -> None:
    with pytest.raises(LoadError, match=reason):
        load(text)


def test_more_rows_than_people_read_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "MAX_ROWS", 2)
    assert blocks("1\n2\n") == ["1", "2"]
    with pytest.raises(LoadError, match=r"more than 1,000,000 rows; .* split it"):
        load("1\n2\n3\n")


CELLS = st.text(alphabet='あ1a,;"\n\t =|', min_size=1, max_size=8).map(lambda cell: f"x{cell}y")


@given(st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=6))
def test_no_cell_is_lost(rows: list[list[str]]) -> None:
    stream = io.StringIO()
    csv.writer(stream).writerows(rows)
    text = "".join(load("sep=,\n" + stream.getvalue()).text.split())
    assert all("".join(cell.split()) in text for row in rows for cell in row)
