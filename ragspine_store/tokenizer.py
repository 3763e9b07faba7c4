"""The project's one tokenizer: what is searchable, on every backend.

Text is folded first (NFKC, case, format characters removed), so width and case never matter. Then

- a run of CJK characters (kanji, kana, Hangul) gives its first character, its overlapping bigrams
  and its last character: `所得税` gives `所 所得 得税 税`. With the edge characters a phrase such
  as `第4条` finds its neighbours inside longer runs, and a prefix query on one character finds
  every run that holds it;
- letters and digits of other scripts give whole words;
- a number keeps its decimal point and loses its thousands separators: `20,000` gives `20000`;
- `C++` and `C#` give themselves beside their letter.

Tokens hold no white space and no ASCII punctuation but `.`, `+` and `#`, so both engines index them
with a tokenizer that splits at blanks.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# A store built by another version of these rules is indexed anew when it is opened.
TOKENIZER_VERSION = "1"

_CJK = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u1100-\u11ff\uac00-\ud7af"
    "\U00020000-\U0003ffff"
)
_MARKS = "".join(
    chr(code) for code in range(0x300, 0x1100) if unicodedata.category(chr(code))[0] == "M"
)
_TOKEN = re.compile(
    rf"(?P<cjk>[{_CJK}]+)"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?!,?\d)(?:\.\d+)*|\d+(?:\.\d+)+)"
    rf"|(?P<word>[^\W_{_CJK}][^\W_{_CJK}{_MARKS}]*(?:[{_MARKS}]+[^\W_{_CJK}]*)*)(?P<sign>\+\+|\#)?"
)
_INVISIBLE = {
    code: None
    for block in (range(0x10000), range(0x1D173, 0x1D17B), range(0xE0000, 0xE01F0))
    for code in block
    if unicodedata.category(chr(code)) == "Cf"
    or 0xFE00 <= code <= 0xFE0F  # variation selectors: the same character, drawn otherwise
    or 0xE0100 <= code <= 0xE01EF
}


def fold(text: str) -> str:
    """Text as it is compared: compatible forms unified, case and invisible characters removed.

    >>> fold("Ｐａｓｓ\u200bｗord ﾊﾟ")
    'password パ'
    """
    if text.isascii():
        return text.lower()
    visible = unicodedata.normalize("NFKC", text).translate(_INVISIBLE)
    return unicodedata.normalize("NFKC", visible.casefold())


class Token(NamedTuple):
    """One run of the folded text.

    Attributes:
        text: the run, or the normalised word or number.
        is_cjk: a run of CJK characters, still to be cut into bigrams.
        sign: `++` or `#` directly after a word, else ''.
        start, end: half-open span in the folded text.
    """

    text: str
    is_cjk: bool
    sign: str
    start: int
    end: int


def scan(folded: str) -> Iterator[Token]:
    """The runs of a folded text, in order."""
    for match in _TOKEN.finditer(folded):
        if match["cjk"]:
            yield Token(match["cjk"], True, "", match.start(), match.end())
        elif match["number"]:
            number = match["number"].replace(",", "")
            yield Token(number, False, "", match.start(), match.end())
        else:
            yield Token(match["word"], False, match["sign"] or "", match.start(), match.end())


def bigrams(run: str) -> list[str]:
    """The overlapping pairs of a run; none for a single character."""
    return list(map(operator.add, run, run[1:]))


def tokens(text: str) -> list[str]:
    """All index tokens of a text, in order.

    >>> tokens("所得税 20,000円")
    ['所', '所得', '得税', '税', '20000', '円']
    """
    found: list[str] = []
    for token in scan(fold(text)):
        if token.is_cjk:
            run = token.text
            found.append(run[0])
            if len(run) > 1:
                found.extend(bigrams(run))
                found.append(run[-1])
        else:
            found.append(token.text)
            if token.sign:
                found.append(token.text + token.sign)
    return found


def index_tokens(text: str, heading_path: Sequence[str]) -> list[str]:
    """The tokens a child is found by: its heading path, when it has one, and its text."""
    return tokens(f"[{' > '.join(heading_path)}] {text}" if heading_path else text)
