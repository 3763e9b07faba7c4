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
    r"|ざるを(?:得|え)ない|(?:だけ|のみ|ばかり)(?:で(?:は)?なく|ならず)|(?:かも|に)しれない|かもしれません"
    r"|に(?:違|ちが)いない|に(?:ほか|他)ならない|やむを(?:得|え)ない|少なくない|欠かせない"
    r"|に(?:過|す)ぎない|問わない|問わず|限らない|限らず"
    r"|\bnot\s+(?:only|just|merely|least)\b|\bno\s*\.?\s*\d|\b(?:no|without(?:\s+a)?)\s+doubt\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"(?:は|が|も|で|に|て|と)?(?:ない|なかった|無い|無かった)(?![いか様])"
    r"|(?<!少)(?<!つ)なく(?=[、,。]|なった|なり|$)|ません(?!か)|(?:おらず|しておらず|ではなく|せず|ずに)"
    r"|否定|否認|解消|打ち切|白紙|解除|終了|撤回|破棄"
    r"|\b(?:no|not|never|neither|nor|none|nothing|cannot|without)\b|n['’]t\b"
    r"|\b(?:den(?:y|ies|ied)|refut\w+|terminat\w+|dissolv\w+|cancell?ed|ceased|ended|broke off)\b",
    re.IGNORECASE,
)
_STEM = 4


def find_denial(text: str, first: Span, last: Span, kind: str) -> str | None:
    """The word by which a text denies a relation; None when it seems to affirm it.

    Args:
        text: that holds both ends.
        first: where the end stands that comes first, half-open.
        last: where the other stands, likewise.
        kind: of the relation.

    >>> find_denial("A社とB社に提携関係はない。", Span(0, 2), Span(3, 5), "partner_of")
    'はない'
    """
    sentences = sentence_spans(text)
    start = max((s.start for s in sentences if s.start <= first.start), default=0)
    end = min((s.end for s in sentences if s.end >= last.end), default=len(text))
    turns = [turn.end() for turn in _TURN.finditer(text, start, end)]
    start = max([start, *(turn for turn in turns if turn <= first.start)])
    end = min([end, *(turn for turn in turns if turn >= last.end)])
    clause = _NO_DENIAL.sub("…", text[start:end])
    for denial in _DENIAL.finditer(clause):
        if denial[0][:_STEM].casefold() not in kind:
            return denial[0]
    return None
