"""Dates and times as a sheet shows them, in the Japanese calendar too."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragspine_store.loading.xlsx.number_formats import Token

# The first day of each era.
_ERAS = (
    (date(2019, 5, 1), "令和", "R"),
    (date(1989, 1, 8), "平成", "H"),
    (date(1926, 12, 25), "昭和", "S"),
    (date(1912, 7, 30), "大正", "T"),
    (date(1868, 1, 25), "明治", "M"),
)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_JAPANESE_DAYS = "月火水木金土日"
_EPOCH_1900 = datetime(1899, 12, 30)
_EPOCH_1904 = datetime(1904, 1, 1)
_LEAP_DAY_THAT_NEVER_WAS = 60  # 29 February 1900: days before it count from a day later


def format_date(value: float, tokens: Sequence[Token], *, from_1904: bool) -> str:
    """A date or a time in the tokens of its format; '' when no calendar has it.

    Args:
        value: days since the epoch.
        tokens: of the format's section.
        from_1904: whether days count from 1904 rather than from 1900.
    """
    moment = _moment(value, from_1904, _precision(tokens))
    if moment is None:
        return ""
    has_halves = any(token.kind == "halves" for token in tokens)
    parts: list[str] = []
    for at, (kind, text) in enumerate(tokens):
        match kind:
            case "date" if text[0] in "mM" and _is_minutes(tokens, at):
                parts.append(_padded(moment.minute, text))
            case "date":
                parts.append(_date_part(moment, text.lower(), has_halves))
            case "elapsed":
                parts.append(_elapsed(value, text.lower()))
            case "halves":
                parts.append(_half(moment, text))
            case "literal" | "mark" if text != "@":
                parts.append(text)
            case _:
                pass
    return "".join(parts).strip()


def _moment(value: float, from_1904: bool, precision: timedelta) -> datetime | None:
    if value < 0 or value >= 2_958_466:  # the year 10000
        return None
    epoch = _EPOCH_1904 if from_1904 else _EPOCH_1900
    if not from_1904 and value < _LEAP_DAY_THAT_NEVER_WAS:
        epoch += timedelta(days=1)
    steps = round(timedelta(days=value) / precision)
    try:
        return epoch + steps * precision
    except OverflowError:
        return None


def _precision(tokens: Sequence[Token]) -> timedelta:
    """What a time is rounded to: the fractions of a second that are shown."""
    decimals = max(
        (len(token.text.partition(".")[2]) for token in tokens if token.kind == "date"), default=0
    )
    return timedelta(seconds=1) / 10 ** min(decimals, 6)


def _is_minutes(tokens: Sequence[Token], at: int) -> bool:
    """Whether an m means minutes: after hours or before seconds."""
    if len(tokens[at].text) > 2:
        return False
    units = [
        (index, token.text[0].lower())
        for index, token in enumerate(tokens)
        if token.kind in ("date", "elapsed")
    ]
    place = [index for index, _ in units].index(at)
    before = units[place - 1][1] if place else ""
    after = units[place + 1][1] if place + 1 < len(units) else ""
    return before == "h" or after == "s"


def _date_part(moment: datetime, text: str, has_halves: bool) -> str:
    match text[0]:
        case "y":
            return f"{moment.year:04d}" if len(text) > 2 else f"{moment.year % 100:02d}"
        case "m":
            return _named(_MONTHS[moment.month - 1], moment.month, text)
        case "d":
            return _named(_DAYS[moment.weekday()], moment.day, text)
        case "a":
            return _JAPANESE_DAYS[moment.weekday()] + ("曜日" if len(text) > 3 else "")
        case "h":
            hour = (moment.hour % 12 or 12) if has_halves else moment.hour
            return _padded(hour, text)
        case "s":
            whole, _, fraction = text.partition(".")
            shown = _padded(moment.second, whole)
            return f"{shown}.{moment.microsecond:06d}"[
                : len(shown) + len(fraction) + bool(fraction)
            ]
        case "g":
            return _era(moment.date(), len(text))
        case _:
            return str(_era_year(moment.date()))


def _padded(number: int, text: str) -> str:
    return f"{number:02d}" if len(text) > 1 else str(number)


def _named(name: str, number: int, text: str) -> str:
    if len(text) < 3:
        return _padded(number, text)
    return {3: name[:3], 5: name[:1]}.get(len(text), name)


def _era(day: date, letters: int) -> str:
    for first, name, letter in _ERAS:
        if day >= first:
            return {1: letter, 2: name[0]}.get(letters, name)
    return ""


def _era_year(day: date) -> int:
    for first, _, _ in _ERAS:
        if day >= first:
            return day.year - first.year + 1
    return day.year


def _elapsed(value: float, text: str) -> str:
    units = {"h": 24, "m": 24 * 60, "s": 24 * 60 * 60}[text[0]]
    return f"{int(value * units + 1e-6):0{len(text)}d}"


def _half(moment: datetime, text: str) -> str:
    first, _, second = text.partition("/")
    return first if moment.hour < 12 else second
