"""The project's one tokenizer: what is searchable, on every backend.

Text is folded first (NFKC, case, format characters removed), so width and case never matter, and
the numbers of its addresses are written one way: 第三十八条, 第38条 and 第３８条 are one, and
第25条の2 is no phrase inside which 第25条 stands. Then

- a run of CJK characters (kanji, kana, Hangul) gives its first character, its overlapping bigrams
  and its last character: `所得税` gives `所 所得 得税 税`. With the edge characters a phrase such
  as `第4条` finds its neighbours inside longer runs, and a prefix query on one character finds
  every run that holds it;
- letters and digits of other scripts give whole words;
- a number keeps its decimal points and loses its thousands separators: `20,000` gives `20000`;
- letters directly before a number with points stand apart: `v1.2.3` gives `v 1.2.3`;
- `C++` and `C#` give themselves beside their letter;
- of a word or number longer than 120 characters its first 120 count, since Lucene cuts tokens of
  more than 255 UTF-16 units in two.

Tokens hold no white space and no ASCII punctuation but `.`, `+` and `#`, and begin with none of
these, so both engines index them with a tokenizer that splits at blanks.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ragspine_store.numerals import KANJI_NUMERALS, arabic_digits

# A store built by another version of these rules is indexed anew when it is opened.
TOKENIZER_VERSION = "4"

LONGEST = 120

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
    rf"|(?P<word>[^\W\d_{_CJK}]++(?=\d+(?:\.\d+)+)"
    rf"|[^\W_{_CJK}][^\W_{_CJK}{_MARKS}]*(?:[{_MARKS}]+[^\W_{_CJK}]*)*)(?P<sign>\+\+|\#)?"
)
_CJK_START = re.compile(f"[{_CJK}]")
_KANJI_NUMBER = re.compile(f"[{KANJI_NUMERALS}]++")
_NUMBER = rf"(?:\d++|{_KANJI_NUMBER.pattern})"
# What may follow 第3条の二 for its 二 to be a number of its own: 第3条の一部 and の2割 have none.
_AFTER_BRANCH = (
    r"(?![.,]\d|[a-z%つ々〆ァ-ヺ\u4e00-\u9fff]|か(?!ら))"
    "|(?=第|及び|又は|並び|若し|乃至|[前後]段|本文|各[号項]|中(?!心)|違反|関係|該当|準用|適用|参照|規定)"
)
# What stands before the number is asked after its first digit: a pattern that begins with a set of
# characters is searched for several times as fast.
_ADDRESS = re.compile(
    rf"(?P<number>[\d{KANJI_NUMERALS}]"
    rf"(?:(?P<prefix>(?<=第.)|(?<=第 .))|(?<![\d.,{KANJI_NUMERALS}].))"
    rf"(?:(?<=\d)\d*+|(?<=[{KANJI_NUMERALS}])[{KANJI_NUMERALS}]*+))"
    rf"(?P<unit>(?(prefix) ?[編章節款目条項号]|[章条項号]))"
    rf"(?P<branches>(?:の{_NUMBER}(?:{_AFTER_BRANCH}))*)"
)
# Format characters, and variation selectors: the same character, drawn otherwise. Those beyond the
# Basic Multilingual Plane stand as ranges, which are faster there.
_FORMAT_CHARACTERS = "".join(
    chr(code) for code in range(0x10000) if unicodedata.category(chr(code)) == "Cf"
)
_INVISIBLE = re.compile(
    f"[{_FORMAT_CHARACTERS}\ufe00-\ufe0f"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f\U000e0100-\U000e01ef]"
)


def fold(text: str) -> str:
    """Text as it is compared: compatible forms unified, case and invisible characters removed.

    >>> fold("Ｐａｓｓ\u200bｗord ﾊﾟ")
    'password パ'
    """
    # Line by line, since the engine is done at once with a line that is in normal form already.
    return "\n".join(map(_fold_line, text.split("\n")))


def _fold_line(line: str) -> str:
    if line.isascii():
        return line.lower()
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", line))
    return unicodedata.normalize("NFKC", visible.casefold())


def normalise(text: str) -> str:
    """Text as it is searched: folded, and the numbers of addresses in Arabic digits.

    The branches of a number follow it after a point, so that an address is exact.

    >>> normalise("第三十八条の二第１項の一部")
    '第38.2条第1項の一部'
    """
    folded = fold(text)
    return folded if folded.isascii() else _ADDRESS.sub(_normal_address, folded)


class Numbered(NamedTuple):
    """A numbered part that a text names, such as 第25条の2 or the 3項 of 前条3項.

    Attributes:
        number: in Arabic digits, each branch after a hyphen: `25-2`.
        unit: 編, 章, 節, 款, 目, 条, 項 or 号.
        is_full: whether 第 stands before the number.
        start, end: half-open span in the text.
    """

    number: str
    unit: str
    is_full: bool
    start: int
    end: int


def scan_numbered(text: str) -> Iterator[Numbered]:
    """The numbered parts that a text names, in order; the text as it is, not folded.

    >>> [(part.number, part.unit) for part in scan_numbered("第三十八条の二第１項の一部")]
    [('38-2', '条'), ('1', '項')]
    """
    for match in _ADDRESS.finditer(text):
        numbers = (match["number"] + match["branches"]).split("の")
        number = "-".join(arabic_digits(number) for number in numbers)
        is_full = match["prefix"] is not None
        start = text.rindex("第", 0, match.start()) if is_full else match.start()
        yield Numbered(number, match["unit"].strip(), is_full, start, match.end())


def _normal_address(address: re.Match[str]) -> str:
    number = (address["number"] + address["branches"]).replace("の", ".")
    arabic = _KANJI_NUMBER.sub(lambda kanji: arabic_digits(kanji[0]), number)
    return arabic + address["unit"]


class Token(NamedTuple):
    """One run of the normalised text.

    Attributes:
        text: the run, or the normalised word or number.
        is_cjk: a run of CJK characters, still to be cut into bigrams.
        sign: `++` or `#` directly after a word, else ''.
        start, end: half-open span in the normalised text.
    """

    text: str
    is_cjk: bool
    sign: str
    start: int
    end: int


def scan(normalised: str) -> Iterator[Token]:
    """The runs of a normalised text, in order.

    >>> [token.text for token in scan(normalise("第十条の所得税"))]
    ['第', '10', '条の所得税']
    """
    for match in _TOKEN.finditer(normalised):
        if match["cjk"]:
            yield Token(match["cjk"], True, "", match.start(), match.end())
        elif match["number"]:
            number = match["number"].replace(",", "")[:LONGEST]
            yield Token(number, False, "", match.start(), match.end())
        else:
            yield Token(
                match["word"][:LONGEST], False, match["sign"] or "", match.start(), match.end()
            )


def bigrams(run: str) -> list[str]:
    """The overlapping pairs of a run; none for a single character.

    >>> bigrams("所得税")
    ['所得', '得税']
    """
    return list(map(operator.add, run, run[1:]))


def tokens(text: str) -> list[str]:
    """All index tokens of a text, in order.

    >>> tokens("所得税 20,000円")
    ['所', '所得', '得税', '税', '20000', '円']
    """
    found: list[str] = []
    # What `scan` gives, without where it stands: every child passes here.
    for run, number, word, sign in _TOKEN.findall(normalise(text)):
        if run:
            found.append(run[0])
            if len(run) > 1:
                found.extend(bigrams(run))
                found.append(run[-1])
        elif number:
            found.append(number.replace(",", "")[:LONGEST])
        else:
            found.append(word[:LONGEST])
            if sign:
                found.append(word[:LONGEST] + sign)
    return found


def leads(found: Iterable[str]) -> list[str]:
    """The characters that tokens of CJK text begin with, one for each of them.

    A prefix of one character stands for all tokens that begin with it; an engine that does not
    score prefixes finds and scores them by these.

    >>> leads(tokens("所得税 tea"))
    ['所', '所', '得', '税']
    """
    return [token[0] for token in found if _CJK_START.match(token)]


def index_tokens(
    text: str,
    heading_path: Sequence[str],
    lead_in: str = "",
    find_words: Callable[[str], list[str]] | None = None,
) -> list[str]:
    """The tokens a child is found by: its heading path, the line its list begins with, its text.

    Args:
        text: the child's.
        heading_path: headings above it that are indexed with it.
        lead_in: the line that its list begins with, where that is indexed with it.
        find_words: finds words of all these, which follow the tokens; None for no words.

    >>> index_tokens("tea", ("Rules", "Breaks"), "We offer:")
    ['rules', 'breaks', 'we', 'offer', 'tea']
    """
    head = f"[{' > '.join(heading_path)}] " if heading_path else ""
    whole = f"{head}{lead_in}\n{text}" if lead_in else head + text
    return tokens(whole) + (find_words(whole) if find_words else [])
