"""Names of documents in front of a reference: 労働基準法, 「賃金規程」, 同法, この規則."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from ragspine_graph.extraction.defined_terms import find_defined_terms
from ragspine_graph.extraction.references.mentions import OWN_DOCUMENT
from ragspine_graph.extraction.references.titles import normal_title

_MAX_NAME = 60
_MAX_DISTANCE = 600
_NOUN = re.compile(
    r"(?:法|法律|憲法|令|政令|省令|府令|勅令|規則|規程|規定|規約|細則|条例|協定|協約|協定書|契約|契約書|約款"
    r"|定款|要領|要綱|基準|指針|内規|条約|議定書|マニュアル|ガイドライン|ハンドブック)\Z"
)
_GENERIC = re.compile(
    r"(?:法|法律|令|規則|規程|規定|細則|条例|協定|契約|契約書|約款|定款|基準|要領)"
)
_NO_NAME = re.compile(r"(?:方法|法令|命令|辞令|手法|用法|前契約|労働契約|雇用契約)\Z")
_RUN = re.compile(r"[一-鿿々〇ァ-ヺーA-Za-zＡ-Ｚａ-ｚ0-9０-９・]*\Z")
_DESCRIBES = re.compile(r"(?:に関する|のための|についての|に対する)\Z")
_BORDER = re.compile(r"[。、，「」『』（）()\n\r\t：:]")
_ADVERB = re.compile(
    r"(?:.*[条項号則]中|際|原則|現行|別途|当該|会社|当社|弊社|各|以下|上記|改正後|改正前)(?=..)"
)
_CONJUNCTION = re.compile(
    r"(?:.*別に定める|[0-9０-９]+|又は|及び|並びに|若しくは|または|および|なお|ただし|但し)"
)


class TitleReader:
    """Reads the names of documents in one text.

    Args:
        text: the text; the short names that it defines are known in all of it.
        own: normalised names of the document itself.
        normal: normalises a name; the caller may remember what it gave.
    """

    def __init__(
        self, text: str, own: frozenset[str], normal: Callable[[str], str] = normal_title
    ) -> None:
        self._normal = normal
        self._text = text
        self._own = own
        self._meaning: dict[str, str] = {}
        # Where names stand in the text and what they are, by the noun they end with.
        self._named: dict[str, list[tuple[int, str]]] = {}
        for term in find_defined_terms(text):
            if term.opening is None:
                continue
            named = self._read(term.opening)
            if named is not None:
                self._meaning.setdefault(self._normal(term.name), named[1])

    def find_before(self, at: int) -> tuple[int, str] | None:
        """Where the name of a document that ends at a place begins, and the name.

        The name is `OWN_DOCUMENT` for the document itself. A short name that the text defines is
        given in full, and 同法 as what was named last. None without a name.
        """
        named = self._read(self._before_brackets(at))
        if named is None:
            return None
        start, name = named
        if _is_same(name):
            name = self._last_name(name[1:], start)
        name = self._meaning.get(self._normal(name), name)
        if self._normal(name) in self._own:
            name = OWN_DOCUMENT
        return start, name

    def short_names(self) -> list[str]:
        """The short names that the document gives itself and others may use, normalised.

        本規程 is none: every document can call itself so.
        """
        return [
            name
            for name, meaning in self._meaning.items()
            if self._is_own(meaning) and not _GENERIC.fullmatch(name.lstrip("本当"))
        ]

    def _last_name(self, noun: str, end: int) -> str:
        """The name that ends with this noun and stands last before a place; the noun without."""
        if noun not in self._named:
            self._named[noun] = [
                (match.end(), named[1])
                for match in re.finditer(noun, self._text)
                if (named := self._read(match.end())) and not _is_same(named[1])
            ]
        named = self._named[noun]
        index = bisect_right(named, end, key=lambda place: place[0])
        if index == 0 or end - named[index - 1][0] > _MAX_DISTANCE:
            return noun
        return named[index - 1][1]

    def _is_own(self, name: str) -> bool:
        return name == OWN_DOCUMENT or self._normal(name) in self._own

    def _before_brackets(self, at: int) -> int:
        """The end of what stands before the brackets that end at a place."""
        text = self._text
        depth = 0
        for index in range(at - 1, max(at - 100, 0) - 1, -1):
            if text[index] in "）)":
                depth += 1
            elif text[index] in "（(":
                depth -= 1
            if depth == 0:
                return index if text[index] in "（(" else at
        return at

    def _read(self, end: int) -> tuple[int, str] | None:
        text = self._text
        start = max(end - _MAX_NAME, 0)
        if end > 0 and text[end - 1] in "」』":
            opening = max(text.rfind("「", start, end), text.rfind("『", start, end))
            name = text[opening + 1 : end - 1] if opening >= 0 else ""
            return (opening, name) if _NOUN.search(name) and not _NO_NAME.search(name) else None
        match = _RUN.search(text, start, end)
        name = match[0] if match else ""
        if not _NOUN.search(name) or _NO_NAME.search(name):
            return None
        lead = _ADVERB.match(name)
        name = name[lead.end() :] if lead else name
        start = end - len(name)
        if _is_same(name):
            return start, name
        if name[0] in "本当" and _GENERIC.fullmatch(name, 1):
            return start, OWN_DOCUMENT
        before = text[max(start - _MAX_NAME, 0) : start]
        if before.endswith("この"):
            return start - 2, OWN_DOCUMENT
        if _DESCRIBES.search(before) or (name == "法律" and before.endswith("する")):
            border = [match.end() for match in _BORDER.finditer(before)]
            lead = before[border[-1] if border else 0 :]
            conjunction = _CONJUNCTION.match(lead)
            lead = lead[conjunction.end() :] if conjunction else lead
            start -= len(lead)
        return start, text[start:end]


def _is_same(name: str) -> bool:
    """Whether a name says no more than that it is the one named last: 同法, 同規程."""
    return name[0] == "同" and _GENERIC.fullmatch(name, 1) is not None
