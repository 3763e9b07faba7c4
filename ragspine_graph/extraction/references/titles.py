"""The names under which other documents refer to one."""

from __future__ import annotations

import re

from ragspine_graph.names.normaliser import normalise_name
from ragspine_store.tokenizer import fold

_MAX_TITLE = 300
_SUFFIX = re.compile(
    r"(?:[\s_\-]*(?:[（(\[【](?:案|抄|抜粋|改正|改訂|施行|第?\d+版|v(?:er)?\.?\s?\d|令和|平成|昭和|\d{4}|draft|version|rev)"
    r"[^）)\]】]*[）)\]】]|v(?:er(?:sion)?)?\.?\s?\d+(?:\.\d+)*|\d{4}[-/.年]\d{1,2}(?:[-/.月]\d{1,2}日?)?月?"
    r"|第\d+版|20\d{6}|最終版|改訂版|draft|final))+\s*\Z"
)
_LEGAL_FORM = re.compile(
    r"(?:株式会社|有限会社|合同会社|一般社団法人|一般財団法人|㈱|\(株\))[^\s]{1,30}?\s+"
    r"|[^\s]{1,30}?(?:株式会社|有限会社|合同会社|㈱|\(株\))\s*"
)
_INSTRUMENT = re.compile(
    r"(?P<kind>regulation|directive|decision|recommendation)s?\s*"
    r"(?:\((?P<body>[a-z, ]{2,20})\)\s*)?(?:no\.?\s*)?(?P<number>\d{1,4}/\d{1,4}(?:/[a-z]{2,3})?)"
)
_BRACKETED = re.compile(r"\((?P<name>[^()]{3,80})\)\s*\Z")


def normal_title(name: str) -> str:
    """A document's name as it is compared: folded, without spaces, quotes, date or version.

    >>> normal_title("「賃金　規程」"), normal_title("Regulation (EC) No 300/2008")
    ('賃金規程', 'regulation300/2008')
    """
    folded = fold(name[:_MAX_TITLE]).strip()
    if match := _INSTRUMENT.match(folded):
        return f"{match['kind']}{match['number']}"
    return normalise_name(_SUFFIX.sub("", folded))


def own_titles(title: str) -> tuple[str, ...]:
    """The names that a title gives its document, normalised, the fullest first.

    >>> own_titles("株式会社甲 就業規則（令和5年4月1日施行）")
    ('甲就業規則', '就業規則')
    >>> own_titles("Springfield, Illinois")
    ('springfield,illinois', 'springfield')
    """
    folded = _SUFFIX.sub("", fold(title[:_MAX_TITLE]).strip())
    names = [normal_title(folded)]
    if match := _LEGAL_FORM.match(folded):
        names.append(normal_title(folded[match.end() :]))
    if match := _BRACKETED.search(folded):
        names += [normal_title(folded[: match.start()]), normal_title(match["name"])]
    name, _, place = title[:_MAX_TITLE].partition(",")
    if place and all(word[0].isupper() for word in place.split()):
        names.append(normal_title(name))
    return tuple(name for name in dict.fromkeys(names) if name)
