"""How Word writes the numbers of its lists, by the names of ISO/IEC 29500-1, 17.18.59."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_KANJI_DIGITS = "〇一二三四五六七八九"
_LEGAL_DIGITS = "零壱弐参四伍六七八九"
_KANJI_UNITS = ((1000, "千"), (100, "百"), (10, "十"))
_LEGAL_UNITS = ((1000, "阡"), (100, "百"), (10, "拾"))
_BANK_UNITS = ((1000, "仟"), (100, "佰"), (10, "拾"))
_HANGUL_DIGITS = "영일이삼사오육칠팔구"
_HANGUL_UNITS = ((1000, "천"), (100, "백"), (10, "십"))
_NATIVE_ONES = ("", "하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟", "아홉")
_NATIVE_TENS = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")

_LATIN = "abcdefghijklmnopqrstuvwxyz"
_AIUEO = (
    "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
)
_IROHA = (
    "イロハニホヘトチリヌルヲワカヨタレソツネナラムウ"
    "ヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
)
_HALF_WIDTH = {
    unicodedata.normalize("NFKC", chr(code)): chr(code) for code in range(0xFF66, 0xFF9E)
}
_MAX_REPEATS = 30

_ONES = (
    "", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = (
    "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
)  # fmt: skip
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_LAST_WORD = re.compile("[a-z]+$")


def format_number(number: int, number_format: str) -> str:
    """Write a number in one of Word's formats; an unknown format is written in digits.

    >>> [format_number(12, f) for f in ("japaneseCounting", "lowerRoman", "decimalEnclosedCircle")]
    ['十二', 'xii', '⑫']
    """
    writer = _FORMATS.get(number_format)
    return str(number) if writer is None else writer(number)


def _roman(number: int) -> str:
    if not 0 < number < 4000:
        return str(number)
    written = ""
    for value, digits in _ROMAN:
        count, number = divmod(number, value)
        written += digits * count
    return written


def _repeating(letters: str) -> Callable[[int], str]:
    """After the last letter each is written twice, then three times: z, aa, bb."""

    def write(number: int) -> str:
        repeats, at = divmod(number - 1, len(letters))
        if number < 1 or repeats >= _MAX_REPEATS:
            return str(number)
        return letters[at] * (repeats + 1)

    return write


def _cycling(letters: str) -> Callable[[int], str]:
    return lambda number: letters[(number - 1) % len(letters)] if number > 0 else str(number)


def _ranged(first: str, count: int) -> Callable[[int], str]:
    """Characters that stand one after another in Unicode; digits beyond them."""
    return lambda number: chr(ord(first) + number - 1) if 1 <= number <= count else str(number)


def _counting(
    digits: str, units: tuple[tuple[int, str], ...], *, writes_one: bool
) -> Callable[[int], str]:
    def write(number: int) -> str:
        if not 0 < number < 10_000:
            return digits[0] if number == 0 else str(number)
        written = ""
        for value, unit in units:
            count, number = divmod(number, value)
            if count:
                written += (digits[count] if count > 1 or writes_one else "") + unit
        return written + (digits[number] if number else "")

    return write


def _chinese_counting(
    digits: str, units: tuple[tuple[int, str], ...], *, leading_one: bool
) -> Callable[[int], str]:
    """With a zero for units left out: 一百零一, 一百一十; `leading_one` writes 壹拾 for 十."""

    def write(number: int) -> str:
        if not 0 < number < 10_000:
            return digits[0] if number == 0 else str(number)
        written, is_open = "", False
        rest = number
        for value, unit in (*units, (1, "")):
            count, rest = divmod(rest, value)
            if count:
                written += (digits[0] if is_open else "") + digits[count] + unit
            is_open = bool(written) and not count
        if number < 20 and not leading_one:
            return written.removeprefix(digits[1]) if number >= 10 else written
        return written

    return write


def _native_korean(number: int) -> str:
    tens, ones = divmod(number, 10)
    if not 0 < number < 100:
        return _counting(_HANGUL_DIGITS, _HANGUL_UNITS, writes_one=False)(number)
    return _NATIVE_TENS[tens] + _NATIVE_ONES[ones]


def _digits(zero_to_nine: str) -> Callable[[int], str]:
    return lambda number: "".join(
        zero_to_nine[int(digit)] if digit.isdigit() else digit for digit in str(number)
    )


def _ordinal(number: int) -> str:
    teens = number % 100 in (11, 12, 13)
    return str(number) + ("th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th"))


def _in_words(number: int) -> str:
    """A number in English, up to 999; in digits beyond."""
    if not 0 < number < 1000:
        return str(number)
    hundreds, rest = divmod(number, 100)
    words = [f"{_ONES[hundreds]} hundred"] if hundreds else []
    if rest >= len(_ONES):
        tens, ones = divmod(rest, 10)
        words.append(_TENS[tens] + (f"-{_ONES[ones]}" if ones else ""))
    elif rest:
        words.append(_ONES[rest])
    return " ".join(words)


def _ordinal_words(number: int) -> str:
    words = _in_words(number)
    return _LAST_WORD.sub(_ordinal_of, words) if words[-1:].isalpha() else _ordinal(number)


def _ordinal_of(word: re.Match[str]) -> str:
    cardinal = word[0]
    if cardinal in _ORDINALS:
        return _ORDINALS[cardinal]
    return f"{cardinal[:-1]}ieth" if cardinal.endswith("y") else f"{cardinal}th"


def _capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def _half_width(letters: str) -> str:
    return "".join(_HALF_WIDTH.get(letter, letter) for letter in letters)


_FORMATS: dict[str, Callable[[int], str]] = {
    "none": lambda _: "",
    "decimalZero": lambda number: f"{number:02d}",
    "decimalFullWidth": _digits("０１２３４５６７８９"),
    "decimalFullWidth2": _digits("０１２３４５６７８９"),
    "decimalEnclosedCircle": _ranged("①", 20),
    "decimalEnclosedCircleChinese": _ranged("①", 20),
    "decimalEnclosedParen": _ranged("⑴", 20),
    "decimalEnclosedFullstop": _ranged("⒈", 20),
    "ideographEnclosedCircle": _ranged("㊀", 10),
    "numberInDash": lambda number: f"- {number} -",
    "hex": lambda number: f"{number:X}",
    "ordinal": _ordinal,
    "cardinalText": lambda number: _capitalised(_in_words(number)),
    "ordinalText": lambda number: _capitalised(_ordinal_words(number)),
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "lowerLetter": _repeating(_LATIN),
    "upperLetter": _repeating(_LATIN.upper()),
    "aiueo": _repeating(_half_width(_AIUEO)),
    "aiueoFullWidth": _repeating(_AIUEO),
    "iroha": _repeating(_half_width(_IROHA)),
    "irohaFullWidth": _repeating(_IROHA),
    "japaneseCounting": _counting(_KANJI_DIGITS, _KANJI_UNITS, writes_one=False),
    **dict.fromkeys(
        (
            "chineseCounting",
            "chineseCountingThousand",
            "taiwaneseCounting",
            "taiwaneseCountingThousand",
        ),
        _chinese_counting("零一二三四五六七八九", _KANJI_UNITS, leading_one=False),
    ),
    "chineseLegalSimplified": _chinese_counting(
        "零壹贰叁肆伍陆柒捌玖", _BANK_UNITS, leading_one=True
    ),
    "ideographLegalTraditional": _chinese_counting(
        "零壹貳參肆伍陸柒捌玖", _BANK_UNITS, leading_one=True
    ),
    "japaneseLegal": _counting(_LEGAL_DIGITS, _LEGAL_UNITS, writes_one=True),
    "japaneseDigitalTenThousand": _digits(_KANJI_DIGITS),
    "ideographDigital": _digits(_KANJI_DIGITS),
    "taiwaneseDigital": _digits("○一二三四五六七八九"),
    "ideographTraditional": _cycling("甲乙丙丁戊己庚辛壬癸"),
    "ideographZodiac": _cycling("子丑寅卯辰巳午未申酉戌亥"),
    "koreanCounting": _counting(_HANGUL_DIGITS, _HANGUL_UNITS, writes_one=False),
    "koreanDigital": _digits(_HANGUL_DIGITS),
    "koreanDigital2": _digits("零一二三四五六七八九"),
    "koreanLegal": _native_korean,
    "ganada": _repeating("가나다라마바사아자차카타파하"),
    "chosung": _repeating("ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"),
}
