"""Whether a sentence denies what it speaks of, by listed patterns.

Best effort, and no more: irony, questions, conditions and denials in other words pass; a sentence
that denies something else is stopped now and then. Looked at is the clause that holds both ends: a
sentence is cut where it turns (が、 一方、 but, whereas). A word that a relation's kind itself
holds does not deny it: "terminated" is what `terminated_contract_with` says.
"""

from __future__ import annotations

import re

from ragspine_store.records import Span
from ragspine_store.sentences import sentence_spans

_TURN = re.compile(
    r"が[、,]|(?:もの|けれど|けど)も?[、,]|一方(?:で|、)|[;；]"
    r"|,?\s\b(?:but|whereas|while|although|though|however|yet)\b",
    re.IGNORECASE,
)
# What looks like a denial and is none: obligations, "not only", numbers.
_NO_DENIAL = re.compile(
    r"な(?:けれ|く)(?:ば|ては)な(?:らない|らず|りません)|ねばな(?:らない|らず|りません)"
    r"|ざるを(?:得|え)ない|(?:だけ|のみ|ばかり)(?:で(?:は)?なく|ならず)|かもしれ(?:ない|ません)"
    r"|に(?:違|ちが)いない|に(?:ほか|他)ならない|やむを(?:得|え)ない|少な(?:くない|い|く)|欠かせない"
    r"|に(?:過|す)ぎない|問わない|問わず|限らない|限らず"
    r"|\bnot\s+(?:only|just|merely|least)\b|\bno\s*\.?\s*\d|\b(?:no|without(?:\s+a)?)\s+doubt\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"(?:ない|なかった|無い|無かった)(?![いか様])|なく(?=[、,。]|なった|なり|$)|ません(?!か)"
    r"|おらず|せず|ずに|否定|否認|解消|打ち切|白紙|解除|終了|撤回|破棄"
    r"|\b(?:no|not|never|neither|nor|none|nothing|cannot|without)\b|n['’]t\b"
    r"|\b(?:den(?:y|ies|ied)|refut\w+|terminat\w+|dissolv\w+|cancell?ed|ceased|ended|broke off)\b",
    re.IGNORECASE,
)
_STEM = 4


def denies(text: str, first: Span, last: Span, kind: str) -> bool:
    """Whether a text seems to deny a relation.

    Args:
        text: that holds both ends.
        first: where the end stands that comes first, half-open.
        last: where the other stands, likewise.
        kind: of the relation, an identifier.

    >>> denies("A社とB社に提携関係はない。", Span(0, 2), Span(3, 5), "partner_of")
    True
    """
    sentences = sentence_spans(text)
    start = max((s.start for s in sentences if s.start <= first.start), default=0)
    end = min((s.end for s in sentences if s.end >= last.end), default=len(text))
    turns = [turn.end() for turn in _TURN.finditer(text, start, end)]
    start = max([start, *(turn for turn in turns if turn <= first.start)])
    end = min([end, *(turn for turn in turns if turn >= last.end)])
    # A name that holds such a word, "No Limits Ltd", denies nothing.
    clause = "…".join(
        (text[start : first.start], text[first.end : last.start], text[last.end : end])
    )
    clause = _NO_DENIAL.sub("…", clause)
    return any(not _is_said(match[0].casefold(), kind) for match in _DENIAL.finditer(clause))


def _is_said(word: str, kind: str) -> bool:
    """Whether a kind itself says what a word says."""
    stem = word[:_STEM]
    if not stem.isascii():
        return stem in kind
    said = kind.split("_")
    return any(each.startswith(stem) if len(stem) == _STEM else each == word for each in said)
