"""Tables as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ragspine_store.errors import LoadError
from ragspine_store.loading import tables
from ragspine_store.loading.tables import Cell, render_table


def rendered(rows: Sequence[Sequence[Cell]]) -> list[str]:
    return render_table(rows, name="a.html").split("\n")


def row(*texts: str) -> list[Cell]:
    return [Cell(text) for text in texts]


def test_a_cell_over_rows_is_repeated_so_that_each_row_reads_alone() -> None:
    rows = [[Cell("通勤", rows=3), Cell("甲")], row("乙"), row("丙"), row("他", "丁")]
    assert rendered(rows) == ["| 通勤 | 甲 |", "| 通勤 | 乙 |", "| 通勤 | 丙 |", "| 他 | 丁 |"]


def test_a_long_cell_over_rows_is_written_once() -> None:
    text = "長" * 101
    assert rendered([[Cell(text, rows=2), Cell("甲")], row("乙")]) == [
        f"| {text} | 甲 |",
        "|  | 乙 |",
    ]


def test_a_cell_over_columns_is_written_once() -> None:
    rows = [[Cell("手当", columns=2), Cell("備考")], row("通勤", "昼食", "甲")]
    assert rendered(rows) == ["| 手当 |  | 備考 |", "| 通勤 | 昼食 | 甲 |"]


def test_a_cell_may_span_both_ways() -> None:
    rows = [[Cell("角", rows=2, columns=2), Cell("甲")], row("乙"), row("一", "二", "三")]
    assert rendered(rows) == ["| 角 |  | 甲 |", "| 角 |  | 乙 |", "| 一 | 二 | 三 |"]


def test_columns_that_only_a_span_claims_do_not_exist() -> None:
    rows = [[Cell("題", columns=100)], row("甲", "乙")]
    assert rendered(rows) == ["| 題 |  |", "| 甲 | 乙 |"]


def test_rows_without_text_are_left_out_and_short_ones_filled() -> None:
    assert rendered([row("甲", "乙"), row("", " "), [], row("丙")]) == ["| 甲 | 乙 |", "| 丙 |  |"]


def test_each_row_is_one_line() -> None:
    assert rendered([row("一\n  二", "三")]) == ["| 一 二 | 三 |"]


CLAIMS = {
    "spans": [[Cell("x", columns=1000)] for _ in range(30_000)],
    "one wide row": [row(*"x" * 1000), *(row("x") for _ in range(2001))],
}


@pytest.mark.parametrize("rows", CLAIMS.values(), ids=CLAIMS.keys())
def test_more_cells_than_a_table_has_are_refused(rows: list[list[Cell]]) -> None:
    with pytest.raises(LoadError, match=r"a\.html has a table of more than .* split the table"):
        rendered(rows)


def test_the_limit_is_on_what_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_CELLS", 4)
    assert len(rendered([[Cell("題", columns=9)], row("甲", "乙")])) == 2
