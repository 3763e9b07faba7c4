"""Sentence borders in Japanese and English: what is never cut, and that nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.records import Span
from ragspine_store.sentences import sentence_spans


def sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentence_spans(text)]


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("月額上限20,000円までの通勤手当を支給する。", id="an amount"),
        pytest.param("割増率は3.5%とし、１．５倍とはしない。", id="decimals of both widths"),
        pytest.param("第4条第2項及び第25条の2の規定による。", id="references to articles"),
        pytest.param("詳細は https://example.com/a.html?q=1.2&b=!x を見る。", id="a URL"),
        pytest.param("See https://example.com/a.html?q=1.2 for more.", id="a URL in English"),
        pytest.param("Write to j.doe@example.co.jp for help.", id="an e-mail address"),
        pytest.param("A meal, e.g. lunch, i.e. Not dinner, counts.", id="e.g. and i.e."),
        pytest.param("Dr. Smith met Mr. and Mrs. Jones at St. Mary.", id="titles"),
        pytest.param("No. 5 and Nos. 7 to 9 of Art. 6 apply.", id="No. and Art."),
        pytest.param("See Sec. 3, Sec. IV, para. 2 and pp. 3-5.", id="sections and pages"),
        pytest.param("The U.S. Government and Acme Inc. Tokyo agree.", id="U.S. and Inc."),
        pytest.param("We follow J. Smith and A. B. Jones here.", id="initials"),
        pytest.param("This is Smith vs. Jones by Brown et al. (2020).", id="vs. and et al."),
        pytest.param("It is due on Jan. 5 or at 5 p.m. Tokyo time.", id="dates and times"),
        pytest.param("Well... I think … maybe . . . so.", id="ellipses"),
        pytest.param("まあ……でも、そう…。", id="Japanese ellipses"),
        pytest.param("「承知した。以上。」と述べた。", id="a quotation"),
        pytest.param("彼は「はい。」田中が『いいえ。』と言うのを聞いた。", id="quotations inside"),
        pytest.param("この規程（以下「規程」という。）及び附則を適用する。", id="a definition"),
        pytest.param("社員（第4条に定める。ただし、役員を除く。）に適用する。", id="a proviso"),
        pytest.param('He said "Stop. Now." and left.', id="an English quotation"),
        pytest.param('"Is it you?" Smith asked.', id="a quoted question"),
        pytest.param("The Company (Acme. A firm.) pays.", id="an English parenthesis"),
        pytest.param("1. The Company pays.", id="a numbered item"),
        pytest.param("2．会社は、手当を支給する。", id="a full-width item mark"),
        pytest.param("イ．会社は、手当を支給する。", id="a kana item mark"),
        pytest.param("(a) The Company pays; it does.", id="a lettered item"),
        pytest.param("何！？！？", id="several marks"),
        pytest.param("数値[^1]は正しい[2]。", id="notes"),
    ],
)
def test_a_sentence_is_never_cut_inside(sentence: str) -> None:
    assert sentences(sentence) == [sentence]
    assert sentences(f"前の文。{sentence}") == ["前の文。", sentence]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("一つ。二つ！三つ？", ["一つ。", "二つ！", "三つ？"], id="Japanese marks"),
        pytest.param("One. Two! Three?", ["One.", "Two!", "Three?"], id="English marks"),
        pytest.param("甲は「はい。」", ["甲は「はい。」"], id="a closer stays"),
        pytest.param(
            "「はい。」田中は答えた。", ["「はい。」", "田中は答えた。"], id="a quote alone"
        ),
        pytest.param(
            "「はい。」「いいえ。」", ["「はい。」", "「いいえ。」"], id="quote after quote"
        ),
        pytest.param(
            "本文。（注記。）次へ。", ["本文。", "（注記。）", "次へ。"], id="a note alone"
        ),
        pytest.param(
            "以上である。」次の文。", ["以上である。」", "次の文。"], id="a closer without opener"
        ),
        pytest.param(
            'He said "Stop." Then he left.', ['He said "Stop."', "Then he left."], id="end quote"
        ),
        pytest.param(
            "Is it? (Yes.) So be it.", ["Is it?", "(Yes.)", "So be it."], id="in brackets"
        ),
        pytest.param("It was Acme Inc. The end.", ["It was Acme Inc.", "The end."], id="Inc. last"),
        pytest.param("At 5 p.m. The end.", ["At 5 p.m.", "The end."], id="p.m. last"),
        pytest.param("By Smith et al. This", ["By Smith et al.", "This"], id="et al. last"),
        pytest.param("He waited... Then", ["He waited...", "Then"], id="an ellipsis last"),
        pytest.param("Yes. No. Maybe.", ["Yes.", "No.", "Maybe."], id="No as a word"),
        pytest.param("数は3.5。次は4。", ["数は3.5。", "次は4。"], id="after a number"),
        pytest.param("End.[^1] Next[2].", ["End.[^1]", "Next[2]."], id="a note after the mark"),
        pytest.param("終わる。[^1]また。", ["終わる。[^1]", "また。"], id="a note in Japanese"),
        pytest.param("**Bold.** Next.", ["**Bold.**", "Next."], id="emphasis"),
        pytest.param("本当?はい. そう", ["本当?", "はい.", "そう"], id="ASCII marks in Japanese"),
        pytest.param(
            "it expires in 2020. a deferred asset of approx. five million remains. it is carried.",
            [
                "it expires in 2020.",
                "a deferred asset of approx. five million remains.",
                "it is carried.",
            ],
            id="text in lower case",
        ),
        pytest.param("Version v3.5.1.", ["Version v3.5.1."], id="a version"),
        pytest.param("  \n 　\t", [], id="blank"),
    ],
)
def test_a_border_stands_where_a_sentence_ends(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("項目一\n項目二", ["項目一", "項目二"], id="Japanese lines"),
        pytest.param("- one\n- two", ["- one", "- two"], id="bullets"),
        pytest.param("Name: Smith\nRole: Clerk", ["Name: Smith", "Role: Clerk"], id="short lines"),
        pytest.param("1. One\n2. two\n(a) three", ["1. One", "2. two", "(a) three"], id="numbers"),
        pytest.param("# Heading\nbody text", ["# Heading", "body text"], id="a heading"),
        pytest.param("| a | b |\n| c | d |", ["| a | b |", "| c | d |"], id="table rows"),
        pytest.param("a | 1\nb | 2\nnext", ["a | 1", "b | 2", "next"], id="rows without borders"),
        pytest.param("to the\nnext line", ["to the\nnext line"], id="lower case reads on"),
        pytest.param(
            "The agreement was signed in the city of New\nYork by both. It\nholds.",
            ["The agreement was signed in the city of New\nYork by both.", "It\nholds."],
            id="a long line reads on",
        ),
        pytest.param("as agreed by Dr.\nsmith", ["as agreed by Dr.\nsmith"], id="an abbreviation"),
        pytest.param("word\n\nword", ["word", "word"], id="a blank line"),
    ],
)
def test_a_line_break_ends_a_sentence_unless_the_line_was_wrapped(
    text: str, expected: list[str]
) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize("opener", list('「『（([【“"{'))
def test_an_unbalanced_mark_swallows_nothing_beyond_its_sentence(opener: str) -> None:
    assert sentences(f"これは{opener}甲。次である。\n\n別の段落。") == [
        f"これは{opener}甲。",
        "次である。",
        "別の段落。",
    ]


def test_a_quote_that_opens_in_one_paragraph_and_closes_in_another_hides_no_border() -> None:
    assert sentences("“First. Second.\n\n“Third. Fourth.”") == [
        "“First.",
        "Second.",
        "“Third. Fourth.”",
    ]


marks = st.sampled_from('甲は。」「（）".!?… 　\n')
words = st.sampled_from(
    [
        "word ",
        "Upper",
        ". ",
        "\n\n",
        "3.5",
        "20,000円",
        "e.g. ",
        "U.S. ",
        "[^1]",
        "**",
        "- ",
        "１．",
    ]
)
long_line = st.just("a line of English words with no full stop in it ")
texts = st.lists(marks | words | long_line, max_size=40).map("".join)


@given(texts, st.integers(0, 10), st.integers(0, 10))
def test_spans_are_ordered_disjoint_and_cover_every_visible_character(
    text: str, skip: int, drop: int
) -> None:
    start, end = min(skip, len(text)), max(min(skip, len(text)), len(text) - drop)
    spans = sentence_spans(text, start, end)
    assert spans == sorted(spans)
    at = start
    for span in spans:
        assert at <= span.start < span.end <= end
        assert not text[at : span.start].strip()
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        at = span.end
    assert not text[at:end].strip()


@given(texts)
def test_a_full_stop_never_opens_a_sentence_and_numbers_stay_whole(text: str) -> None:
    starts = {span.start for span in sentence_spans(text)}
    for whole in ("3.5", "20,000円"):
        at = text.find(whole)
        while at >= 0:
            assert not starts & set(range(at + 1, at + len(whole)))
            at = text.find(whole, at + 1)


def test_a_range_is_cut_as_if_the_rest_did_not_exist() -> None:
    text = "一つ。「二つ。三つ。」四つ。"
    assert sentence_spans(text, 4, 10) == [Span(4, 7), Span(7, 10)]


@pytest.mark.parametrize(
    "unit",
    ["会社は、配慮する。", "(「", '"', "a). ", ". ", ".", "。」", "[", "\n", "Xx. ", "a@", "(a. "],
    ids=repr,
)
def test_a_long_text_of_anything_is_one_pass(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    spans = sentence_spans(text)
    visible = sum(len("".join(text[span.start : span.end].split())) for span in spans)
    assert visible == len("".join(text.split()))
