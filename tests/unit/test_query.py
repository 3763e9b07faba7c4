from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ragspine_store.errors import QueryError
from ragspine_store.query import MAX_QUERY_CHARS, Term, parse_query, phrase_tokens
from ragspine_store.tokenizer import normalise, tokens


def terms(query: str) -> list[str]:
    """Terms as text: tokens joined by blanks, a prefix with a star."""
    return [" ".join(t.tokens) + ("*" if t.is_prefix else "") for t in parse_query(query).terms]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("手当", ["手当"]),
        ("税", ["税*"]),
        ("tea Milk TEA", ["tea", "milk"]),
        (
            "試用期間中の通勤手当",
            ["試用", "用期", "期間", "間中", "中の", "の通", "通勤", "勤手", "手当"],
        ),
        ("れんらくする手当", ["る手", "手当"]),
        ("れんらく", ["れん", "んら", "らく"]),
        ("第38条", ["第 38 条"]),
        ("第４条第2項の手当", ["第 4 条", "第 2 項", "の手", "手当"]),
        ("第25条の2", ["第 25.2 条"]),
        ("第三十八条", ["第 38 条"]),
        ("第 三十八 条の二の三の手当", ["第 38.2.3 条", "の手", "手当"]),
        ("憲法九条", ["憲法", "9", "9 条"]),
        ("v1.2.3 1.2.3", ["v", "1.2.3"]),
        ('"paid monthly" tea', ["paid monthly", "tea"]),
        ('"通勤手当" 税', ["通勤 勤手 手当", "税*"]),
        ('"れんらく" 手当', ["れん んら らく", "手当"]),
        ("“税”", ["税*"]),
        ('"C++"', ["c++"]),
        ("C++", ["c++"]),
        ("C++語", ["c++", "c++ 語"]),
        ("3日 A社", ["3", "3 日", "a", "a 社"]),
        ("docker 部署", ["docker", "部署"]),
        ('"', []),
        ('""', []),
        ("“”", []),
    ],
)
def test_a_question_becomes_terms(query: str, expected: list[str]) -> None:
    if expected:
        assert terms(query) == expected
    else:
        with pytest.raises(QueryError):
            parse_query(query)


@pytest.mark.parametrize(
    "query", ["", " ", "!", '"', "(", "*", "~", "。、", "\u200b", "🎉", "\ud800"]
)
def test_nothing_searchable_is_an_error(query: str) -> None:
    with pytest.raises(QueryError, match="nothing to search for"):
        parse_query(query)


@pytest.mark.parametrize(
    "query", ["AND", "OR NOT", "C++", "~x", "/b", "a:b", "NEAR(a b)", "x*", "^a"]
)
def test_an_engines_operators_are_words(query: str) -> None:
    assert [t.tokens[-1] for t in parse_query(query).terms if t.is_prefix] == []


def test_a_query_has_a_longest_length() -> None:
    assert terms("税" * MAX_QUERY_CHARS) == ["税税"]
    with pytest.raises(QueryError, match="10,000 characters; expected at most 4,000"):
        parse_query("x" * 10_000)


def test_a_query_hides_its_words_from_repr() -> None:
    assert "secret" not in repr(parse_query("secret")) + repr(Term(("secret",)))


@given(st.text())
def test_any_text_is_a_query_or_a_clear_error(query: str) -> None:
    try:
        found = parse_query(query).terms
    except QueryError:
        return
    assert found
    assert len(set(found)) == len(found)
    for term in found:
        assert all(term.tokens)
        assert not term.is_prefix or len(term.tokens) == 1


PIECES = (
    "通勤",
    "手当",
    "税",
    "の",
    "第",
    "4",
    "20,000",
    "3.5",
    "tea",
    "Milk",
    "C++",
    "C#",
    "한국",
    "、",
    " ",
    "-",
)
strings = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


@given(before=strings, phrase=strings, after=strings)
def test_a_phrase_finds_the_text_it_stands_in(before: str, phrase: str, after: str) -> None:
    """Words of letters and digits have to be whole; a run of CJK characters may go on."""
    assume(not glued(before, phrase))
    assume(not glued(phrase, after))
    wanted = phrase_tokens(normalise(phrase))
    assume(len(wanted) > 1)
    held = tokens(before + phrase + after)
    assert any(tuple(held[i : i + len(wanted)]) == wanted for i in range(len(held)))


def glued(left: str, right: str) -> bool:
    """Whether a word or number may go on across the border."""
    marks = "+#,."
    return bool(left and right) and (
        (left[-1].isascii() and (left[-1].isalnum() or left[-1] in marks))
        and (right[0].isascii() and (right[0].isalnum() or right[0] in marks))
    )
