"""Numbers as a sheet shows them: the formats of dates, percentages, thousands and their like."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import NamedTuple

from ragspine_store.loading.xlsx.dates import format_date

# The formats that are known by number, as Excel shows them in Japan; the others are written out.
BUILT_IN = {
    "1": "0",
    "2": "0.00",
    "3": "#,##0",
    "4": "#,##0.00",
    "5": '"¥"#,##0;-"¥"#,##0',
    "6": '"¥"#,##0;-"¥"#,##0',
    "7": '"¥"#,##0.00;-"¥"#,##0.00',
    "8": '"¥"#,##0.00;-"¥"#,##0.00',
    "9": "0%",
    "10": "0.00%",
    "11": "0.00E+00",
    "14": "yyyy/m/d",
    "15": "d-mmm-yy",
    "16": "d-mmm",
    "17": "mmm-yy",
    "18": "h:mm AM/PM",
    "19": "h:mm:ss AM/PM",
    "20": "h:mm",
    "21": "h:mm:ss",
    "22": "yyyy/m/d h:mm",
    "27": "ge.m.d",
    "28": 'ggge"年"m"月"d"日"',
    "29": 'ggge"年"m"月"d"日"',
    "30": "m/d/yy",
    "31": 'yyyy"年"m"月"d"日"',
    "32": 'h"時"mm"分"',
    "33": 'h"時"mm"分"ss"秒"',
    "34": 'yyyy"年"m"月"',
    "35": 'm"月"d"日"',
    "36": "ge.m.d",
    "37": "#,##0;-#,##0",
    "38": "#,##0;-#,##0",
    "39": "#,##0.00;-#,##0.00",
    "40": "#,##0.00;-#,##0.00",
    "45": "mm:ss",
    "46": "[h]:mm:ss",
    "47": "mm:ss.0",
    "48": "##0.0E+0",
    "50": "ge.m.d",
    "51": 'ggge"年"m"月"d"日"',
    "52": 'yyyy"年"m"月"',
    "53": 'm"月"d"日"',
    "54": 'ggge"年"m"月"d"日"',
    "55": 'yyyy"年"m"月"',
    "56": 'm"月"d"日"',
    "57": "ge.m.d",
    "58": 'ggge"年"m"月"d"日"',
}

_MAX_FORMAT = 300
_MAX_FORMATTED = 1e15  # beyond, a number has no exact digits
_MAX_PERCENTS = 3
_EXACT = Context(prec=400, rounding=ROUND_HALF_UP)
_POINT, _COMMA, _PERCENT, _TEXT = ".", ",", "%", "@"
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?'
    r"|\\(?P<escaped>.)"
    r"|[_*](?P<filler>.)"
    r"|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]"
    r"|\[(?P<elapsed>h+|m+|s+)\]"
    r"|\[(?P<condition>(?:[<>]=?|=|<>)-?[\d.]+)\]"
    r"|\[(?P<colour>[^\]]*)\]"
    r"|(?P<general>General)"
    r"|(?P<halves>AM/PM|A/P|午前/午後)"
    r"|(?P<exponent>E[+-]0+)"
    r"|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?|g+|e+|a{3,4})"
    r"|(?P<digit>[0#?])"
    r"|(?P<mark>[.,%@;/])"
    r"|(?P<literal>.)",
    re.IGNORECASE | re.DOTALL,
)


class Token(NamedTuple):
    """A part of a format: what it is, and its text."""

    kind: str
    text: str


@dataclass(slots=True)
class _Section:
    """One of up to four sections that a format has, for values of one sign or condition."""

    tokens: list[Token] = field(default_factory=list[Token])
    condition: str = ""

    @property
    def is_date(self) -> bool:
        return any(token.kind in ("date", "elapsed", "halves") for token in self.tokens)


def format_number(value: float, code: str, *, from_1904: bool = False) -> str:
    """A number as a cell of that format shows it.

    Args:
        value: the number; a date is the days since the epoch.
        code: the format, as in the file.
        from_1904: whether days count from 1904 rather than from 1900.

    >>> format_number(45383, "yyyy/m/d"), format_number(0.075, "0.0%")
    ('2024/4/1', '7.5%')
    >>> format_number(-1234, "#,##0"), format_number(1234567, "000-0000")
    ('-1,234', '123-4567')
    """
    if code in ("", "General") or not abs(value) < _MAX_FORMATTED:
        return general(value)
    sections = _parse(code[:_MAX_FORMAT])
    section, shows_sign = _choose(sections, value)
    if section.is_date:
        return format_date(value, section.tokens, from_1904=from_1904) or general(value)
    if not section.tokens:
        return ""
    text = _format_decimal(abs(value), section.tokens)
    is_zero = not any(char in "123456789" for char in text)
    return f"-{text}" if value < 0 and shows_sign and not is_zero else text


def format_text(text: str, code: str) -> str:
    """A text as a cell of that format shows it: a last section with @ may add to it.

    >>> format_text("山田", '@"様"')
    '山田様'
    """
    section = _parse(code[:_MAX_FORMAT])[-1]
    if Token("mark", "@") not in section.tokens:
        return text
    return "".join(
        text if token == Token("mark", "@") else _literal(token) for token in section.tokens
    )


def general(value: float) -> str:
    """A number without a format, free of binary noise.

    >>> general(0.1 + 0.2), general(1e6)
    ('0.3', '1000000')
    """
    if value != value or abs(value) > 1e15 or 0 < abs(value) < 1e-9:
        return f"{value:.15g}"
    return f"{Decimal(f'{value:.15g}'):f}"


@functools.lru_cache(maxsize=1024)
def _parse(code: str) -> list[_Section]:
    sections = [_Section()]
    for match in _TOKEN.finditer(code):
        kind = match.lastgroup or "literal"
        text = match[kind]
        if kind == "mark" and text == ";":
            sections.append(_Section())
        elif kind == "condition":
            sections[-1].condition = text
        elif kind not in ("filler", "colour"):
            kind = "literal" if kind in ("quoted", "escaped", "currency") else kind
            sections[-1].tokens.append(Token(kind, text))
    return sections


def _choose(sections: list[_Section], value: float) -> tuple[_Section, bool]:
    """The section for a value, and whether a minus has to be written."""
    for section in sections[:2]:
        if section.condition and _holds(section.condition, value):
            return section, True
    if any(section.condition for section in sections[:2]):
        return sections[min(len(sections) - 1, 2)], True
    if value < 0 and len(sections) > 1:
        return sections[1], False
    if value == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], True


def _holds(condition: str, value: float) -> bool:
    operator = condition.rstrip("0123456789.-")
    try:
        bound = float(condition[len(operator) :])
    except ValueError:
        return False
    return {
        "<": value < bound,
        "<=": value <= bound,
        ">": value > bound,
        ">=": value >= bound,
        "=": value == bound,
        "<>": value != bound,
    }[operator]


def _literal(token: Token) -> str:
    return token.text if token.kind in ("literal", "mark") else ""


def _format_decimal(value: float, tokens: list[Token]) -> str:
    if Token("mark", "/") in tokens:  # a fraction, which says the same
        return general(value)
    marks = [token.text if token.kind in ("mark", "digit") else "" for token in tokens]
    if all(token.kind != "digit" for token in tokens):
        return "".join(
            general(value) if token.kind == "general" or mark == _TEXT else _literal(token)
            for token, mark in zip(tokens, marks, strict=True)
        )
    point = marks.index(_POINT) if _POINT in marks else len(tokens)
    places = [at for at, token in enumerate(tokens) if token.kind == "digit"]
    before, after = [at for at in places if at < point], [at for at in places if at > point]
    last = max(before, default=point)
    commas = [at for at, mark in enumerate(marks) if mark == _COMMA]
    number = Decimal(repr(value)) * 100 ** min(marks.count(_PERCENT), _MAX_PERCENTS)
    number /= 1000 ** sum(at > last for at in commas)
    number, power = _scaled(number, tokens, len(after))
    whole, _, part = f"{_rounded(number, len(after)):f}".partition(".")
    filled = dict(zip(before, _fill_whole(whole, [marks[at] for at in before]), strict=True))
    filled |= dict(zip(after, _fill_part(part, [marks[at] for at in after]), strict=True))
    if any(at < last for at in commas):
        filled |= _grouped({at: filled[at] for at in before})
    shown: list[str] = []
    for at, token in enumerate(tokens):
        if token.kind == "digit":
            shown.append(filled[at])
        elif token.kind == "exponent":
            shown.append(power)
        elif marks[at] not in (_COMMA, _TEXT):
            shown.append(_literal(token))
    return "".join(shown).strip()


def _scaled(number: Decimal, tokens: list[Token], decimals: int) -> tuple[Decimal, str]:
    """The mantissa and the power of ten in the scientific format; else the number itself."""
    exponent = next((token.text for token in tokens if token.kind == "exponent"), "")
    if not exponent:
        return number, ""
    mantissa, _, power = f"{number:.{decimals}E}".partition("E")
    sign = "-" if int(power) < 0 else exponent[1].replace("-", "")
    return Decimal(mantissa), f"E{sign}{abs(int(power)):0{len(exponent) - 2}d}"


def _rounded(number: Decimal, decimals: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-decimals), context=_EXACT)


def _fill_whole(whole: str, places: list[str]) -> list[str]:
    """The digits before the point in their places, the first taking all that are left."""
    digits = "" if whole == "0" else whole
    filled: list[str] = []
    for at in range(len(places) - 1, -1, -1):
        taken = digits[-1:] if at else digits
        digits = digits[: len(digits) - len(taken)]
        filled.append(taken or ("0" if places[at] == "0" else ""))
    return filled[::-1]


def _grouped(filled: dict[int, str]) -> dict[int, str]:
    """The same places with a comma before each third digit from the right."""
    grouped: dict[int, str] = {}
    count = 0
    for at, digits in sorted(filled.items(), reverse=True):
        text = ""
        for digit in reversed(digits):
            text = digit + (_COMMA if count and count % 3 == 0 else "") + text
            count += 1
        grouped[at] = text
    return grouped


def _fill_part(part: str, places: list[str]) -> list[str]:
    """The digits after the point; a zero at the end shows only where the format has one."""
    filled = list(part[: len(places)])
    for at in range(len(filled) - 1, -1, -1):
        if filled[at] != "0" or places[at] == "0":
            break
        filled[at] = ""
    return filled
