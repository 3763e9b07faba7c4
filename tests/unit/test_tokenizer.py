from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.tokenizer import fold, index_tokens, tokens

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
        ("snake_case", ["snake", "case"]),
        ("㈱ ① ㎏", ["株", "1", "kg"]),
        ("葛\U000e0100城", ["葛", "葛城", "城"]),
    ],
)
def test_text_becomes_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


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
