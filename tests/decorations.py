"""Other ways to write a name: what a document or a person does to it, on purpose or not."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

LEGAL_FORMS = [
    "{}株式会社",
    "株式会社{}",
    "{}㈱",
    "(株){}",
    "（株）{}",
    "有限会社{}",
    "{}合同会社",
    "㍿{}",
    "{} Inc.",
    "{}, Inc.",
    "{} Co., Ltd.",
    "{} LLC",
    "{} Corp.",
    "{} GmbH",
    "{} S.A.",
    "{} PLC",
]
UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u202e\u180e\ufe0f\U000e0101\x00\x08"
BETWEEN = "·・･‧•.．-‐‑–—−－'_*"
LOOK_ALIKES = str.maketrans("aeopcyxikTOYAHMB", "аеорсухікТОУАНМВ")
KANA_LOOK_ALIKES = str.maketrans("タトニロエカハチオ", "夕卜二口工力八千才")
HALF_WIDTH = {
    unicodedata.normalize("NFKC", form): form
    for form in (chr(code) for code in range(0xFF66, 0xFF9E))
} | {
    unicodedata.normalize("NFKC", form): form
    for form in (chr(code) + mark for code in range(0xFF66, 0xFF9E) for mark in "ﾞﾟ")
    if len(unicodedata.normalize("NFKC", form)) == 1
}


def widened(name: str) -> str:
    """ASCII in full width."""
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in name)


def narrowed(name: str) -> str:
    """Katakana in half width."""
    return "".join(HALF_WIDTH.get(c, c) for c in name)


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _decomposed(name: str) -> str:
    return unicodedata.normalize("NFD", name)


@st.composite
def _sprinkled(draw: st.DrawFn, name: str, marks: str) -> str:
    """The name with marks between some of its characters."""
    places = draw(st.lists(st.booleans(), min_size=len(name) - 1, max_size=len(name) - 1))
    gaps = [draw(st.sampled_from(marks)) if place else "" for place in places]
    return "".join(map("".join, zip(name, [*gaps, ""], strict=True)))


@st.composite
def decorated(draw: st.DrawFn, name: str) -> str:
    """The name as it may be written elsewhere; still the same name."""
    case = draw(st.sampled_from([str.upper, str.lower, str.title, str.swapcase, str]))
    text = case(name)
    if draw(st.booleans()):
        text = text.translate(LOOK_ALIKES).translate(KANA_LOOK_ALIKES)
    text = draw(_sprinkled(text, BETWEEN))
    text = draw(st.sampled_from([widened, narrowed, str]))(text)
    text = draw(st.sampled_from([_composed, _decomposed, str]))(text)
    text = draw(_sprinkled(text, UNSEEN))
    return draw(st.sampled_from(["{}", *LEGAL_FORMS])).format(text)
