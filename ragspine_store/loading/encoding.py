"""From bytes to text: which encoding a file is in, and whether it is text at all.

What marks itself is taken at its word: a byte order mark, valid UTF-8, the escape sequences of
ISO-2022-JP. CP932 and EUC-JP bear no mark and often decode each other's bytes, so between them
the more plausible Japanese wins, and implausible text is refused rather than stored as rubbish.
Chinese and Korean files are valid EUC-JP as well, all kanji; so EUC-JP has to hold kana.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter

from ragspine_store.errors import LoadError

EXPECTED_ENCODINGS = "UTF-8, UTF-16 with a byte order mark, CP932 (Shift_JIS) or EUC-JP"

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ISO_2022_JP_KANJI = re.compile(rb"\x1b\$[@B]")
# EUC-JIS-2004 last: it reads what EUC-JP cannot (①, ㈱) and spells the rest alike.
_UNMARKED = ("cp932", "euc_jp", "euc_jis_2004")
_MIN_PLAUSIBILITY = 0.5
# What the web calls encodings; Latin 1 there means Windows 1252.
_DECLARED = {
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j"), "cp932"),
    **dict.fromkeys(("euc-jp", "x-euc-jp"), "euc_jp"),
    **dict.fromkeys(("iso-8859-1", "latin1", "windows-1252"), "cp1252"),
    **{f"windows-{page}": f"cp{page}" for page in (1250, 1251, 1253, 1254, 1257)},
    **{f"iso-8859-{part}": f"iso8859_{part}" for part in (2, 5, 7, 9, 15)},
    **dict.fromkeys(("gbk", "gb2312", "gb18030"), "gb18030"),
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "koi8-r": "koi8_r",
}
_MIN_KANA_IN_EUC = 0.05
_KANA = re.compile(r"[\u3041-\u30fe]")
# Words in half-width katakana as they are written; bytes of other encodings, read as such
# katakana, soon break a rule of it.
_HALF_WIDTH_WORD = re.compile(
    r"｢?(?<![a-z])(?:(?:[ｳｶ-ﾄﾊ-ﾎ]ﾞ|[ﾊ-ﾎ]ﾟ|[ｦｱ-ﾝ])"
    r"(?:(?<=[ｷｼﾁﾃﾆﾋﾐﾘﾞﾟ])[ｬｭｮ]|(?<=[ｳｸｼﾁﾂﾃﾄﾌﾞ])[ｧ-ｫ])?ｰ*(?:ｯ(?=[ｶ-ﾎ]))?){2,}(?![a-z])[｡､･｣]*"
)

_CONTROLS = re.compile(r"[\x01-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_MAX_STRAY_CONTROLS = 4


def decode(data: bytes, *, name: str, declared: str = "") -> str:
    r"""Decode one file.

    Args:
        data: the file's bytes.
        name: how to name the file in an error.
        declared: the encoding that the file declares, as the web names it; believed where the
            bytes do not mark another.

    Returns:
        The text without its byte order mark; line ends and characters as written.

    Raises:
        LoadError: the encoding cannot be known, or the file is binary or holds no text.

    >>> decode("第1条　目的".encode("cp932"), name="rules.md")
    '第1条\u3000目的'
    """
    text = _decode_bytes(data, name, declared)
    _check_is_text(text, name)
    return text


def _decode_bytes(data: bytes, name: str, declared: str) -> str:
    try:
        if data.startswith(_UTF16_MARKS):
            return data.decode("utf-16")
        if data.startswith(codecs.BOM_UTF8):
            return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _undecodable(name) from None
    if b"\0" in data:
        raise _binary(name)
    if data.isascii():
        return _decode_seven_bit(data)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_declared(data, declared) or _decode_unmarked(data, name)


def _decode_declared(data: bytes, declared: str) -> str:
    """The text in the encoding that is declared; '' when it is unknown or does not fit."""
    encoding = _DECLARED.get(declared.lower(), "")
    try:
        return data.decode(encoding) if encoding else ""
    except UnicodeDecodeError:
        return ""


def _decode_seven_bit(data: bytes) -> str:
    if _ISO_2022_JP_KANJI.search(data):
        try:
            return data.decode("iso2022_jp")
        except UnicodeDecodeError:
            pass
    return data.decode("ascii")


def _decode_unmarked(data: bytes, name: str) -> str:
    candidates: list[str] = []
    for encoding in _UNMARKED:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding == "cp932" or _kana_share(text) >= _MIN_KANA_IN_EUC:
            candidates.append(text)
    best = max(candidates, key=_plausibility, default="")
    if _plausibility(best) < _MIN_PLAUSIBILITY:
        raise _undecodable(name)
    return best


def _plausibility(text: str) -> float:
    """How much of the non-ASCII text is what Japanese is written with, from -1 to 1."""
    rest = _HALF_WIDTH_WORD.sub("", text)
    counts = Counter(char for char in rest if char > "\x7f")
    if not counts:
        return _MIN_PLAUSIBILITY if rest != text else 0
    weight = sum(_plausibility_of(char) * count for char, count in counts.items())
    return weight / counts.total()


def _kana_share(text: str) -> float:
    """How many of the letters beyond ASCII are kana, from 0 to 1."""
    letters = sum(1 for char in text if char > "\x7f" and char.isalpha())
    return sum(1 for _ in _KANA.finditer(text)) / max(letters, 1)


def _plausibility_of(char: str) -> int:
    if "\uff61" <= char <= "\uff9f" or "\ue000" <= char <= "\uf8ff" or char < "\xa1":
        return -1  # half-width katakana, private use, control characters
    if "\u3041" <= char <= "\u30ff" or char in "\u3000、。「」（），．・：％〜～―－①②③":
        return 1
    code = char.encode("euc_jp", "ignore")
    is_fullwidth_alphanumeric = len(code) == 2 and code[0] == 0xA3
    is_level_1_kanji = len(code) == 2 and 0xB0 <= code[0] <= 0xCF
    return int(is_fullwidth_alphanumeric or is_level_1_kanji)


def _check_is_text(text: str, name: str) -> None:
    if not text.strip():
        raise LoadError(f"{name} holds no text; expected a document: fill it or leave it out")
    strays = sum(1 for _ in _CONTROLS.finditer(text))
    if "\0" in text or strays > max(_MAX_STRAY_CONTROLS, len(text) // 100):
        raise _binary(name)


def _undecodable(name: str) -> LoadError:
    return LoadError(
        f"{name} cannot be decoded; expected {EXPECTED_ENCODINGS}: convert it to UTF-8"
    )


def _binary(name: str) -> LoadError:
    return LoadError(
        f"{name} holds NUL or control characters, so it looks binary; "
        f"expected text in {EXPECTED_ENCODINGS}: convert it to UTF-8 or leave it out"
    )
