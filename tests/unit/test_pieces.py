"""Pieces of an over-long block: bounded, covering, overlapping, never cut inside a word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.chunking.pieces import PieceSizes, cut_block
from ragspine_store.records import Span
from ragspine_store.tokens import EstimatedTokenCounter

COUNTER = EstimatedTokenCounter()
DEFAULT = PieceSizes(250, 25, COUNTER)


def pieces(text: str, sizes: PieceSizes = DEFAULT, *, by_lines: bool = False) -> list[str]:
    spans = cut_block(text, Span(0, len(text)), sizes, by_lines=by_lines)
    return [text[span.start : span.end] for span in spans]


def overlaps(text: str, sizes: PieceSizes = DEFAULT) -> list[int]:
    spans = cut_block(text, Span(0, len(text)), sizes, by_lines=False)
    return [
        COUNTER.count(text[following.start : piece.end]) for piece, following in pairwise(spans)
    ]


marks = st.sampled_from("。、」 \n会社🙂_é")
words = st.sampled_from(
    [
        "パスワード",
        "20,000円",
        "€3.5%分",
        "第25条の2。",
        "word ",
        "👍🏽",
        "葛\U000e0100",
        "か\u3099",
    ]
)
addresses = st.sampled_from([" https://example.com/a?b=c.d ", " a.b@example.com "])
texts = st.lists(marks | words | addresses, max_size=80).map("".join)
sizes = st.integers(1, 40).flatmap(
    lambda most: st.builds(
        PieceSizes, st.just(most), st.integers(0, most - 1), st.just(EstimatedTokenCounter())
    )
)


@given(texts, sizes, st.booleans())
def test_pieces_are_bounded_ordered_and_cover_the_block(
    text: str, sizes: PieceSizes, by_lines: bool
) -> None:
    spans = cut_block(text, Span(0, len(text)), sizes, by_lines=by_lines)
    covered = 0
    for span in spans:
        assert span.start < span.end
        assert not text[covered : span.start].strip()
        assert span.end > covered
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        assert sizes.count(text, span) <= max(sizes.max_tokens, 1)
        covered = span.end
    assert not text[covered:].strip()
    assert [span.start for span in spans] == sorted({span.start for span in spans})


@given(texts, sizes)
def test_lines_of_a_table_or_of_code_are_never_repeated(text: str, sizes: PieceSizes) -> None:
    spans = cut_block(text, Span(0, len(text)), sizes, by_lines=True)
    assert all(a.end <= b.start for a, b in pairwise(spans))


@given(texts)
def test_no_border_stands_inside_what_belongs_together(text: str) -> None:
    sizes = PieceSizes(40, 8, COUNTER)
    spans = cut_block(text, Span(0, len(text)), sizes, by_lines=False)
    borders = {at for span in spans for at in span}
    whole = r"20,000円|3\.5%|第25条の2|https://\S+|a\.b@example\.com|葛\U000e0100|か\u3099|e\u0301"
    for match in re.finditer(whole, text):
        assert not borders & set(range(match.start() + 1, match.end()))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "会社は、従業員の安全に配慮し、その健康を守る。" * 60, id="Japanese sentences"
        ),
        pytest.param("The Company shall protect its employees. " * 80, id="English sentences"),
        pytest.param("甲" * 1000, id="no border at all"),
        pytest.param("甲は、乙に対し、" * 200, id="one long sentence"),
        pytest.param("word " * 1000, id="words without a full stop"),
        pytest.param(("長" * 230 + "。") * 5, id="sentences that nearly fill a piece"),
    ],
)
def test_pieces_of_prose_share_twenty_to_thirty_tokens(text: str) -> None:
    shared = overlaps(text)
    assert len(shared) >= 3
    assert all(20 <= tokens <= 30 for tokens in shared)


def test_pieces_end_and_begin_at_sentences_where_they_can() -> None:
    sentence = "会社は、従業員の安全に配慮する。"
    assert pieces(sentence * 8, PieceSizes(50, 16, COUNTER)) == [
        sentence * 3,
        sentence * 3,
        sentence * 3,
        sentence * 2,
    ]


def test_table_rows_stay_whole() -> None:
    rows = [f"| 項目{n} | 月額{n}円 |" for n in range(30)]
    cut = pieces("\n".join(rows), PieceSizes(60, 25, COUNTER), by_lines=True)
    assert len(cut) > 3
    assert [row for piece in cut for row in piece.split("\n")] == rows


def test_a_row_that_is_too_long_is_cut_all_the_same() -> None:
    cut = pieces(
        "| a |\n" + "| " + "長い説明。" * 40 + " |\n| b |",
        PieceSizes(50, 5, COUNTER),
        by_lines=True,
    )
    assert all(COUNTER.count(piece) <= 50 for piece in cut)
    assert "".join("".join(cut).split()) == "|a||" + "長い説明。" * 40 + "||b|"


def test_a_small_block_is_one_piece_without_its_outer_space() -> None:
    assert cut_block("  短い。 ", Span(0, 6), DEFAULT, by_lines=False) == [Span(2, 5)]


def test_a_blank_block_gives_nothing() -> None:
    assert cut_block(" \n　", Span(0, 3), DEFAULT, by_lines=False) == []


def test_what_cannot_be_kept_whole_is_cut_between_characters() -> None:
    flags = "👍🏽" * 300
    cut = pieces(flags, PieceSizes(50, 0, COUNTER))
    assert "".join(cut) == flags
    assert all(piece.startswith("👍") for piece in cut)
    letters = pieces("x" * 5000, PieceSizes(50, 0, COUNTER))
    assert "".join(letters) == "x" * 5000


@dataclass(frozen=True)
class Characters:
    """Counts every character, spaces too."""

    def count(self, text: str) -> int:
        return len(text)


def test_a_counter_that_counts_spaces_gives_no_blank_piece() -> None:
    text = "first" + " " * 100 + "second third"
    assert pieces(text, PieceSizes(10, 0, Characters())) == ["first", "second", "third"]
