"""Item markers at the start of a plain line: ２　 2. ① 一　 イ　 （１） (a) - ・ and their like."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from ragspine_store.loading.japanese import REFERENCE
from ragspine_store.numerals import parse_roman

_INDENT = r"(?P<indent>[ \t\u3000]*)"
_BODY = r"(?=[ \t\u3000]*[^\s])"
_DIGITS = "[0-9０-９]{1,3}"
_KANJI = "[一二三四五六七八九十]{1,4}"
_LIST_KANA = "[アイウエオカ-ヂツ-モヤユヨラ-ロワヰヱヲン]"
# A mention of an item is none: （１）及び（２）に掲げる者は…
_NO_REFERENCE = f"(?!{REFERENCE})"
# A number and a plain space open an item before Japanese, unless it counts something: 3 月に
_JAPANESE_ITEM = r"(?=[ \t]+(?![年月日時分秒円人名回件個条章節号項点か])[「『（ぁ-ヶ一-\u9fff])"
# After a number in ASCII: a space, or Japanese without one.
_BEFORE_TEXT = r"(?=[ \t]|[^\x00-\x7f])"

# 8.1項： or 3.2 before a text, unless it counts something: 3.5 倍
_DOTTED = (
    rf"{_DIGITS}(?:[.．]{_DIGITS}){{1,4}}"
    r"(?:項(?=[ \t\u3000：:])|[.．]?(?=[ \t\u3000]+(?![倍割点万億兆年月日時分秒円人名回件個%％])))"
)

_MARKER = re.compile(
    _INDENT
    + "(?P<label>"
    + "|".join(
        (
            _DOTTED,
            rf"{_DIGITS}(?:の{_DIGITS})?(?:(?=\u3000)|(?<=[０-９])(?=[ \t])|{_JAPANESE_ITEM})",
            rf"{_DIGITS}(?:．(?![0-9０-９])|\.(?=[ \t\u3000]|[^\x00-\x7f０-９]))",
            rf"{_DIGITS}(?:）|\){_BEFORE_TEXT}){_NO_REFERENCE}",
            rf"{_KANJI}(?:の{_KANJI})?(?=[ \t\u3000])",
            rf"{_LIST_KANA}(?:(?=[ \t\u3000])|[．.）)])",
            rf"[（(](?:{_DIGITS}|{_KANJI}|{_LIST_KANA}|[ⅰ-ⅻ])[）)]{_NO_REFERENCE}",
            rf"[（(](?:[a-zA-Zａ-ｚ]|[ivx]{{2,4}})[）)]{_BEFORE_TEXT}{_NO_REFERENCE}",
            rf"[①-⑳㉑-㉟㊱-㊿❶-❿⑴-⒇]{_NO_REFERENCE}",
            r"[-*•●○■◆–](?=[ \t\u3000])",
            "・(?![・･…])",
        )
    )
    + ")"
    + _BODY
)

_FIRST = frozenset("1一アイaAiI")
_CLASSES = (
    ("1", re.compile(r"\d+(?:の\d+)?")),
    ("一", re.compile(f"{_KANJI}(?:の{_KANJI})?")),
    ("ア", re.compile(_LIST_KANA)),
)
_DOTTED_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_ROMAN_NUMBER = re.compile("[ivx]{1,5}")
_BULLETS = frozenset("-*•●○■◆–・")


@dataclass(frozen=True, slots=True)
class Marker:
    """An item marker.

    Attributes:
        label: as written.
        start: where it stands in the line.
        indent: columns before it.
        style: equal for the markers of one sequence, such as `（1）` or `1.`.
        numbers: its place in the sequence: (3, 2) for `3.2`, (2,) for `（２）` or `(b)`; empty for
            a bullet, and where the order needs no counting.
        is_first: whether it can open a sequence.
        is_bullet: whether it carries no number.
        is_ascii: whether it could be the start of a hard-wrapped line of prose.
    """

    label: str
    start: int
    indent: int
    style: str
    numbers: tuple[int, ...]
    is_first: bool
    is_bullet: bool
    is_ascii: bool

    def readings(self) -> tuple[Marker, ...]:
        """The ways to read it, the most likely first: (i) is one, or the letter after (h).

        >>> marker = parse_marker("(v) the fifth, or the one after (u)")
        >>> [reading.numbers for reading in marker.readings()]
        [(5,), (22,)]
        """
        number = self.label.strip("().").lower()
        roman = parse_roman(number) if _ROMAN_NUMBER.fullmatch(number) else None
        if roman is None:
            return (self,)
        as_roman = replace(self, style=self.style + "i", numbers=(roman,), is_first=roman == 1)
        return (as_roman, self) if len(number) == 1 else (as_roman,)


def parse_marker(line: str) -> Marker | None:
    """Read the marker that opens a line; None without one.

    >>> parse_marker("（２）　届出").style, parse_marker("3.5%を超える")
    ('(1)', None)
    """
    match = _MARKER.match(line)
    if match is None:
        return None
    label = match["label"]
    plain = unicodedata.normalize("NFKC", label)
    if label in _BULLETS:
        style, number = label, ""
    else:
        style, number = _classify(plain, circled=unicodedata.category(label[0]) == "No")
    numbers = _numbers(number)
    return Marker(
        label=label,
        start=match.start("label"),
        indent=columns(match["indent"]),
        style=style,
        numbers=numbers,
        is_first=number in _FIRST or not number or (len(numbers) > 1 and numbers[-1] == 1),
        is_bullet=not number,
        is_ascii=label.isascii() and bool(number),
    )


def _classify(plain: str, *, circled: bool) -> tuple[str, str]:
    """The style and the bare number of a marker without its width."""
    number = plain.strip("().項")
    if "." in number:
        return "1" + ".1" * number.count("."), number
    for sample, pattern in _CLASSES:
        if pattern.fullmatch(number):
            is_enclosed = circled and plain.isdigit()
            return ("①" if is_enclosed else plain.replace(number, sample)), number
    return plain.replace(number, "A" if number.isupper() else "a"), number


def _numbers(number: str) -> tuple[int, ...]:
    if _DOTTED_NUMBER.fullmatch(number):
        return tuple(int(part) for part in number.split("."))
    if len(number) == 1 and number.isascii():
        return (ord(number.lower()) - ord("a") + 1,)
    return ()


def is_next(before: tuple[int, ...], numbers: tuple[int, ...]) -> bool:
    """Whether a number comes right after another of the same sequence.

    >>> is_next((3, 1), (3, 2)), is_next((3, 1), (4, 2))
    (True, False)
    """
    return bool(numbers) and (*numbers[:-1], numbers[-1] - 1) == before


def columns(indent: str) -> int:
    """The width of an indentation: a full-width space counts two, a tab four.

    >>> columns("\u3000 ")
    3
    """
    return sum({"\u3000": 2, "\t": 4}.get(char, 1) for char in indent)
