"""Letters that look like letters of another script, and what each is compared as.

Drawn from the confusables of Unicode (UTS #39) and closed under case, since case never matters in
a name: a Greek Ν is compared as `n`, so ν is too. What looks alike within ASCII (`l` and `I`, `0`
and `O`) stays apart, or AI and Al would be one name; so does all that needs two letters (`rn`).
confusable-homoglyphs (MIT, last released in January 2024) carries the same data as 1 MB of JSON,
but holds `I` and `l` for one, and knows nothing of case or kana.
"""

from __future__ import annotations

import re

LATIN = str.maketrans(
    "авеѕіјкмнорстухһԁԛԝүѵӏԍ" + "αβεζηικμνορτυχϳ" + "օսհոց" + "ɑɡıᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "abesijkmhopctyxhdqwyvlg" + "abezhikmnoptyxj" + "ouhng" + "agiabcdefghijklmnoprstuvwyz",
)
"""Folded letters of Cyrillic, Greek, Armenian and phonetic script, as Latin ones."""

KANA = str.maketrans(
    "力夕卜二口工八千才三乂厶へべぺり" + "ァィゥェォッャュョヮヵヶ",
    "カタトニロエハチオミメムヘベペリ" + "アイウエオツヤユヨワカケ",
)
"""Kanji and hiragana drawn like katakana, and small katakana, as large katakana."""

_FOREIGN = re.compile(f"[{''.join(map(chr, LATIN))}]")
_WORD = re.compile(r"[^\W\d_]+")
_LATIN_LETTER = re.compile("[a-z]")
# Micro: in 5 μm the Greek letter means itself.
_UNIT = re.compile("μ(?:mol|sv|gy|pa|hz|[aflmsghvwtcnj])")


def mixed_words_as_latin(folded: str) -> str:
    """Words that mix Latin letters with look-alikes, in Latin letters; the length stays.

    A word of one foreign script alone is taken to be what it seems.

    >>> mixed_words_as_latin("tоyоta мост 5μm")  # with two Cyrillic letters
    'toyota мост 5μm'
    """
    if not _FOREIGN.search(folded):
        return folded
    return _WORD.sub(_as_latin, folded)


def _as_latin(word: re.Match[str]) -> str:
    letters = word[0]
    is_mixed = _LATIN_LETTER.search(letters) and not _UNIT.fullmatch(letters)
    return letters.translate(LATIN) if is_mixed else letters
