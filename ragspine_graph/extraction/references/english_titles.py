"""Names of documents behind a reference: of Regulation (EU) 2016/679, TEU, of this Agreement."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable

from ragspine_graph.extraction.defined_terms import find_defined_terms
from ragspine_graph.extraction.references.mentions import OWN_DOCUMENT
from ragspine_graph.extraction.references.titles import normal_title

_GAP = r"[ \t\u00a0]{0,3}(?:\n[ \t\u00a0]{0,8})?"
_OF = rf"{_GAP},?{_GAP}(?:of|to|in|under|from){_GAP}"
_ADJECTIVES = r"(?:(?:Commission|Council|Implementing|Delegated|Framework) ){0,3}"
_INSTRUMENT_NAME = (
    r"(?P<name>(?:Regulation|Directive|Decision|Recommendation)s?"
    r" (?:\([A-Z][A-Za-z, ]{1,20}\) ?)?(?:No\.? ?)?\d{1,4}/\d{1,4}(?:/[A-Z]{2,3})?)"
)
_ACRONYM_NAME = r"(?P<name>TEU|TFEU|GDPR|ECHR|UCC|Euratom Treaty)(?!\w)"
_INSTRUMENT = re.compile(
    rf"{_OF}(?:the )?(?:Annex(?: [IVX]+)? (?:to|of) )?{_ADJECTIVES}{_INSTRUMENT_NAME}"
)
_ACRONYM = re.compile(rf"(?:{_OF}(?:the )?|[ \u00a0]){_ACRONYM_NAME}")
_ANY_NAME = re.compile(f"{_INSTRUMENT_NAME}|{_ACRONYM_NAME}".replace("?P<name>", "?:"))
_NOUNS = (
    "Act|Agreement|Code|Charter|Convention|Treaty|Treaties|Regulations?|Directive|Decision|Law|Rules"
    "|Policy|Contract|Constitution|Protocol|Statutes?|Ordinance|Order|Terms|Lease|Handbook|Manual"
    "|Standard|Guidelines|Bylaws|Articles of Association|Deed|Licen[cs]e|Plan"
)
_NOUN = re.compile(_NOUNS)
_THIS_BEFORE = re.compile(rf"\b[Tt]h(?:is|ese)(?: [\w’'-]+){{0,6}} (?:{_NOUNS})\s?\Z")
_MAX_NAME = 100
_THIS = re.compile(
    rf"{_OF}(?:this|the present) (?:{_NOUNS}|[Dd]ocument|deed|policy|agreement|contract)(?!\w)"
)
_THAT = re.compile(rf"(?:{_OF}(?:that|the same|the said|those) (?:{_NOUNS})(?!\w)|{_GAP}thereof\b)")
_CAPITALISED = r"[A-Z][\w&'’-]{0,30} (?:(?:of|and|on|for|the|to|in) ){0,2}"
_NAMED = re.compile(
    rf"{_OF}(?:the |its |each |any )?(?P<name>(?!Annex|Article|Section|Chapter)"
    rf"(?:{_CAPITALISED}){{0,8}}?(?:{_NOUNS})(?:(?: of)? \d{{4}})?)(?![\w-])"
)
_AMENDED = re.compile(
    rf"{_INSTRUMENT_NAME}[^.;:\n]{{0,80}}? (?:is|are) (?:hereby )?amended(?: as follows)?:"
)


class EnglishTitles:
    """Reads the names of documents in one text.

    Args:
        text: the text.
        own: normalised names of the document itself.
        normal: normalises a name; the caller may remember what it gave.
    """

    def __init__(
        self, text: str, own: frozenset[str], normal: Callable[[str], str] = normal_title
    ) -> None:
        self._normal = normal
        self._text = text
        called = {
            self._normal(term.name): term.name
            for term in find_defined_terms(text)
            if term.opening is not None
            and _THIS_BEFORE.search(text, max(term.opening - _MAX_NAME, 0), term.opening)
        }
        self._called = {name for name, written in called.items() if not _NOUN.fullmatch(written)}
        self._own = own | called.keys()
        self._named = [(match.start(), match[0]) for match in _ANY_NAME.finditer(text)]
        self._amended = [
            (match.end(), _paragraph_end(text, match.end()), match["name"])
            for match in _AMENDED.finditer(text)
        ]

    def short_names(self) -> list[str]:
        """The names that the document gives itself and others may use, normalised.

        “the Agreement” is none: every agreement can call itself so.
        """
        return sorted(self._called)

    def amended_at(self, at: int) -> str:
        """The act whose change the paragraph at a place spells out; '' where it does not."""
        index = bisect_left(self._amended, at, key=lambda span: span[0])
        if index == 0 or at >= self._amended[index - 1][1]:
            return ""
        return self._amended[index - 1][2]

    def find_after(self, at: int) -> tuple[int, str] | None:
        """Where the name of a document that stands behind a place ends, and the name.

        The name is `OWN_DOCUMENT` for the document itself; "that Regulation" is what was named
        last. None without a name.
        """
        if match := _THIS.match(self._text, at):
            return match.end(), OWN_DOCUMENT
        if match := _THAT.match(self._text, at):
            return match.end(), self._shown(self._last_before(at))
        for pattern in (_INSTRUMENT, _ACRONYM, _NAMED):
            if match := pattern.match(self._text, at):
                return match.end(), self._shown(match["name"])
        return None

    def _shown(self, name: str) -> str:
        return OWN_DOCUMENT if not name or self._normal(name) in self._own else name

    def _last_before(self, at: int) -> str:
        index = bisect_left(self._named, at, key=lambda named: named[0])
        return self._named[index - 1][1] if index else ""


def _paragraph_end(text: str, at: int) -> int:
    end = text.find("\n\n", at)
    return len(text) if end < 0 else end
