"""Where a quote is found, and as what it is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.extraction.quotes import find_quote
from ragspine_store.records import Span

SAME = {
    "exactly": ("A社はB社と提携した", "昨日、A社はB社と提携した。"),
    "in another width": ("A社はB社と提携した", "昨日、Ａ社はＢ社と提携した。"),
    "in another case": ("ACME BOUGHT GLOBEX", "Then Acme bought Globex."),
    "over a line break": ("A社はB社と提携した", "昨日、A社は\nB社と　提携した。"),
    "with other quotes": ('"Acme" bought Globex', "Then “Acme” bought Globex."),
    "with another dash": ("2019-2021 Acme", "in 2019–2021 Acme"),
    "half-width kana": ("ガス会社", "東京のｶﾞｽ会社"),
    "kana in two pieces": ("ガス会社", "東京のカ\u3099ス会社"),
    "unseen characters in the text": ("Acme bought", "Then Ac\u200bme\u00ad bought"),
    "unseen characters in the quote": ("Ac\u200bme bought", "Then Acme bought"),
    "one character for several": ("(株)丸", "の㈱丸"),
}


@pytest.mark.parametrize(("quote", "text"), SAME.values(), ids=SAME.keys())
def test_a_quote_is_found_where_it_stands(quote: str, text: str) -> None:
    span = find_quote(quote, text)
    assert span is not None
    assert text[span.start : span.end] in text
    assert span.start > 0
    assert not text[span.start : span.end].startswith((" ", "、", "Then", "の"))


DIFFERENT = {
    "another word": ("A社はC社と提携した", "A社はB社と提携した"),
    "another order": ("B社はA社と提携した", "A社はB社と提携した"),
    "words left out": ("Acme bought Globex", "Acme never bought Globex"),
    "dots for words": ("Acme … Globex", "Acme bought Globex"),
    "nothing": ("", "Acme"),
    "only spaces": (" \n", "Acme bought"),
    "only unseen characters": ("\u200b", "Acme"),
}


@pytest.mark.parametrize(("quote", "text"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_another_text_is_no_quote(quote: str, text: str) -> None:
    assert find_quote(quote, text) is None


def test_the_first_place_counts() -> None:
    assert find_quote("ab", "xab ab") == Span(1, 3)


TEXT = st.text(alphabet="aAｱガカ\u3099㈱社 \n\u200b“-", max_size=20)


@given(TEXT, st.data())
def test_a_part_of_a_text_is_found_as_a_part_that_says_the_same(
    text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    span = find_quote(quote, text)
    if span is None:
        assert not quote
    else:
        assert text[span.start : span.end] == quote


@given(TEXT, TEXT)
def test_what_is_found_lies_in_the_text_and_finds_itself(quote: str, text: str) -> None:
    span = find_quote(quote, text)
    if span is not None:
        assert 0 <= span.start < span.end <= len(text)
        assert find_quote(text[span.start : span.end], text) is not None
