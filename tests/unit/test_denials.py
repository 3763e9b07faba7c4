"""Which sentences deny what they speak of: listed patterns, best effort."""

from __future__ import annotations

import pytest

from ragspine_graph.extraction.denials import denies
from ragspine_store.records import Span


def seems_denied(text: str, kind: str = "partner_of") -> bool:
    """Whether the text denies a relation of its two ends, each marked like [A]."""
    ends: list[Span] = []
    plain = ""
    for piece in text.replace("]", "[").split("["):
        ends.append(Span(len(plain), len(plain) + len(piece)))
        plain += piece
    first, last = ends[1::2]
    return denies(plain, first, last, kind)


DENIED = [
    "[A社]と[B社]に提携関係はない。",
    "[A社]は[B社]と提携していない。",
    "[A社]は[B社]と提携していません。",
    "[A社]と[B社]の間に資本関係は存在しない。",
    "[A社]は[B社]の子会社ではなく、独立した会社である。",
    "[A社]は[B社]との提携を解消した。",
    "[A社]は[B社]との提携を否定した。",
    "[A社]は[B社]と提携してはならない。",
    "[A社]と[B社]は取引がなかった。",
    "[A社]は[B社]と契約を結んでおらず、予定もない。",
    "C社は提携しているが、[A社]は[B社]と提携していない。",
    "[Acme] has no partnership with [Globex].",
    "[Acme] is not a partner of [Globex].",
    "[Acme] doesn't supply [Globex].",
    "[Acme] doesn’t supply [Globex].",
    "There is no agreement between [Acme] and [Globex].",
    "[Acme] denied a partnership with [Globex].",
    "[Acme] terminated its contract with [Globex].",
    "[Acme] is no longer a supplier of [Globex].",
    "Neither [Acme] nor [Globex] confirmed a deal.",
    "[Acme] never worked with [Globex].",
    "[Acme] works without [Globex].",
]


@pytest.mark.parametrize("text", DENIED)
def test_a_denial_is_recognised(text: str) -> None:
    assert seems_denied(text)


AFFIRMED = [
    "[A社]は[B社]と提携した。",
    "[A社]は[B社]に報告しなければならない。",
    "[A社]は[B社]に報告しなければなりません。",
    "[A社]は[B社]だけでなくC社とも提携した。",
    "[A社]は[B社]のみならずC社とも提携した。",
    "[A社]は[B社]と提携しているが、C社とは提携していない。",
    "C社は提携していない。[A社]は[B社]と提携した。",
    "[A社]は[B社]と提携した。C社との提携はない。",
    "[A社]は少なくとも[B社]と提携した。",
    "[A社]の少ない資金を[B社]が補う。",
    "[A社]は[B社]の親会社にほかならない。",
    "[A社]は[B社]の同意を問わず通知する。",
    "[Acme] partners not only with [Globex] but also with Hooli.",
    "[Acme] signed contract No. 5 with [Globex].",
    "[Acme] works with [Globex], but not with Hooli.",
    "Hooli has no partner. [Acme] works with [Globex].",
    "Hooli does not, whereas [Acme] works with [Globex].",
    "[Acme] will without a doubt partner with [Globex].",
    "[No Limits Ltd] works with [Never Inc.].",
    "[Norton] notes that [Nolan] supplies nodes.",
]


@pytest.mark.parametrize("text", AFFIRMED)
def test_what_only_looks_like_a_denial_is_none(text: str) -> None:
    assert not seems_denied(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[Acme] terminated its contract with [Globex].", "terminated_contract_with"),
        ("[A社]は[B社]との提携を解消した。", "提携解消"),
    ],
)
def test_a_word_of_the_kind_itself_does_not_deny_it(text: str, kind: str) -> None:
    assert not seems_denied(text, kind)


@pytest.mark.parametrize("kind", ["knows", "notifies", "nominates"])
def test_a_kind_that_only_begins_like_a_denial_is_denied_all_the_same(kind: str) -> None:
    assert seems_denied("[Acme] does not notify [Globex] of it, no.", kind)
