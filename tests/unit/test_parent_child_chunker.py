"""The parent_child chunker: blocks as children, sections as bounded windows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.chunking import Chunker, ParagraphIndex, ParentChildChunker, cut_parents
from ragspine_store.chunking.paragraphs import iter_paragraphs
from ragspine_store.errors import ChunkingError
from ragspine_store.loading import outline_of
from ragspine_store.records import (
    Block,
    BlockKind,
    Chunk,
    DocumentMeta,
    Outline,
    Section,
    Span,
    format_locator,
)
from ragspine_store.tokens import EstimatedTokenCounter

META = DocumentMeta("hr/rules.md")
count = EstimatedTokenCounter().count

ARTICLE_4 = """\
# 第4条：諸手当および福利厚生

1. 会社は、従業員の円滑な業務遂行を支援するため、本条の定めに従い手当を支給する。
2. 正社員に対しては、月額上限20,000円までの通勤手当の実費、および月額10,000円の昼食手当を支給する。
3. 試用期間中の従業員については、通勤手当は支給するが、昼食手当の適用は本採用以降とする。
4. 各手当は、毎月25日（休日の場合は前営業日）の給与支払い時に合算して口座振込にて支給する。
"""


def window_of(text: str, chunk: Chunk) -> str:
    assert chunk.window is not None
    return text[chunk.window.start : chunk.window.end]


def one_section(text: str, blocks: list[Block]) -> Outline:
    """A document without subsections."""
    return Outline((Section(0, None, 0, "題", Span(0, len(text)), len(text)),), tuple(blocks))


def lines_as_blocks(text: str) -> list[Block]:
    return [Block(0, BlockKind.PARAGRAPH, line) for line in iter_paragraphs(text)]


def test_an_article_is_one_parent_of_its_four_items() -> None:
    chunks = ParentChildChunker().chunk(ARTICLE_4, META, outline=outline_of(ARTICLE_4))
    assert [chunk.text for chunk in chunks] == ARTICLE_4.split("\n")[2:6]
    assert {chunk.parent_id for chunk in chunks} == {"hr/rules.md#s1"}
    assert {chunk.heading for chunk in chunks} == {"第4条：諸手当および福利厚生"}
    third = chunks[2]
    assert (third.chunk_id, third.source_locator) == ("hr/rules.md#c2", "hr/rules.md#para4")
    assert third.parent_locator == "hr/rules.md#para1-5"
    assert window_of(ARTICLE_4, third) == ARTICLE_4.strip()
    assert third.window_text == ""


def test_without_an_outline_the_text_is_read_as_markdown() -> None:
    chunker = ParentChildChunker()
    assert chunker.chunk(ARTICLE_4, META) == chunker.chunk(
        ARTICLE_4, META, outline=outline_of(ARTICLE_4)
    )


def test_a_child_keeps_its_marker_and_loses_outer_space_only() -> None:
    text = "見出し\n  （１）　本文。  \n"
    outline = one_section(text, [Block(0, BlockKind.ITEM, Span(4, len(text)), 1, None, "（１）")])
    (chunk,) = ParentChildChunker().chunk(text, META, outline=outline)
    assert chunk.text == "（１）　本文。" == text[chunk.span.start : chunk.span.end]
    assert (chunk.para_start, chunk.para_end) == (2, 2)
    assert window_of(text, chunk) == text.strip()


def test_short_blocks_are_never_merged() -> None:
    text = "短い。\n" * 20
    chunks = ParentChildChunker().chunk(
        text, META, outline=one_section(text, lines_as_blocks(text))
    )
    assert [chunk.text for chunk in chunks] == ["短い。"] * 20


def test_a_section_of_nothing_but_its_heading_is_one_child() -> None:
    text = "# 章\n\n## 第5条 削除\n\n## 第6条\n\n本文。\n"
    chunks = ParentChildChunker().chunk(text, META, outline=outline_of(text))
    assert [(chunk.text, chunk.heading) for chunk in chunks] == [
        ("## 第5条 削除", "第5条 削除"),
        ("本文。", "第6条"),
    ]


@pytest.mark.parametrize("text", ["", " \n　\n"], ids=["empty", "blank"])
def test_blank_text_gives_no_child(text: str) -> None:
    assert ParentChildChunker().chunk(text, META, outline=one_section(text, [])) == []


def test_windows_stop_at_the_subsections() -> None:
    text = "# 一\n\n前文。\n\n## 一の一\n\n本文。\n"
    first, second = ParentChildChunker().chunk(text, META, outline=outline_of(text))
    assert window_of(text, first) == "# 一\n\n前文。"
    assert window_of(text, second) == "## 一の一\n\n本文。"
    assert (first.section, second.section) == (1, 2)


def test_a_long_block_is_cut_into_overlapping_children_of_one_parent() -> None:
    text = "会社は、従業員の安全に配慮する。" * 40
    chunks = ParentChildChunker().chunk(
        text, META, outline=one_section(text, lines_as_blocks(text))
    )
    assert len(chunks) == 3
    assert all(count(chunk.text) <= 250 for chunk in chunks)
    assert all(a.span.end > b.span.start for a, b in pairwise(chunks))
    assert {chunk.parent_id for chunk in chunks} == {"hr/rules.md#s0"}
    assert {chunk.source_locator for chunk in chunks} == {"hr/rules.md#para1"}


def test_a_section_between_target_and_cap_stays_whole() -> None:
    text = "会社は、従業員の安全に配慮する。\n" * 180
    chunks = ParentChildChunker().chunk(
        text, META, outline=one_section(text, lines_as_blocks(text))
    )
    assert count(text) == 2880
    assert {chunk.parent_id for chunk in chunks} == {"hr/rules.md#s0"}
    assert cut_parents(chunks) == {}


def test_a_section_over_the_cap_becomes_runs_of_children() -> None:
    text = "会社は、従業員の安全に配慮する。\n" * 200
    chunks = ParentChildChunker().chunk(
        text, META, outline=one_section(text, lines_as_blocks(text))
    )
    parents = list(dict.fromkeys(chunk.parent_id for chunk in chunks))
    assert parents == ["hr/rules.md#s0.1", "hr/rules.md#s0.2", "hr/rules.md#s0.3"]
    assert cut_parents(chunks) == {"hr/rules.md#s0": 3}
    assert [count(window_of(text, chunks[at])) for at in (0, 93, 186)] == [1488, 1488, 224]
    assert [chunk.parent_locator for chunk in (chunks[0], chunks[93], chunks[199])] == [
        "hr/rules.md#para1-93",
        "hr/rules.md#para94-186",
        "hr/rules.md#para187-200",
    ]


def test_the_first_part_of_a_cut_section_begins_with_its_heading() -> None:
    text = "# 第1条\n\n" + "- 会社は、従業員の安全に配慮する。\n" * 200
    chunks = ParentChildChunker().chunk(text, META, outline=outline_of(text))
    assert window_of(text, chunks[0]).startswith("# 第1条\n\n- 会社")
    assert window_of(text, chunks[-1]).startswith("- 会社")


def test_a_section_is_cut_before_an_outermost_item_rather_than_a_nested_one() -> None:
    item = "- 項目の本文である。\n" + "    - 細目の本文である。\n" * 5
    text = item * 4
    outline = outline_of(text)
    sizes = ParentChildChunker(20, 110, 120, 5)
    chunks = sizes.chunk(text, META, outline=outline)
    firsts = {chunk.parent_id: chunk for chunk in reversed(chunks)}
    assert len(firsts) == 4
    assert all(chunk.text == "- 項目の本文である。" for chunk in firsts.values())


def test_a_border_that_would_leave_a_window_nearly_empty_is_not_taken() -> None:
    item = "- 項目の本文である。\n" + "    - 細目の本文である。\n" * 30
    text = item * 2
    chunks = ParentChildChunker(20, 100, 120, 5).chunk(text, META, outline=outline_of(text))
    windows = list(dict.fromkeys(window_of(text, chunk) for chunk in chunks))
    assert all(count(window) >= 50 for window in windows[:-1])


def test_a_heading_longer_than_a_window_is_left_to_the_heading_field() -> None:
    text = "# " + "題" * 200 + "\n\n" + "本文である。\n\n" * 10
    chunks = ParentChildChunker(20, 40, 60, 5).chunk(text, META, outline=outline_of(text))
    assert all(count(window_of(text, chunk)) <= 40 for chunk in chunks)
    assert [chunk.text for chunk in chunks] == ["本文である。"] * 10


@pytest.mark.parametrize(
    ("text", "parents"),
    [
        pytest.param("会社は、従業員の安全に配慮する。\n" * 65_000, 699, id="one line a sentence"),
        pytest.param("会社は、従業員の安全に配慮する。" * 70_000, 770, id="a single line"),
    ],
)
def test_a_megabyte_without_a_heading_has_capped_windows(text: str, parents: int) -> None:
    assert len(text) > 1_100_000
    chunks = ParentChildChunker().chunk(
        text, META, outline=one_section(text, lines_as_blocks(text))
    )
    windows = {chunk.window for chunk in chunks if chunk.window is not None}
    assert max(count(text[window.start : window.end]) for window in windows) <= 1500
    assert len(windows) == parents
    assert cut_parents(chunks) == {"hr/rules.md#s0": parents}


@dataclass(frozen=True)
class Characters:
    """Counts every character, spaces too."""

    def count(self, text: str) -> int:
        return len(text)


documents = st.lists(
    st.sampled_from(
        [
            "# 章\n\n",
            "## 節\n\n",
            "### 条\n\n",
            "1. 項目。\n",
            "    1. 細目である。\n",
            "本文。20,000円。\n\n",
            "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
            "```\ncode 3.5\n```\n\n",
            "word " * 30 + "\n\n",
        ]
    ),
    max_size=25,
).map("".join)


@given(documents, st.sampled_from([EstimatedTokenCounter(), Characters()]))
def test_children_cover_every_block_and_windows_hold_their_children(
    text: str, counter: EstimatedTokenCounter | Characters
) -> None:
    outline = outline_of(text)
    chunks = ParentChildChunker(20, 40, 60, 4, counter).chunk(text, META, outline=outline)
    index = ParagraphIndex(text)
    covered: set[int] = set()
    for seq, chunk in enumerate(chunks):
        assert (chunk.seq, chunk.chunk_id) == (seq, f"hr/rules.md#c{seq}")
        assert chunk.text == text[chunk.span.start : chunk.span.end] == chunk.text.strip() != ""
        assert counter.count(chunk.text) <= 20
        assert counter.count(window_of(text, chunk)) <= 60
        assert chunk.window is not None
        assert chunk.window.contains(chunk.span)
        section = outline.sections[chunk.section]
        assert section.own.contains(chunk.window)
        assert chunk.heading == section.heading
        assert chunk.source_locator == format_locator("hr/rules.md", index.of(chunk.span))
        assert chunk.parent_locator == format_locator("hr/rules.md", index.of(chunk.window))
        assert chunk.parent_id.split(".md#")[1].split(".")[0] == f"s{chunk.section}"
        covered |= set(range(*chunk.span))
    for block in outline.blocks:
        assert all(at in covered or text[at].isspace() for at in range(*block.span))
    by_parent = {chunk.parent_id: chunk.window for chunk in chunks}
    assert len(by_parent) == len({(chunk.parent_id, chunk.window) for chunk in chunks})


def test_the_spec_names_the_algorithm_and_every_setting() -> None:
    assert ParentChildChunker().spec == (
        "parent_child(max_child_tokens=250, max_parent_tokens=1500, parent_cap_tokens=3000, "
        "overlap_tokens=25, counter=EstimatedTokenCounter())"
    )
    assert ParentChildChunker(counter=Characters()).spec != ParentChildChunker().spec
    assert isinstance(ParentChildChunker(), Chunker)


@pytest.mark.parametrize(
    ("sizes", "named"),
    [
        pytest.param((250, 1500, 3000, 250), "overlap_tokens=250", id="overlap as large"),
        pytest.param((250, 1500, 3000, 300), "overlap_tokens=300", id="overlap larger"),
        pytest.param((250, 1500, 3000, -1), "overlap_tokens=-1", id="negative overlap"),
        pytest.param((2000, 1500, 3000, 25), "max_child_tokens=2000", id="child over parent"),
        pytest.param((250, 4000, 3000, 25), "max_parent_tokens=4000", id="parent over cap"),
        pytest.param((0, 1500, 3000, 0), "max_child_tokens=0", id="no child"),
        pytest.param((250, 0, 3000, 25), "max_parent_tokens=0", id="no parent"),
        pytest.param((250, 1500, -5, 25), "parent_cap_tokens=-5", id="negative cap"),
        pytest.param((250, 1500, 3001, 25), "parent_cap_tokens=3001", id="over the hard cap"),
        pytest.param((True, 1500, 3000, 0), "max_child_tokens=True", id="not a number"),
    ],
)
def test_sizes_that_contradict_each_other_are_refused(
    sizes: tuple[int, int, int, int], named: str
) -> None:
    with pytest.raises(ChunkingError, match=f"^{named} given; expected "):
        ParentChildChunker(*sizes)


def test_cut_parents_reads_ids_of_any_document() -> None:
    text = "会社は、従業員の安全に配慮する。\n" * 200
    meta = DocumentMeta("a.b%23s1.2/v1.5#x.md")
    chunks = ParentChildChunker().chunk(
        text, meta, outline=one_section(text, lines_as_blocks(text))
    )
    assert cut_parents(chunks) == {"a.b%23s1.2/v1.5#x.md#s0": 3}


def test_a_thematic_break_is_no_child_and_still_stands_in_the_window() -> None:
    text = "# Rules\n\nFirst rule.\n\n---\n\nSecond rule.\n"

    chunks = ParentChildChunker().chunk(text, DocumentMeta("rules.md"))

    assert [chunk.text for chunk in chunks] == ["First rule.", "Second rule."]
    window = chunks[0].window
    assert window is not None
    assert "---" in text[window.start : window.end]
