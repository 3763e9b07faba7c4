"""Numbers as a sheet shows them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.loading.xlsx.number_formats import (
    BUILT_IN,
    format_number,
    format_text,
    general,
)

DAY = 45383  # 1 April 2024, a Monday
MOMENT = DAY + (13 * 3600 + 5 * 60 + 9) / 86400

NUMBERS = {
    "no format": (1234.5, "", "1234.5"),
    "general": (1234.5, "General", "1234.5"),
    "binary noise": (0.1 + 0.2, "General", "0.3"),
    "whole": (20000.0, "General", "20000"),
    "large": (1.5e300, "0", "1.5e+300"),
    "small": (1e-12, "General", "1e-12"),
    "thousands": (1234567.0, "#,##0", "1,234,567"),
    "thousands, negative": (-1234.0, "#,##0", "-1,234"),
    "thousands, small": (12.0, "#,##0", "12"),
    "decimals": (2.5, "0.00", "2.50"),
    "rounded away from zero": (0.125, "0.00", "0.13"),
    "rounded to nothing": (-0.001, "0.0", "0.0"),
    "optional decimals": (2.5, "0.0##", "2.5"),
    "no whole part": (0.5, "#.0", ".5"),
    "zero hidden": (0.0, "#", ""),
    "percent": (0.075, "0.0%", "7.5%"),
    "scaled": (1234567.0, "#,##0,", "1,235"),
    "scaled, with decimals": (1234567.0, '#,##0.0,"千円"', "1,234.6千円"),
    "padded": (7.0, "000", "007"),
    "postal code": (1234567.0, "000-0000", "123-4567"),
    "yen": (20000.0, '"¥"#,##0', "¥20,000"),
    "currency with its locale": (20000.0, "[$¥-411]#,##0", "¥20,000"),
    "accounting": (1234.0, '_ "¥"* #,##0_ ;_ "¥"* -#,##0_ ;_ "¥"* "-"_ ;_ @_ ', "¥1,234"),
    "accounting, negative": (-1234.0, '_ "¥"* #,##0_ ;_ "¥"* -#,##0_ ', "¥-1,234"),
    "unit": (3.0, '0"日"', "3日"),
    "escaped unit": (3.0, r"0\k\g", "3kg"),
    "negative in red": (-5.0, "0;[Red]▲0", "▲5"),
    "zero in words": (0.0, '0;-0;"なし"', "なし"),
    "hidden by its format": (5.0, ";;;", ""),
    "condition": (5.0, '[<10]"少";"多"', "少"),
    "condition that fails": (50.0, '[<10]"少";"多"', "多"),
    "bad condition": (5.0, "[<1.2.3]0;0.0", "5.0"),
    "scientific": (12345.0, "0.00E+00", "1.23E+04"),
    "scientific, small": (0.00012, "0.0E+00", "1.2E-04"),
    "fraction": (0.5, "# ?/?", "0.5"),
    "as text": (5.0, "@", "5"),
    "general with a unit": (5.0, 'General"個"', "5個"),
    "escaped point": (15.0, r"0\.0", "1.5"),
}


@pytest.mark.parametrize(("value", "code", "shown"), NUMBERS.values(), ids=NUMBERS.keys())
def test_numbers_are_shown_in_their_format(value: float, code: str, shown: str) -> None:
    assert format_number(value, code) == shown


DATES = {
    "slashes": (DAY, "yyyy/m/d", "2024/4/1"),
    "dashes": (DAY, "yyyy-mm-dd", "2024-04-01"),
    "Japanese": (DAY, 'yyyy"年"m"月"d"日"', "2024年4月1日"),
    "unquoted": (DAY, "yyyy年m月d日", "2024年4月1日"),
    "era": (DAY, '[$-411]ggge"年"m"月"d"日"', "令和6年4月1日"),
    "short era": (DAY, "ge.m.d", "R6.4.1"),
    "old era": (1, "gge", "明33"),
    "weekday": (DAY, "m/d(aaa)", "4/1(月)"),
    "long weekday": (DAY, "aaaa", "月曜日"),
    "English": (DAY, "dddd, mmmm d, yyyy", "Monday, April 1, 2024"),
    "short English": (DAY, "ddd d-mmm-yy", "Mon 1-Apr-24"),
    "initial": (DAY, "mmmmm", "A"),
    "time": (MOMENT, "h:mm:ss", "13:05:09"),
    "minutes": (MOMENT, "hh時mm分", "13時05分"),
    "minutes before seconds": (MOMENT, "mm:ss", "05:09"),
    "halves": (MOMENT, "h:mm AM/PM", "1:05 PM"),
    "midnight": (DAY, "h:mm AM/PM", "12:00 AM"),
    "date and time": (MOMENT, "yyyy/m/d h:mm", "2024/4/1 13:05"),
    "fractions": (0.5 + 0.25 / 86400, "h:mm:ss.00", "12:00:00.25"),
    "elapsed": (1.5, "[h]:mm", "36:00"),
    "elapsed minutes": (1 / 24, "[mm]", "60"),
    "rounded up": (0.999999, "h:mm:ss", "0:00:00"),
    "first day": (1, "yyyy/m/d", "1900/1/1"),
    "day before the leap day that never was": (59, "yyyy/m/d", "1900/2/28"),
    "day after it": (61, "yyyy/m/d", "1900/3/1"),
    "negative": (-1.0, "yyyy/m/d", "-1"),
    "beyond the calendar": (3e6, "yyyy/m/d", "3000000"),
}


@pytest.mark.parametrize(("value", "code", "shown"), DATES.values(), ids=DATES.keys())
def test_dates_are_shown_in_their_format(value: float, code: str, shown: str) -> None:
    assert format_number(value, code) == shown


def test_days_may_count_from_1904() -> None:
    assert format_number(DAY - 1462, "yyyy/m/d", from_1904=True) == "2024/4/1"


def test_texts_take_what_their_format_adds() -> None:
    assert format_text("山田", '0;0;0;@"様"') == "山田様"
    assert format_text("山田", "0.00") == "山田"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")], ids=str)
def test_what_is_no_number_is_shown_as_it_is(value: float) -> None:
    assert format_number(value, "#,##0") == general(value) == str(value)


@given(st.floats(), st.text(alphabet='0#?.,%;@[]$<>=\\"_*E+-/yMdhmsgeaAP年 1', max_size=30))
def test_no_format_is_too_odd_to_show_a_number(value: float, code: str) -> None:
    assert isinstance(format_number(value, code), str)
    assert isinstance(format_text("x", code), str)


@given(st.integers(-(10**14), 10**14), st.sampled_from(sorted(BUILT_IN)))
def test_built_in_formats_show_any_whole_number(value: int, number: str) -> None:
    assert format_number(float(value), BUILT_IN[number])


@given(st.integers(-(10**14), 10**14))
def test_thousands_are_grouped_as_python_groups_them(value: int) -> None:
    assert format_number(float(value), "#,##0") == f"{value:,}"
