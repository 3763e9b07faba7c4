"""Reads numerals: Arabic of either width, kanji and Roman."""

from __future__ import annotations

import re
import unicodedata

_KANJI_DIGITS = {char: value for value, char in enumerate("〇一二三四五六七八九")} | {"零": 0}
_KANJI_POWERS = {"十": 10, "百": 100, "千": 1000}
KANJI_NUMERALS = "".join([*_KANJI_DIGITS, *_KANJI_POWERS])

_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_ROMAN_NUMBER = re.compile("(?:c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")


def arabic_digits(number: str) -> str:
    """A number in Arabic digits of one width.

    >>> arabic_digits("三十八"), arabic_digits("三八"), arabic_digits("３８")
    ('38', '38', '38')
    """
    if not _KANJI_DIGITS.keys() | _KANJI_POWERS.keys() >= set(number):
        return unicodedata.normalize("NFKC", number)
    if _KANJI_POWERS.keys().isdisjoint(number):
        return "".join(str(_KANJI_DIGITS[char]) for char in number)
    total, digit = 0, 0
    for char in number:
        if char in _KANJI_DIGITS:
            digit = _KANJI_DIGITS[char]
        else:
            total += (digit or 1) * _KANJI_POWERS[char]
            digit = 0
    return str(total + digit)


def parse_roman(number: str) -> int | None:
    """The value of a Roman numeral in either case, None where it is none.

    >>> parse_roman("XIV"), parse_roman("iv"), parse_roman("IIII"), parse_roman("A")
    (14, 4, None, None)
    """
    lower = number.lower()
    if not lower or not lower.isascii() or _ROMAN_NUMBER.fullmatch(lower) is None:
        return None
    values = [_ROMAN[letter] for letter in lower]
    following = [*values[1:], 0]
    return sum(-a if a < b else a for a, b in zip(values, following, strict=True))
