from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.names.matcher import NameMatcher
from ragspine_graph.names.normaliser import normalise_name
from tests.decorations import decorated


def found(names: list[str], text: str, *, is_loose: bool = False) -> list[str]:
    """What of a text the names stand for."""
    matches = NameMatcher(names, is_loose=is_loose).find(text)
    return [text[match.span.start : match.span.end] for match in matches]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("meta", "metadata, Meta and meta-data", ["Meta", "meta"]),
        ("aia", "via IaaS and A.I.A.", ["A.I.A"]),
        ("intel", "in Tel Aviv", []),
        ("intel", "an i n t e l chip", ["i n t e l"]),
        ("sap", "the company's AP", []),
        ("hp", "page h p", []),
        ("3M", "13M, 3M, 3-M, 3MB", ["3M", "3-M"]),
        ("Toyota Motor", "ToyotaMotor, Toyota\n Motor", ["ToyotaMotor", "Toyota\n Motor"]),
        ("Acme", "株式会社Acmeと㈱ＡＣＭＥ", ["Acme", "ＡＣＭＥ"]),
        ("Acme, Inc.", "Acme Corp.", ["Acme"]),
        ("トヨタ", "ﾄﾖﾀ自動車㈱とト\u200bヨタ", ["ﾄﾖﾀ", "ト\u200bヨタ"]),
        ("年次有給休暇", "年次有給\n  休暇", ["年次有給\n  休暇"]),
        ("ガンダム", "機動戦士ｶﾞﾝﾀﾞﾑ", ["ｶﾞﾝﾀﾞﾑ"]),
        ("AT&T", "AT&T and att", ["AT&T"]),
        ("Toyota", "partner_of_toyota", ["toyota"]),
        ("・", "ト・ヨタ", []),
    ],
    ids=str,
)
def test_a_name_is_found_where_it_stands(name: str, text: str, expected: list[str]) -> None:
    assert found([name], text) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("ヤフー", "ヤフ-とヤフ―とヤフー", ["ヤフ", "ヤフ", "ヤフ"]),
        ("ビル", "ビール", []),
        ("ビール", "ビルとビ-ル", ["ビ-ル"]),
        ("トヨタ", "卜ヨ夕", ["卜ヨ夕"]),
        ("トヨタ", "卜-ヨ夕", ["卜-ヨ夕"]),
        ("キヤノン", "キャノン", ["キャノン"]),
        ("三菱", "ライバル三菱", ["三菱"]),
        ("Toyota", "ΤΟΥΟΤΑ ТОУОТА To★yota", ["ΤΟΥΟΤΑ", "ТОУОТА", "To★yota"]),
        ("Nestlé", "Nestle", ["Nestle"]),
        ("Yahoo!", "yahoo", ["yahoo"]),
        ("meta", "μετά metadata", ["μετά"]),
    ],
    ids=str,
)
def test_the_loose_form_sees_through_more(name: str, text: str, expected: list[str]) -> None:
    assert found([name], text, is_loose=True) == expected


def test_of_names_that_overlap_the_first_and_longest_is_found() -> None:
    names = ["Toyota", "Toyota Motor", "Motor Show", "Toyota Motor Shows"]
    assert found(names, "the Toyota Motor Show") == ["Toyota Motor"]


def test_every_place_of_every_name_can_be_asked_for() -> None:
    matches = NameMatcher(["トヨタ", "トヨタ自動車", "自動車"]).iter_all("トヨタ自動車")
    assert sorted((m.key, m.span) for m in matches) == [
        ("トヨタ", (0, 3)),
        ("トヨタ自動車", (0, 6)),
        ("自動車", (3, 6)),
    ]


def test_spellings_of_one_name_have_one_key() -> None:
    matcher = NameMatcher(["Acme Inc.", "ＡＣＭＥ", "A-C-M-E"])
    assert [match.key for match in matcher.find("acme A.C.M.E")] == ["acme", "acme"]


def test_without_names_nothing_is_found() -> None:
    assert NameMatcher([]).find("Acme") == []


@given(st.data(), st.lists(st.sampled_from(["Acme", "株式会社例示", "トヨタ", "third party"])))
def test_whatever_stands_around_it_the_span_of_a_match_is_the_name(
    data: st.DataObject, names: list[str]
) -> None:
    parts = [data.draw(decorated(name)) for name in names]
    text = "。".join(parts)
    for match in NameMatcher(names).find(text):
        assert normalise_name(text[match.span.start : match.span.end]) == match.key


@given(
    st.lists(st.text(st.sampled_from("abあア "), max_size=4)),
    st.text(st.sampled_from("abあア -"), max_size=30),
)
def test_matches_are_in_order_and_apart_and_among_all(names: list[str], text: str) -> None:
    matcher = NameMatcher(names)
    found = matcher.find(text)
    assert set(found) <= set(matcher.iter_all(text))
    assert all(a.span.end <= b.span.start for a, b in itertools.pairwise(found))
    assert bool(found) is any(True for _ in matcher.iter_all(text))
