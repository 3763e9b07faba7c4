"""Which sentences hold a fact."""

from __future__ import annotations

import pytest

from ragspine_store.chunking.facts import is_fact


@pytest.mark.parametrize(
    "sentence",
    [
        "上限は20,000円とする。",
        "2. 通勤手当は月額二万円までとする。",
        "退職日までに返却しなければならない。",
        "会社は、これを支給するものとする。",
        "みだりに持ち出してはならない。",
        "期限は翌月末日である。",
        "私物の持込みを禁止する。",
        "申請は翌営業日に行う。",
        "手当は毎月末に支払う。",
        "連絡は退職の前日までに行う。",
        "事故は遅滞なく報告する。",
        "紛失したときは直ちに知らせる。",
        "速やかに届け出ること",
        "端末を持ち出してはいけない。",
        "兼業を禁ずる。",
        "三人以上で行う。",
        "The Supplier shall answer.",
        "Do not share passwords.",
        "Payment is due upon receipt.",
        "The fee is five thousand yen.",
        "The fee is 2,000 euros.",
        "Notice is given within thirty days.",
        "It must be kept.",
        "Payment is due on the last day of March.",
        "(a) by no later than the next meeting.",
        "Article 5 applies after 3 months.",
    ],
)
def test_numbers_dates_deadlines_and_obligations_are_facts(sentence: str) -> None:
    assert is_fact(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "目的は明るい職場である。",
        "第4条第2項の規定による。",
        "２　前条の例による。",
        "（１）　やむを得ない事由がある者",
        "8.1項：ウイルス対策ソフト",
        "別表第一のとおり。",
        "一般に認められる。",
        "一部の者を除く。",
        "十分に注意する。",
        "これまでに定めたとおり。",
        "1. Definitions are set out here.",
        "See Article 5(2) and Section 3.2.",
        "Articles 5, 6 and 7 apply.",
        "The mustard is good.",
    ],
)
def test_the_number_of_a_clause_is_no_fact(sentence: str) -> None:
    assert not is_fact(sentence)
