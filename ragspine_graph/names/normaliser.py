"""The one normaliser of names (promise G6): what makes two spellings the same name.

Compared without regard to

- width, case, and characters that are not seen (zero width, bidi marks, variation selectors,
  controls);
- spaces, dots, middle dots, hyphens, apostrophes and markup between letters; between two digits
  they count, since 3.5 is not 35;
- legal forms before or after (`ragspine_graph.names.legal_forms`);
- old and new forms of kanji: the list of characters for general use with its old forms, and
  variants common in names such as 髙 and 﨑, from joyokanji (Apache 2.0, 18 kB, 2025). Other tables
  were looked at: jntajis-python is 84 MB, ja-itaiji takes 罷 and 羆 for one, OpenCC lacks 髙. What
  it does not hold (嶋 and 島) is for aliases of the profile;
- letters of another script that look alike, in a word that mixes scripts
  (`ragspine_graph.names.look_alikes`).

Hiragana and katakana stay apart. The loose form compares still less: it is for the gate, which
would rather stop a name too many.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from joyokanji import convert as to_new_kanji

from ragspine_graph.names.legal_forms import span_of_name
from ragspine_graph.names.look_alikes import KANA, LATIN, mixed_words_as_latin

MAX_NAME_CHARS: Final = 200
"""The longest name that the graph takes."""

# Controls but for white space, and unpaired surrogates.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_UNSEEN = frozenset({"Cc", "Cf", "Cs"})
_JOINING = frozenset({"Mn", "Mc", "Me", "Cc", "Cf"})
# Letters and marks that are drawn as nothing, beside what the categories name.
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
_DOTS = frozenset(".·・‧∙⋅•⸱ꞏ'’‘_*~|\\")
_DASHES = frozenset("−⁃─━")
_FIRST_CJK = "\u3005"
_VOICING = str.maketrans("\u309b\u309c", "\u3099\u309a")


def _is_seen(letter: str) -> bool:
    if letter.isspace():
        return True
    is_selector = "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef"
    return not (is_selector or letter in _BLANKS or unicodedata.category(letter) in _UNSEEN)


# A character with all that belongs to it: marks, voicing of half-width kana, Hangul vowels, and
# what is not seen between them, so that composing each piece composes the text.
_CONTINUING = "".join(
    letter
    for block in (range(0x3100), range(0xA66F, 0xABF0), range(0xFB1E, 0xFFFC))
    for letter in map(chr, block)
    if (unicodedata.category(letter) in _JOINING and not letter.isspace()) or letter in _BLANKS
)
_PIECE = re.compile(
    rf".[{re.escape(_CONTINUING)}\u309b\u309c\uff9e\uff9f\u1160-\u11ff\ud7b0-\ud7ff"
    r"\U0001d165-\U0001d182\U000e0000-\U000e01ef]*",
    re.DOTALL,
)


class Gap:
    """What stands between two letters of a name: 0 for nothing, otherwise a sum of these.

    Attributes:
        LONG: a long vowel, which in sloppy writing is a dash; a gap in the loose form alone.
    """

    # Numbers, since an enumeration's arithmetic would take most of the time of a match.
    DOT: Final = 1
    DASH: Final = 2
    SPACE: Final = 4
    LONG: Final = 8


@dataclass(frozen=True, slots=True)
class FoldedName:
    """A text as names are compared in it.

    Attributes:
        text: the letters that count, without gaps.
        gaps: what stands before each letter, and at last what stands after them all.
        starts, ends: where each letter stands in the original text, half-open.
    """

    text: str = field(repr=False)
    gaps: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]

    def cut(self, start: int, end: int) -> FoldedName:
        """Some of its letters, with the gaps around them."""
        return FoldedName(
            self.text[start:end],
            self.gaps[start : end + 1],
            self.starts[start:end],
            self.ends[start:end],
        )

    def spaced(self) -> str:
        """The letters with a space where one parts words; CJK script parts none."""
        return "".join(
            f" {letter}" if self.is_parted(number) else letter
            for number, letter in enumerate(self.text)
        )

    def is_parted(self, number: int) -> bool:
        """Whether a space stands before a letter, and one of both sides is not CJK."""
        return bool(self.gaps[number] & Gap.SPACE) and (
            number == 0 or min(self.text[number - 1 : number + 1]) < _FIRST_CJK
        )


def holds_control(name: str) -> bool:
    r"""Whether a name holds a control character or half of a pair, which no graph takes.

    >>> holds_control("EX\x1b[31m"), holds_control("Example\tInc.")
    (True, False)
    """
    return _CONTROL.search(name) is not None


@lru_cache(maxsize=1 << 14)
def normalise_name(text: str) -> str:
    """What two spellings of one name have in common; '' when the text names nothing.

    >>> normalise_name("ﾄ・ﾖ\u200bﾀ自動車㈱") == normalise_name("株式会社トヨタ自動車")
    True
    >>> normalise_name("Meta Platforms, Inc.")
    'metaplatforms'
    """
    name = fold_name(text).text
    if text.isascii() and name == text.lower():  # whose own form it is then
        return name
    # Dropping a gap or a legal form can bring together what composes or is a legal form itself.
    while name != text:
        text, name = name, fold_name(name).text
    return name


def is_legal_form(name: str) -> bool:
    """Whether a name is a legal form and nothing else.

    >>> is_legal_form("Co., Ltd."), is_legal_form("㈱Acme")
    (True, False)
    """
    return bool(normalise_name(name)) and normalise_name(f"x {name}") == "x"


def loose_name(name: str) -> str:
    """What two spellings of one name have in common where the least is compared.

    >>> loose_name("ＮＥＳＴＬＥ S.A.") == loose_name("Nestlé")
    True
    """
    folded = fold_name(name, is_loose=True)
    longs = ("ー" if gap & Gap.LONG else "" for gap in folded.gaps)
    return "".join(map("".join, zip(longs, [*folded.text, ""], strict=True)))


def fold_name(name: str, *, is_loose: bool = False) -> FoldedName:
    """A whole name as it is compared, without legal forms and quotes around it."""
    folded = fold_text(name, is_loose=is_loose)
    if name.isascii() and name.isalnum():  # one plain word holds no legal form
        return folded
    spaced = folded.spaced()
    owners = [
        number
        for number in range(len(folded.text))
        for _ in range(2 if folded.is_parted(number) else 1)
    ]
    start, end = span_of_name(spaced)
    return folded.cut(owners[start], owners[end - 1] + 1) if start < end else folded.cut(0, 0)


def fold_text(text: str, *, is_loose: bool = False) -> FoldedName:
    """A text in which names are looked for.

    Args:
        text: of any length.
        is_loose: compare less: no accents, every look-alike as its Latin letter or katakana, large
            and small kana as one, a long vowel as a gap.
    """
    if text.isascii() and text.isalnum():  # as most codes are; nothing stands between letters
        length = len(text)
        return FoldedName(text.lower(), [0] * (length + 1), range(length), range(1, length + 1))
    letters: list[str] = []
    gaps: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    gap = 0
    for piece in _PIECE.finditer(text):
        for letter, own_gap in _fold_piece(piece[0], is_loose):
            if own_gap:
                gap |= own_gap
                continue
            if gap and letters and letter.isdecimal() and letters[-1].isdecimal():
                letters.append(_between_digits(gap))
                gaps.append(0)
                starts.append(ends[-1])
                ends.append(piece.start())
                gap = 0
            letters.append(letter)
            gaps.append(gap)
            starts.append(piece.start())
            ends.append(piece.end())
            gap = 0
    gaps.append(gap)
    return FoldedName(_unmixed("".join(letters), gaps), gaps, starts, ends)


def _between_digits(gap: int) -> str:
    if gap & Gap.SPACE:
        return " "
    return "-" if gap & (Gap.DASH | Gap.LONG) else "."


def _unmixed(letters: str, gaps: Sequence[int]) -> str:
    if letters.isascii():
        return letters
    edges = [0, *(number for number, gap in enumerate(gaps[:-1]) if gap), len(letters)]
    return "".join(
        mixed_words_as_latin(letters[start:end]) for start, end in itertools.pairwise(edges)
    )


@lru_cache(maxsize=1 << 16)
def _fold_piece(piece: str, is_loose: bool) -> tuple[tuple[str, int], ...]:
    seen = "".join(filter(_is_seen, piece)).translate(_VOICING)
    if len(seen) == 1 and unicodedata.category(seen) == "Sk":
        return ((seen, Gap.DOT),)  # NFKC would make a mark of it that joins the letter before
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold())
    folded = to_new_kanji(folded, variants=True)
    if is_loose:
        folded = _without_accents(folded).translate(LATIN).translate(KANA)
    return tuple((letter, _gap(letter, is_loose)) for letter in folded if _is_seen(letter))


def _without_accents(folded: str) -> str:
    letters = unicodedata.normalize("NFD", folded)
    kept = (c for c in letters if unicodedata.category(c) != "Mn" or c in "\u3099\u309a")
    return unicodedata.normalize("NFC", "".join(kept))


def _gap(letter: str, is_loose: bool) -> int:
    if letter.isspace():
        return Gap.SPACE
    category = unicodedata.category(letter)
    if category == "Pd" or letter in _DASHES:
        return Gap.DASH
    if letter in _DOTS or category == "Sk":
        return Gap.DOT
    if is_loose and letter == "ー":
        return Gap.LONG
    return Gap.DOT if is_loose and (category == "So" or letter == "!") else 0
