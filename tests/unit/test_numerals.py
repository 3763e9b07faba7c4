from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.numerals import arabic_digits, parse_roman

_ROMAN_DIGITS = {100: "c", 90: "xc", 50: "l", 40: "xl", 10: "x", 9: "ix", 5: "v", 4: "iv", 1: "i"}


def _roman(number: int) -> str:
    written = ""
    for value, digits in _ROMAN_DIGITS.items():
        written += digits * (number // value)
        number %= value
    return written


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("三十八", "38"),
        ("百一", "101"),
        ("千二百", "1200"),
        ("二〇", "20"),
        ("十", "10"),
        ("３８", "38"),
        ("38", "38"),
    ],
    ids=["tens", "hundreds", "thousands", "positional", "ten", "full width", "arabic"],
)
def test_a_number_is_read_in_arabic_digits(written: str, expected: str) -> None:
    assert arabic_digits(written) == expected


@given(st.integers(1, 399), st.booleans())
def test_a_roman_numeral_is_read_in_either_case(number: int, is_upper: bool) -> None:
    written = _roman(number)
    assert parse_roman(written.upper() if is_upper else written) == number


@pytest.mark.parametrize("text", ["", "IIII", "VX", "A", "ⅳ", "1", "ic"])
def test_what_is_no_roman_numeral_has_no_value(text: str) -> None:
    assert parse_roman(text) is None
