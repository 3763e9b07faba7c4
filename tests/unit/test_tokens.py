"""The offline token estimate: its stated rule, in both languages."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.tokens import EstimatedTokenCounter, TokenCounter

count = EstimatedTokenCounter().count
texts = st.text(st.characters(codec="utf-8") | st.sampled_from("aＡ1１ 　。第条é"), max_size=60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param(" \t\r\n\u3000\u00a0", 0, id="white space of every kind"),
        pytest.param("通勤手当", 4, id="kanji count one each"),
        pytest.param("パスワード", 5, id="kana and the long vowel mark count one each"),
        pytest.param("ﾊﾟｽ", 3, id="half-width kana too"),
        pytest.param("한국어", 3, id="Hangul"),
        pytest.param("第4条第2項", 6, id="digits among kanji"),
        pytest.param("月額上限20,000円までの通勤手当", 15, id="an amount: 20 , 000 are three"),
        pytest.param("ＢＹＯＤ", 1, id="full-width letters count as letters"),
        pytest.param("１２３４", 2, id="full-width digits count as digits"),
        pytest.param("word", 1, id="a short word"),
        pytest.param("words", 1, id="five letters"),
        pytest.param("policy", 2, id="six letters"),
        pytest.param("Employees receive 20 days of leave.", 9, id="an English sentence"),
        pytest.param("3.5%", 4, id="a number with marks"),
        pytest.param("1234567", 3, id="a run of seven digits"),
        pytest.param("snake_case", 3, id="an underscore is a visible mark"),
        pytest.param("Việt", 1, id="letters with accents"),
        pytest.param("👍", 1, id="a sign outside the basic plane"),
    ],
)
def test_a_text_costs_what_the_rule_says(text: str, expected: int) -> None:
    assert count(text) == expected


def test_a_japanese_article_costs_about_its_characters() -> None:
    article = (
        "試用期間中の従業員については、通勤手当は全額実費支給の対象とするが、"
        "昼食手当の適用は本採用以降とする。"
    )
    assert count(article) == len(article) == 51


@given(st.text(st.sampled_from("éàüạö "), max_size=30))
def test_decomposed_accents_cost_nothing(text: str) -> None:
    assert count(unicodedata.normalize("NFD", text)) == count(text)


@given(texts, texts)
def test_joining_never_costs_more_and_a_part_never_more_than_the_whole(a: str, b: str) -> None:
    assert max(count(a), count(b)) <= count(a + b) <= count(a) + count(b)


def test_the_default_is_a_counter_that_names_itself() -> None:
    counter = EstimatedTokenCounter()
    assert isinstance(counter, TokenCounter)
    assert repr(counter) == "EstimatedTokenCounter()"
