"""Which sentences hold a fact: a number, amount, date, deadline or obligation."""

from __future__ import annotations

import re

_KANJI = "[〇一二三四五六七八九十百千]"
_NUMBER = rf"(?:[0-9０-９]+|{_KANJI}+)"
# What numbers a clause, or names one, is no fact of it: ２　 (a) 3.2 第4条第2項 Article 5(2).
_MARKER = re.compile(
    r"[\s\u3000]*(?:[-*+・●○]\s+)?"
    r"(?:[（(][0-9０-９a-zA-Z一二三四五六七八九十]{1,4}[)）]"
    r"|[0-9０-９]{1,3}(?:[.．][0-9０-９]{1,3})*項?(?:[.．)）]|(?=[\s\u3000：:]))"
    r"|[①-⑳])"
)
_REFERENCE = re.compile(
    rf"第{_NUMBER}[編章節款目条項号表](?:の{_NUMBER})*"
    rf"|別[表紙]第?{_NUMBER}?"
    r"|\b(?:Articles?|Sections?|Clauses?|Annex(?:es)?|Chapters?|Parts?|Schedules?|Appendi(?:x|ces)"
    r"|Paragraphs?|Points?|Recitals?|Figures?|Tables?|§+)\s*[0-9]+(?:\.[0-9]+)*(?:\s?\([0-9a-z]+\))*"
    r"(?:(?:,| and| or| to)\s[0-9]+(?:\.[0-9]+)*(?:\s?\([0-9a-z]+\))*)*",
    re.IGNORECASE,
)
_UNIT = (
    r"(?:円|銭|ドル|ユーロ|年|[かケヶカヵ箇]?月|週|日|時|分|秒|割|％|%|パーセント|名|人|回|歳|才|件|個"
    r"|倍|泊|枚|部|台|桁|社|点|メートル|キロ|万|億)"
)
_WORD_NUMBER = (
    "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|fifteen|twenty"
    "|thirty|forty|fifty|sixty|ninety|hundred)"
)
_ENGLISH_UNIT = (
    "(?:business |working |calendar )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|quarters?"
    "|years?|per ?cent|times|dollars?|euros?|pounds?)"
)
_DEADLINE = (
    r"翌(?:々|営業)?[日月年週]|(?:月|年|年度|期|週)末|末日|当日|同日|期限|期日|締切|締め切り"
    r"|(?<!これ)(?<!今)までに|遅滞な[くき]|直ちに|ただちに|速やかに|すみやかに"
)
_OBLIGATION = (
    r"な(?:ければ|くては)な(?:らない|りません)|ねばな(?:らない|りません)|ものと(?:する|します)"
    r"|[てで]はな(?:らない|りません)|[てで]はいけ(?:ない|ません)|義務|禁[止ずじ]|必ず"
    r"|すること(?:。|$)|しないこと"
)
_FACT = re.compile(
    r"[0-9０-９①-⑳]"
    # Not the words 一部 (some) and 十分 (enough).
    rf"|(?!一部|十分[なにで]){_KANJI}+{_UNIT}|半(?:数|額|年|日)|{_DEADLINE}|{_OBLIGATION}"
    r"|\b(?:shall|must|may not|cannot|do not|never|required to|obliged to|obligated to|prohibited"
    r"|forbidden|mandatory|deadline|no later than|at the latest|due (?:on|by|upon|within)"
    r"|immediately|without (?:undue )?delay)\b"
    rf"|\b{_WORD_NUMBER}[- ]{_ENGLISH_UNIT}\b|\b(?:hundred|thousand|million|billion)\b"
    r"|\b(?:January|February|March|April|June|July|August|September|October|November|December)\b",
    re.IGNORECASE,
)


def is_fact(sentence: str) -> bool:
    """Whether a sentence holds a number, amount, date, deadline or obligation.

    The number of a clause, and of one it refers to, do not count.

    >>> is_fact("2. 通勤手当は月額二万円までとする。"), is_fact("第4条第2項の規定による。")
    (True, False)
    """
    marker = _MARKER.match(sentence)
    rest = sentence[marker.end() :] if marker else sentence
    return _FACT.search(_REFERENCE.sub(" ", rest)) is not None
