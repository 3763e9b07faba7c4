"""The sentence_window chunker: sentences as children, their neighbours as windows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.chunking import Chunker, SentenceWindowChunker
from ragspine_store.errors import ChunkingError
from ragspine_store.loading import outline_of
from ragspine_store.records import Block, BlockKind, Chunk, DocumentMeta, Outline, Section, Span
from ragspine_store.tokens import EstimatedTokenCounter

META = DocumentMeta("rules.md")
count = EstimatedTokenCounter().count


def windows(text: str, chunks: list[Chunk]) -> list[str]:
    return [text[chunk.window.start : chunk.window.end] for chunk in chunks if chunk.window]


def one_block(text: str, kind: BlockKind = BlockKind.PARAGRAPH) -> Outline:
    span = Span(0, len(text))
    return Outline((Section(0, None, 0, "題", span, len(text)),), (Block(0, kind, span),))


def test_a_child_is_a_sentence_and_its_window_the_sentences_around_it() -> None:
    text = "".join(f"第{n}文。" for n in range(10))
    chunks = SentenceWindowChunker().chunk(text, META, outline=one_block(text))
    assert [chunk.text for chunk in chunks] == [f"第{n}文。" for n in range(10)]
    assert windows(text, chunks)[5] == "".join(f"第{n}文。" for n in range(2, 9))


def test_windows_are_clipped_at_the_first_and_the_last_sentence() -> None:
    text = "".join(f"第{n}文。" for n in range(10))
    chunks = SentenceWindowChunker().chunk(text, META, outline=one_block(text))
    assert windows(text, chunks)[0] == "第0文。第1文。第2文。第3文。"
    assert windows(text, chunks)[9] == "第6文。第7文。第8文。第9文。"


def test_the_window_of_a_single_sentence_is_the_sentence() -> None:
    text = "ただ一つの文。\n"
    (chunk,) = SentenceWindowChunker().chunk(text, META, outline=outline_of(text))
    assert windows(text, [chunk]) == ["ただ一つの文。"]
    assert (chunk.source_locator, chunk.parent_locator) == ("rules.md#para1",) * 2


def test_a_window_never_crosses_its_section() -> None:
    text = "# 一\n\n甲一。甲二。\n\n## 一の一\n\n乙一。\n\n# 二\n\n- 丙一。\n- 丙二。丙三。\n"
    chunks = SentenceWindowChunker().chunk(text, META)
    assert [chunk.text for chunk in chunks] == [
        "甲一。",
        "甲二。",
        "乙一。",
        "- 丙一。",
        "- 丙二。",
        "丙三。",
    ]
    assert windows(text, chunks) == [
        "甲一。甲二。",
        "甲一。甲二。",
        "乙一。",
        *["- 丙一。\n- 丙二。丙三。"] * 3,
    ]
    assert [chunk.heading for chunk in chunks] == ["一", "一", "一の一", "二", "二", "二"]
    assert chunks[4].parent_locator == "rules.md#para6-7"
    assert {chunk.parent_id for chunk in chunks} == {""}


def test_amounts_references_and_quotes_stay_in_one_child() -> None:
    sentences = [
        "月額20,000円、率3.5%とする。",
        "第4条第2項は https://example.com/a?b=1.2 を見る。",
        "「承知した。」と述べた。",
    ]
    text = "".join(sentences)
    chunks = SentenceWindowChunker().chunk(text, META, outline=one_block(text))
    assert [chunk.text for chunk in chunks] == sentences


def test_a_table_gives_a_child_for_each_row() -> None:
    text = "| 手当 | 額 |\n| 通勤. Daily | 20,000円。まで |"
    chunks = SentenceWindowChunker().chunk(text, META, outline=one_block(text, BlockKind.TABLE))
    assert [chunk.text for chunk in chunks] == text.split("\n")


def test_a_sentence_that_is_too_long_is_cut_into_pieces() -> None:
    text = "短い。" + "長" * 600 + "。短い。"
    chunks = SentenceWindowChunker().chunk(text, META, outline=one_block(text))
    assert [chunk.text for chunk in (chunks[0], chunks[-1])] == ["短い。", "短い。"]
    assert len(chunks) == 5
    assert all(count(chunk.text) <= 250 for chunk in chunks)
    assert windows(text, chunks)[2] == text


def test_a_window_shrinks_around_its_child_until_it_fits() -> None:
    text = "".join(f"{'長' * 99}。" for _ in range(40))
    chunks = SentenceWindowChunker(window_size=100).chunk(text, META, outline=one_block(text))
    sizes = [count(window) for window in windows(text, chunks)]
    assert max(sizes) == sizes[0] == 3000
    assert sizes[20] == 2900
    assert chunks[20].window == Span(600, 3500)


@given(
    st.lists(
        st.sampled_from(
            ["# 章\n\n", "## 節\n\n", "甲。乙。", "長い文" * 9 + "。", "\n\n", "- x y. Z.\n"]
        )
    ).map("".join),
    st.integers(1, 4),
)
def test_windows_hold_their_child_stay_in_their_section_and_under_the_cap(
    text: str, window_size: int
) -> None:
    outline = outline_of(text)
    chunker = SentenceWindowChunker(window_size, 12, 30, 3)
    for chunk in chunker.chunk(text, META, outline=outline):
        assert chunk.text == text[chunk.span.start : chunk.span.end]
        assert chunk.window is not None
        assert chunk.window.contains(chunk.span)
        assert outline.sections[chunk.section].own.contains(chunk.window)
        assert count(text[chunk.window.start : chunk.window.end]) <= 30
        assert count(chunk.text) <= 12


def test_a_megabyte_without_a_heading_has_small_windows() -> None:
    text = "会社は、従業員の安全に配慮する。" * 70_000
    chunks = SentenceWindowChunker().chunk(text, META, outline=one_block(text))
    assert len(chunks) == 70_000
    assert {len(window) for window in windows(text, chunks)} == {64, 80, 96, 112}


def test_the_spec_names_the_algorithm_and_every_setting() -> None:
    assert SentenceWindowChunker(window_size=2).spec == (
        "sentence_window(window_size=2, max_child_tokens=250, window_cap_tokens=3000, "
        "overlap_tokens=25, counter=EstimatedTokenCounter())"
    )
    assert isinstance(SentenceWindowChunker(), Chunker)


@pytest.mark.parametrize(
    ("sizes", "named"),
    [
        pytest.param((0, 250, 3000, 25), "window_size=0", id="no window"),
        pytest.param((3, 0, 3000, 0), "max_child_tokens=0", id="no child"),
        pytest.param((3, 250, 3000, 250), "overlap_tokens=250", id="overlap as large"),
        pytest.param((3, 250, 3000, -1), "overlap_tokens=-1", id="negative overlap"),
        pytest.param((3, 250, 200, 25), "max_child_tokens=250", id="child over window"),
        pytest.param((3, 250, 3001, 25), "window_cap_tokens=3001", id="over the hard cap"),
    ],
)
def test_sizes_that_contradict_each_other_are_refused(
    sizes: tuple[int, int, int, int], named: str
) -> None:
    with pytest.raises(ChunkingError, match=f"^{named} given; expected "):
        SentenceWindowChunker(*sizes)
