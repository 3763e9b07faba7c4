from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.tokenizer import fold, index_tokens, normalise, tokens

# What a tokenizer that splits at blanks, or at ASCII punctuation but . + #, leaves whole.
WHOLE = re.compile(r"[^\s!-\"$-*,\-/:-@\[-`{-~]+")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("!? —…。、「」", []),
        ("税", ["税"]),
        ("手当", ["手", "手当", "当"]),
        ("所得税法", ["所", "所得", "得税", "税法", "法"]),
        ("れんらく", ["れ", "れん", "んら", "らく", "く"]),
        ("ﾊﾟｽﾜｰﾄﾞ", ["パ", "パス", "スワ", "ワー", "ード", "ド"]),
        ("한국어", ["한", "한국", "국어", "어"]),
        ("ＢＹＯＤ", ["byod"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("Việt", ["việt"]),
        ("pass\u200bword \ufeffx", ["password", "x"]),
        ("don't e-mail", ["don", "t", "e", "mail"]),
        ("docker部署", ["docker", "部", "部署", "署"]),
        ("第4条", ["第", "4", "条"]),
        ("20,000円 ２０，０００", ["20000", "円", "20000"]),
        ("1,234,567.50", ["1234567.50"]),
        ("20,000, 30,000", ["20000", "30000"]),
        ("1,5と3,4", ["1", "5", "と", "3", "4"]),
        ("12345,678", ["12345", "678"]),
        ("3.5% 192.168.0.1", ["3.5", "192.168.0.1"]),
        ("C++ C# F#", ["c", "c++", "c", "c#", "f", "f#"]),
        ("+1 a+b #tag", ["1", "a", "b", "tag"]),
        ("v1.2.3 Python3.11、V２．０", ["v", "1.2.3", "python", "3.11", "v", "2.0"]),
        ("v2 a1b2.3 x.1", ["v2", "a1b2", "3", "x", "1"]),
        ("第三十八条", ["第", "38", "条"]),
        ("snake_case", ["snake", "case"]),
        ("㈱ ① ㎏", ["株", "1", "kg"]),
        ("葛\U000e0100城", ["葛", "葛城", "城"]),
    ],
)
def test_text_becomes_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("第三十八条", "第38条"),
        ("第３８条", "第38条"),
        ("第三八条", "第38条"),
        ("第二〇条", "第20条"),
        ("第一〇〇条", "第100条"),
        ("第十条", "第10条"),
        ("第百十条", "第110条"),
        ("第千二百三十四条", "第1234条"),
        ("第二千条", "第2000条"),
        ("第　三　条", "第 3 条"),
        ("第二編第三章第四節第五款第六目", "第2編第3章第4節第5款第6目"),
        ("第二項第三号", "第2項第3号"),
        ("憲法九条二項", "憲法9条2項"),
        ("第二十五条の二", "第25.2条"),
        ("第25条の2の3第1項", "第25.2.3条第1項"),
        ("第三章の二", "第3.2章"),
        ("第三条の二から第三条の四まで", "第3.2条から第3.4条まで"),
        ("第三条の二及び第四条の二関係", "第3.2条及び第4.2条関係"),
        ("（第三条の二）", "(第3.2条)"),
    ],
)
def test_addresses_are_written_one_way(text: str, normal: str) -> None:
    assert normalise(text) == normal


@pytest.mark.parametrize(
    "text",
    [
        "一部",
        "一人三千円",
        "十分",
        "第一次",
        "第一部",
        "二目",
        "一節",
        "百円",
        "その一の三",
        "第3条の一部",
        "第3条の2割",
        "第3条の二つ",
        "第3条の三か月",
        "第3条の2.5倍",
        "第3条の2メートル",
        "第3条の1項",
        "1,234条",
    ],
)
def test_other_words_are_untouched(text: str) -> None:
    assert normalise(text) == fold(text)


@given(st.text(st.sampled_from("第の条項〇零一二十百千3 部")))
def test_normalising_again_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text())
def test_tokens_are_whole_to_both_engines(text: str) -> None:
    for token in tokens(text):
        assert WHOLE.fullmatch(token), token


@given(st.text())
def test_folding_again_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(st.characters(codec="ascii")))
def test_the_short_way_for_ascii_is_the_same(text: str) -> None:
    assert fold(text) == unicodedata.normalize("NFKC", text).casefold()


@given(st.text(st.sampled_from("aB1,.手当のｱ +#\u200b")))
def test_width_case_and_invisible_characters_never_matter(text: str) -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    assert tokens(wide) == tokens(text)
    assert tokens(text.upper()) == tokens(text)
    assert tokens(text.replace("\u200b", "")) == tokens(text)


@given(st.text(), st.text())
def test_texts_apart_have_their_own_tokens(one: str, other: str) -> None:
    assert tokens(f"{one}\n{other}") == tokens(one) + tokens(other)


def test_headings_come_before_the_text() -> None:
    assert index_tokens("tea", ("規則", "A")) == ["規", "規則", "則", "a", "tea"]
    assert index_tokens("tea", ()) == ["tea"]
