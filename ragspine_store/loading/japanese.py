"""The line grammar of Japanese rules and statutes: headings, captions and item markers.

People write 第1条, 第２５条の２ and 第二十五条の二, with a title after a space, a colon or in
brackets, or with the sentence itself on the same line. A line that only mentions an article, or
that stands in a table of contents, is no heading.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from dataclasses import dataclass, field, replace


class Rank(enum.IntEnum):
    """The rank of a heading of rules; a lower one holds the higher ones."""

    OUTERMOST = 0  # 附則, 別表, Annex
    PART = 1  # 編
    CHAPTER = 2  # 章
    SECTION = 3  # 節
    SUBSECTION = 4  # 款
    DIVISION = 5  # 目
    ARTICLE = 6  # 条
    NUMBER = 7  # 1.
    SUBNUMBER = 8  # 1.1
    THIRD_NUMBER = 9  # 1.1.1
    DEEPEST_NUMBER = 10  # 1.1.1.1 and below


_RANKS = dict(
    zip(
        "編章節款目条",
        (
            Rank.PART,
            Rank.CHAPTER,
            Rank.SECTION,
            Rank.SUBSECTION,
            Rank.DIVISION,
            Rank.ARTICLE,
        ),
        strict=True,
    )
)

_NUMBER = "(?:[0-9０-９]+|[〇零一二三四五六七八九十百千壱弐参]+)"
_SPACE = r"[ \t\u3000]"
_BRANCHES = f"(?:の{_NUMBER})*"
# 第三十八条から第八十四条まで　削除: one heading in the place of many.
_TO = rf"{_SPACE}?(?:から|及び|[・〜～~―—–‐－-]){_SPACE}?"
_RANGE = f"(?:{_TO}第?{_NUMBER}[編章節款目条]{_BRANCHES}(?:まで)?)*"
_HEAD = (
    rf"第{_SPACE}?{_NUMBER}{_SPACE}?(?P<unit>[編章節款条]|目(?![的標次安録印])){_BRANCHES}{_RANGE}"
    rf"|附{_SPACE}*則|別{_SPACE}?表(?:{_SPACE}?第?{_SPACE}?{_NUMBER}{_BRANCHES})?"
)
_BRACKETED = "(?:[（(](?:[^（）()。]|[（(][^（）()。]*[）)])*[）)]|【[^【】。]*】)"
_HEADING = re.compile(
    rf"(?P<indent>{_SPACE}*)(?P<head>{_HEAD})(?P<caption>{_SPACE}*{_BRACKETED})?"
    rf"(?P<gap>[ \t\u3000：:]*)(?P<rest>.*)",
    re.DOTALL,
)
_BOLD = re.compile(rf"{_SPACE}*(?P<mark>\*\*|__)(?P<heading>[^*_]+)(?P=mark)\s*")
_ANY_HEAD = re.compile(rf"{_SPACE}*(?:{_HEAD})")
_SEPARATORS = " \t\u3000：:（(【［["
_CAPTION = re.compile(rf"{_SPACE}*{_BRACKETED}\s*")

# What follows 第4条 or （１） in a sentence that refers to it. A bare particle is not enough: the
# text of an item may begin with any of them (（１）やむを得ない事由…).
REFERENCE = (
    "(?:[のを、，～〜]|は[、，]|に(?:掲げ|規定|定め|該当|よ[りるっ]|つい|おい|基づ|関)|から|まで"
    "|及び|および|又は|または|若しくは|もしくは|並びに|ならびに)"
)
_REFERS = re.compile(f"{REFERENCE}|第{_NUMBER}[条項号]")
_REFERS_IN_TITLE = re.compile("[のにをがとで、，]|及び|および|又は|または|若しくは|並びに|第")
_MAX_TITLE = 40
_SENTENCE = re.compile("[。！？]|[はがてでにをもば][、，]|[、，をにがはで]$")

_ARTICLE_RANGE = (
    rf"[（(]第{_NUMBER}条{_BRANCHES}"
    rf"(?:\s*(?:[-‐–—―－~～〜・、，,]|から|及び)\s*第{_NUMBER}条{_BRANCHES}(?:まで)?)*[）)]\s*$"
)
_PAGE_LEADER = r"(?:(?:[.．・･]\s*){3,}|[…‥]+\s*|\t)[（(]?[0-9０-９]{1,4}[）)]?\s*$"
_CONTENTS_ENTRY = re.compile(f"{_ARTICLE_RANGE}|{_PAGE_LEADER}")
_ARTICLE_CONTENTS_ENTRY = re.compile(_PAGE_LEADER)
_MAX_CONTENTS_ENTRY = 200
_CONTENTS_TITLE = re.compile(r"\s*(?:目\s*次|(?:Table\s+of\s+)?Contents)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HeadingLine:
    """A line that opens with a heading.

    Attributes:
        rank: its rank.
        start, end: where the heading stands in the line, with the marks that make it bold.
        body: where the text after it starts; the end of the line without any.
        is_contents_entry: whether it stands in a table of contents instead.
        number: the numbered part without spaces or width, to find it again.
    """

    rank: Rank
    start: int
    end: int
    body: int
    is_contents_entry: bool
    number: str = field(repr=False)


def parse_heading(line: str, *, captioned: bool = False) -> HeadingLine | None:
    """Read a line as 編, 章, 節, 款, 目, 条, 附則 or 別表.

    Args:
        line: one line, without its line end.
        captioned: whether a caption such as （目的） stands on the line above; then what
            follows the number is the article's text.

    Returns:
        None when the line is no heading: other text, or a sentence that begins with a reference.

    >>> line = "第一条　この法律は、目的を定めるものとする。"
    >>> heading = parse_heading(line)
    >>> line[heading.start:heading.end], line[heading.body:heading.body + 4]
    ('第一条', 'この法律')
    """
    if bold := _BOLD.fullmatch(line):
        heading = parse_heading(bold["heading"])
        if heading is None or heading.body < len(bold["heading"]):
            return None
        start, end = bold.start("mark"), len(line.rstrip())
        return replace(heading, start=start, end=end, body=len(line))
    match = _HEADING.fullmatch(line.rstrip())
    if match is None or not _is_set_apart(match):
        return None
    rank = _RANKS.get(match["unit"] or "", Rank.OUTERMOST)
    start, end, body = match.start("head"), match.end("rest"), len(line)
    if not _heads_whole_line(match, rank, captioned=captioned):
        if rank not in (Rank.ARTICLE, Rank.OUTERMOST):
            return None
        end = match.end("caption") if match["caption"] else match.end("head")
        body = match.start("rest")
    elif not match["rest"]:
        end = match.end("caption") if match["caption"] else match.end("head")
    return HeadingLine(
        rank, start, end, body, _is_contents_entry(line, rank), _number(match["head"])
    )


def shown_heading(heading: str) -> str:
    """A heading of a plain line as it is shown: without the marks that make it bold.

    >>> shown_heading("**第4条（目的）**")
    '第4条（目的）'
    """
    bold = _BOLD.fullmatch(heading)
    return bold["heading"].strip() if bold else heading


def _is_set_apart(match: re.Match[str]) -> bool:
    """Whether more than a reference in a sentence: a separator or nothing follows the number."""
    if not match["rest"]:
        return True
    if match["caption"]:
        return bool(match["gap"]) or not _REFERS.match(match["rest"])
    return bool(match["gap"]) or match["rest"][0] in "［[〔「『"


def _heads_whole_line(match: re.Match[str], rank: Rank, *, captioned: bool) -> bool:
    rest = match["rest"]
    if not rest:
        return True
    if rank is Rank.ARTICLE and (captioned or match["caption"]):
        return False
    return is_title(rest)


def is_title(text: str) -> bool:
    """Whether text after a number reads as a title rather than as a sentence.

    >>> is_title("諸手当および福利厚生"), is_title("会社は、手当を支給する。")
    (True, False)
    """
    return len(text) <= _MAX_TITLE and not _SENTENCE.search(text)


def _is_contents_entry(line: str, rank: Rank) -> bool:
    if len(line) > _MAX_CONTENTS_ENTRY:
        return False
    has_articles_below = Rank.OUTERMOST < rank < Rank.ARTICLE
    pattern = _CONTENTS_ENTRY if has_articles_below else _ARTICLE_CONTENTS_ENTRY
    return pattern.search(line) is not None


def _number(head: str) -> str:
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", head))


def rank_of(heading: str) -> Rank | None:
    """The rank of a heading that is marked as one already, such as a Markdown heading.

    >>> rank_of("第25条の2　深夜業"), rank_of("第4条の規定について")
    (<Rank.ARTICLE: 6>, None)
    """
    match = _ANY_HEAD.match(heading)
    if match is None:
        return None
    rest = heading[match.end() :]
    if match["unit"] is None:
        return None if rest and rest[0] not in _SEPARATORS else Rank.OUTERMOST
    return None if _REFERS_IN_TITLE.match(rest) else _RANKS[match["unit"]]


def is_caption(line: str) -> bool:
    """Whether the line is nothing but a bracketed caption such as （目的）."""
    return _CAPTION.fullmatch(line) is not None


def is_contents_title(line: str) -> bool:
    """Whether the line announces a table of contents."""
    return _CONTENTS_TITLE.fullmatch(line) is not None


def names_page(line: str) -> bool:
    """Whether the line ends with dots and a page number, as in a table of contents."""
    return len(line) <= _MAX_CONTENTS_ENTRY and _ARTICLE_CONTENTS_ENTRY.search(line) is not None
