"""Canonical text and the way back to the decoded file."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.loading.canonical import canonicalise
from ragspine_store.records import Span

ALPHABET = "ab \r\nかはー。\u3099\u309a\u0301\u0323\u0338>\u1100\u1161\u11a8각\ufa19Å\u212b"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        pytest.param("a\r\nb\rc\nd", "a\nb\nc\nd", id="line ends"),
        pytest.param("\r\r\n\n", "\n\n\n", id="mixed line ends"),
        pytest.param("か\u3099き\u309a", "がき\u309a", id="voiced kana"),
        pytest.param("e\u0301 e\u0323\u0302", "é ệ", id="accents"),
        pytest.param("\u1112\u1161\u11ab\uae00\u11a8", "한\uae00\u11a8", id="hangul"),
        pytest.param("神社\ufa19社", "神社\ufa19社", id="compatibility ideograph stays"),
        pytest.param("\ufa19\u3099", "\ufa19\u3099", id="also under a mark"),
        pytest.param("ｶﾞ①㌔", "ｶﾞ①㌔", id="width and form stay"),
        pytest.param("\u3099か", "\u3099か", id="a mark without a base"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_only_line_ends_and_combining_sequences_change(raw: str, text: str) -> None:
    assert canonicalise(raw)[0] == text


def test_removed_spans_are_gone_and_the_rest_maps_back() -> None:
    raw = "---\r\na: b\r\n---\r\nか\u3099<!-- x -->z"
    text, offsets = canonicalise(raw, [Span(0, 16), Span(18, 28)])
    assert text == "がz"
    assert offsets.raw_span(Span(0, 1)) == Span(16, 18)
    assert offsets.raw_span(Span(1, 2)) == Span(28, 29)
    assert offsets.raw_span(Span(0, 2)) == Span(16, 29)


def test_nothing_composes_across_what_was_removed() -> None:
    assert canonicalise("か<!---->\u3099", [Span(1, 8)])[0] == "か\u3099"


@st.composite
def raw_and_removed(draw: st.DrawFn) -> tuple[str, list[Span]]:
    raw = draw(st.text(ALPHABET, max_size=40))
    at = draw(st.lists(st.integers(0, len(raw)), max_size=6).map(sorted))
    return raw, [Span(a, b) for a, b in zip(at[::2], at[1::2], strict=False)]


def is_border(text: str, at: int) -> bool:
    """Whether no combining sequence of the canonical text goes on at this offset."""
    if at == len(text):
        return True
    char = text[at]
    return unicodedata.category(char)[0] != "M" and not "\u1161" <= char <= "\u11ff"


@given(raw_and_removed(), st.data())
def test_a_span_that_crosses_nothing_removed_maps_back_exactly(
    drawn: tuple[str, list[Span]], data: st.DataObject
) -> None:
    raw, removed = drawn
    text, offsets = canonicalise(raw, removed)
    borders = [at for at in range(len(text) + 1) if is_border(text, at)]
    start = data.draw(st.sampled_from(borders))
    end = data.draw(st.sampled_from([at for at in borders if at >= start]))
    back = offsets.raw_span(Span(start, end))
    if start < end and not any(back.overlaps(span) for span in removed):
        assert canonicalise(raw[back.start : back.end])[0] == text[start:end]


@given(raw_and_removed())
def test_every_kept_code_point_is_reached_and_no_removed_one(
    drawn: tuple[str, list[Span]],
) -> None:
    raw, removed = drawn
    text, offsets = canonicalise(raw, removed)
    reached: set[int] = set()
    for at in range(len(text)):
        reached.update(range(*offsets.raw_span(Span(at, at + 1))))
    dropped = {at for span in removed for at in range(*span)}
    assert reached == set(range(len(raw))) - dropped


@given(st.text())
def test_canonical_text_is_canonical_already(raw: str) -> None:
    text, _ = canonicalise(raw)
    assert canonicalise(text)[0] == text
