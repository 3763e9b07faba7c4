"""Item markers at the start of a plain line: ２　 2. ① 一　 イ　 （１） (a) - ・ and their like."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ragspine_store.loading.japanese import REFERENCE

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

_MARKER = re.compile(
    _INDENT
    + "(?P<label>"
    + "|".join(
        (
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
_CLASSES = (("1", r"\d+(?:の\d+)?"), ("一", f"{_KANJI}(?:の{_KANJI})?"), ("ア", _LIST_KANA))
_BULLETS = frozenset("-*•●○■◆–・")


@dataclass(frozen=True, slots=True)
class Marker:
    """An item marker.

    Attributes:
        label: as written.
        start: where it stands in the line.
        indent: columns before it.
        style: equal for the markers of one sequence, such as `（1）` or `1.`.
        is_first: whether it can open a sequence.
        is_bullet: whether it carries no number.
        is_ascii: whether it could be the start of a hard-wrapped line of prose.
    """

    label: str
    start: int
    indent: int
    style: str
    is_first: bool
    is_bullet: bool
    is_ascii: bool


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
    return Marker(
        label=label,
        start=match.start("label"),
        indent=columns(match["indent"]),
        style=style,
        is_first=number in _FIRST or not number,
        is_bullet=not number,
        is_ascii=label.isascii() and bool(number),
    )


def _classify(plain: str, *, circled: bool) -> tuple[str, str]:
    """The style and the bare number of a marker without its width."""
    number = plain.strip("().")
    for sample, pattern in _CLASSES:
        if re.fullmatch(pattern, number):
            is_enclosed = circled and plain.isdigit()
            return ("①" if is_enclosed else plain.replace(number, sample)), number
    return plain.replace(number, "a"), number


def columns(indent: str) -> int:
    """The width of an indentation: a full-width space counts two, a tab four.

    >>> columns("\u3000 ")
    3
    """
    return sum({"\u3000": 2, "\t": 4}.get(char, 1) for char in indent)
