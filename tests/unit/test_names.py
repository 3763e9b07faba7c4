from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.names.normaliser import fold_name, fold_text, normalise_name
from tests.decorations import decorated

# Letters that names are made of, and all that is done to them.
NAME_LIKE = st.text(
    st.sampled_from(
        "aZ9éßİ ㈱株式会社(有)Inc.Co,Ａﾊﾟｶﾞガトヨター髙齋國한가각ᆨ゛ﾞ\u0301\u3099\u0345\u200b"
        "・-.'「」&Тοо´¨ﬁ½"
    ),
    max_size=12,
)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("トヨタ", "ﾄﾖﾀ"),
        ("Toyota", "ＴＯＹＯＴＡ"),
        ("トヨタ", "ト\u200bヨタ"),
        ("トヨタ", "ト・ヨタ"),
        ("トヨタ自動車", "トヨタ自動車㈱"),
        ("トヨタ自動車", "（株）ﾄﾖﾀ自動車"),
        ("トヨタ自動車", "トヨタ自動車 株 式 会 社"),
        ("ガンダム", "カ゛ンタ゛ム"),
        ("ガンダム", "ｶ\u200bﾞﾝﾀﾞﾑ"),
        ("Meta", "Meta, Inc."),
        ("Acme", "ACME Co.,Ltd."),
        ("Acme", "Acme S. A."),
        ("Acme", "Acme GmbH & Co. KG"),
        ("Acme", "OOO «Acme»"),
        ("Acme", "株式会社「Acme」"),
        ("Toyota Motor", "ToyotaMotor Corporation"),
        ("高島屋", "髙島屋"),
        ("山崎", "山﨑"),
        ("国学院", "國學院"),
        ("Toyota", "Тоyоta"),
        ("O’Reilly", "O'REILLY"),
        ("T̈", "T\u200b̈"),
    ],
    ids=lambda name: name.encode("ascii", "backslashreplace").decode(),
)
def test_two_spellings_are_one_name(name: str, other: str) -> None:
    assert normalise_name(name) == normalise_name(other)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("とよた", "トヨタ"),
        ("ビル", "ビール"),
        ("ハ", "パ"),
        ("3.5", "35"),
        ("1-2", "12"),
        ("C++", "C#"),
        ("C++", "C"),
        ("5μm", "5mm"),
        ("β版", "b版"),
        ("AI", "Al"),
        ("Café", "Cafe"),
        ("мост", "moct"),
        ("会社", "株式会社"),
        ("Acme", "Acme Group"),
    ],
    ids=str,
)
def test_two_names_stay_apart(name: str, other: str) -> None:
    assert normalise_name(name) != normalise_name(other)


@pytest.mark.parametrize(
    "form", ["株式会社", "㈱", "Inc.", "Ltd", "(株)", "Co., Ltd.", "株式会社 Inc."], ids=str
)
def test_a_name_of_legal_forms_alone_keeps_one(form: str) -> None:
    assert normalise_name(form)


@pytest.mark.parametrize(
    "text", ["", " ", "・", "\u200b", "-_-", "「」", "\ud800", ",、"], ids=ascii
)
def test_a_text_without_letters_names_nothing(text: str) -> None:
    assert normalise_name(text) == ""


@given(st.one_of(NAME_LIKE, st.text()))
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise_name(text)
    assert normalise_name(once) == once


@given(
    st.data(),
    st.sampled_from(["トヨタ", "日産自動車", "ネスレ", "Toyota", "Meta Platforms", "AIA"]),
)
def test_a_decorated_name_is_the_same_in_the_loose_form(data: st.DataObject, name: str) -> None:
    text = fold_text(data.draw(decorated(name)), is_loose=True).text
    assert fold_text(name, is_loose=True).text in text


@given(st.one_of(NAME_LIKE, st.text()), st.booleans())
def test_each_letter_stands_where_it_says(text: str, is_loose: bool) -> None:
    folded = fold_text(text, is_loose=is_loose)
    length = len(folded.text)
    assert (len(folded.gaps), len(folded.starts), len(folded.ends)) == (length + 1, length, length)
    spans = list(zip(folded.starts, folded.ends, strict=True))
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert sorted(spans) == spans
    assert sorted(folded.ends) == list(folded.ends)


@given(st.text(st.sampled_from("abcXYZトヨタ株式会社髙 -・"), max_size=12))
def test_the_forms_of_unicode_and_case_never_matter(text: str) -> None:
    name = normalise_name(text)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert normalise_name(unicodedata.normalize(form, text)) == name
    assert normalise_name(text.upper()) == normalise_name(text.lower()) == name


@given(st.text("azAZ09lIO", min_size=1, max_size=12), st.booleans())
def test_a_plain_code_folds_as_it_does_beside_a_character_that_is_not_seen(
    code: str, is_loose: bool
) -> None:
    plain = fold_text(code, is_loose=is_loose)
    beside = fold_text(f"{code}\u200b", is_loose=is_loose)
    assert (plain.text, list(plain.gaps)) == (beside.text, list(beside.gaps))
    assert list(plain.starts) == list(beside.starts)
    assert fold_name(code).text == fold_name(f"{code}\u200b").text


@pytest.mark.parametrize("form", ["inc", "co", "ltd", "llc", "gmbh", "ag", "kk", "npo", "plc"])
def test_a_word_that_is_a_legal_form_by_itself_folds_likewise(form: str) -> None:
    assert fold_name(form).text == fold_name(f"{form}\u200b").text
