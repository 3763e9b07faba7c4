"""The hierarchical chunker: chosen parents, chosen children, and the tree they hang in."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.chunking import (
    Chunker,
    HierarchicalChunker,
    ParentChildChunker,
    SentenceWindowChunker,
    TreeChunker,
    cut_parents,
    make_chunker,
)
from ragspine_store.chunking.hierarchical import CHILDREN_OF
from ragspine_store.errors import ChunkingError
from ragspine_store.loading import outline_of
from ragspine_store.loading.plain_text import outline_of_plain_text
from ragspine_store.records import Chunk, DocumentMeta, NodeKind, Outline, TreeNode
from ragspine_store.tokens import EstimatedTokenCounter
from ragspine_store.tree import build_tree

META = DocumentMeta("hr/rules.md")
count = EstimatedTokenCounter().count

RULES = """\
# 第2章　端末

前文。

## 第8条　私有端末

1. 次の義務を負う。
   - 甲を守る。
   - 乙を守る。
2. 紛失は24時間以内に届け出る。

### 注

注は参考とする。

## 第9条　返却

返却は退職日までに行う。台帳に記す。
"""


def window_of(text: str, chunk: Chunk) -> str:
    assert chunk.window is not None
    return text[chunk.window.start : chunk.window.end]


def children_of(nodes: tuple[TreeNode, ...], chunks: list[Chunk], no: int) -> list[str]:
    """The children of a node as they are ordered in the text."""
    below = [(node.span, node.name) for node in nodes if node.parent == no]
    below += [(chunk.span, chunk.text) for chunk in chunks if chunk.node == no]
    return [name for _, name in sorted(below)]


def test_children_hang_in_the_tree_down_to_the_items() -> None:
    chunker = HierarchicalChunker()
    chunks, nodes = chunker.chunk(RULES, META), chunker.tree(RULES)
    assert nodes == build_tree(outline_of(RULES))
    assert [node.name for node in nodes] == ["s0", "s1", "s2", "i3", "s3", "s4"]
    assert children_of(nodes, chunks, 1) == ["前文。", "s2", "s4"]
    assert children_of(nodes, chunks, 2) == ["i3", "2. 紛失は24時間以内に届け出る。", "s3"]
    assert children_of(nodes, chunks, 3) == [
        "1. 次の義務を負う。",
        "- 甲を守る。",
        "- 乙を守る。",
    ]


def test_with_headings_for_parents_windows_are_those_of_parent_child() -> None:
    ours = HierarchicalChunker().chunk(RULES, META)
    theirs = ParentChildChunker().chunk(RULES, META)
    assert [(c.text, c.parent_id, c.window) for c in ours] == [
        (c.text, c.parent_id, c.window) for c in theirs
    ]


def test_a_clause_is_read_as_a_whole() -> None:
    chunks = HierarchicalChunker(parent="clause").chunk(RULES, META)
    by_text = {chunk.text: chunk for chunk in chunks}
    note, item = by_text["注は参考とする。"], by_text["- 乙を守る。"]
    assert note.parent_id == item.parent_id == "hr/rules.md#s2"
    assert window_of(RULES, note) == window_of(RULES, item)
    assert window_of(RULES, note).startswith("## 第8条")
    assert window_of(RULES, note).endswith("注は参考とする。")
    assert note.section == 3
    assert window_of(RULES, by_text["前文。"]) == "# 第2章　端末\n\n前文。"


def test_a_clause_over_the_cap_is_cut_into_windows_and_reported() -> None:
    text = "## 第1条\n\n" + "会社は、安全に配慮する。\n\n" * 20 + "### 注\n\n" + "参考。\n\n" * 20
    chunks = HierarchicalChunker(20, 60, 80, 5, parent="clause").chunk(text, META)
    assert all(count(window_of(text, chunk)) <= 80 for chunk in chunks)
    assert cut_parents(chunks) == {"hr/rules.md#s1": len({chunk.parent_id for chunk in chunks})}


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (1, ["一。", "二。", "三。", "四。", "五。"]),
        (2, ["一。二。", "三。四。", "五。"]),
        (3, ["一。二。三。", "四。五。"]),
    ],
)
def test_sentences_come_alone_or_in_groups(sentences: int, expected: list[str]) -> None:
    chunker = HierarchicalChunker(child="sentence", sentences=sentences)
    text = "一。二。三。四。五。\n"
    chunks = chunker.chunk(text, META)
    assert [chunk.text for chunk in chunks] == expected


def test_sentences_never_join_two_blocks_and_long_ones_stand_alone() -> None:
    text = "一。\n\n二。\n\n" + "長" * 40 + "。短い。\n"
    chunks = HierarchicalChunker(42, 1500, 3000, 5, child="sentence", sentences=3).chunk(text, META)
    assert [chunk.text for chunk in chunks] == ["一。", "二。", "長" * 40 + "。", "短い。"]


def test_a_block_that_was_cut_is_a_branch_of_its_own() -> None:
    text = "# 第1条\n\n1. 甲。乙。\n   - 丙。\n2. 丁。\n"
    chunker = HierarchicalChunker(child="sentence")
    chunks, nodes = chunker.chunk(text, META), chunker.tree(text)
    assert children_of(nodes, chunks, 1) == ["i2", "2. 丁。"]
    assert children_of(nodes, chunks, 2) == ["i3", "- 丙。"]
    assert children_of(nodes, chunks, 3) == ["1. 甲。", "乙。"]


def test_facts_stand_alone_and_what_is_between_stays_together() -> None:
    text = "目的は明るい職場である。皆で考える。上限は20,000円とする。例外はある。相談は自由だ。\n"
    chunks = HierarchicalChunker(child="fact").chunk(text, META)
    assert [chunk.text for chunk in chunks] == [
        "目的は明るい職場である。皆で考える。",
        "上限は20,000円とする。",
        "例外はある。相談は自由だ。",
    ]


PAGED = "# 題\n\n一頁目の一。\n\n一頁目の二は\n二頁目に続く。\n\n二頁目。\n\n四頁目。\n"
STARTS = (0, PAGED.index("二頁目に"), PAGED.index("\n四頁目"), PAGED.index("四頁目"))


def test_a_page_is_a_parent_and_a_branch() -> None:
    chunker = HierarchicalChunker(parent="page")
    chunks, nodes = chunker.chunk(PAGED, META, pages=STARTS), chunker.tree(PAGED, pages=STARTS)
    assert [(chunk.parent_id.partition("#")[2], chunk.text) for chunk in chunks] == [
        ("p1", "一頁目の一。"),
        ("p1", "一頁目の二は\n二頁目に続く。"),
        ("p2", "二頁目。"),
        ("p4", "四頁目。"),
    ]
    assert [(n.name, n.label, n.kind) for n in nodes[1:]] == [
        (f"p{no}", str(no), NodeKind.PAGE) for no in range(1, 5)
    ]
    assert [chunk.node for chunk in chunks] == [1, 1, 2, 4]
    assert window_of(PAGED, chunks[0]).startswith("# 題")
    assert window_of(PAGED, chunks[2]) == "二頁目に続く。\n\n二頁目。"


def test_a_spread_holds_two_pages() -> None:
    chunker = HierarchicalChunker(parent="page", pages=2)
    nodes = chunker.tree(PAGED, pages=STARTS)
    assert [(node.name, node.label) for node in nodes] == [("s0", ""), ("p1", "1-2"), ("p2", "3-4")]
    odd = chunker.tree(PAGED, pages=STARTS[:3])
    assert [node.label for node in odd] == ["", "1-2", "3"]


def test_without_pages_a_document_is_read_by_heading() -> None:
    paged, by_heading = HierarchicalChunker(parent="page"), HierarchicalChunker()
    assert paged.chunk(RULES, META) == by_heading.chunk(RULES, META)
    assert paged.tree(RULES) == by_heading.tree(RULES)


def test_sliding_windows_repeat_the_end_of_the_one_before() -> None:
    text = "# 題\n\n" + "".join(f"第{no}の文である。\n\n" for no in range(100, 160))
    chunker = HierarchicalChunker(
        20, parent="sliding", window_tokens=60, window_overlap_tokens=20, overlap_tokens=5
    )
    chunks, nodes = chunker.chunk(text, META), chunker.tree(text)
    windows = list(dict.fromkeys(chunk.window for chunk in chunks if chunk.window))
    assert len(windows) == len(nodes) - 1 > 10
    assert windows[0].start == 0
    assert all(count(text[window.start : window.end]) <= 60 for window in windows)
    assert all(a.start < b.start < a.end < b.end for a, b in pairwise(windows))
    assert all(a.span.end == b.span.start for a, b in pairwise(nodes[1:]))
    assert {chunk.parent_id for chunk in chunks} == {f"hr/rules.md#{n.name}" for n in nodes[1:]}


QA = """\
# よくある質問

はじめに。

Q1. 有給休暇はいつから使えますか。
A1. 入社の日から6か月後です。

半日でも使えます。

問2　私有端末は使えますか。

答　申請すれば使えます。

## 退職するときは？

上長に届け出ます。

期限は1か月前です。

## 連絡先

総務部。
"""


def test_a_question_and_its_answer_are_one_child() -> None:
    chunks = HierarchicalChunker(child="qa").chunk(QA, META)
    assert [chunk.text for chunk in chunks] == [
        "はじめに。",
        "Q1. 有給休暇はいつから使えますか。\nA1. 入社の日から6か月後です。\n\n半日でも使えます。",
        "問2　私有端末は使えますか。\n\n答　申請すれば使えます。",
        "## 退職するときは？\n\n上長に届け出ます。\n\n期限は1か月前です。",
        "総務部。",
    ]


def test_several_pairs_in_one_block_are_told_apart() -> None:
    text = "Q: May I?\nA: Yes.\nQ: Must I?\nA: No.\n"
    chunks = HierarchicalChunker(child="qa").chunk(text, META)
    assert [chunk.text for chunk in chunks] == ["Q: May I?\nA: Yes.", "Q: Must I?\nA: No."]


@pytest.mark.parametrize(
    ("text", "children"),
    [
        ("Q: Unanswered.\n\nText.\n", ["Q: Unanswered.", "Text."]),
        ("問題があれば答える。\n\nA. 別紙\n", ["問題があれば答える。", "A. 別紙"]),
        ("A: Before.\n\nMore.\n", ["A: Before.", "More."]),
    ],
    ids=["no answer", "no marker", "no question"],
)
def test_without_a_pair_blocks_are_children(text: str, children: list[str]) -> None:
    assert [c.text for c in HierarchicalChunker(child="qa").chunk(text, META)] == children


@pytest.mark.parametrize(
    ("parent", "child"), [(parent, c) for parent, known in CHILDREN_OF.items() for c in known]
)
def test_every_sensible_combination_works_by_configuration(parent: str, child: str) -> None:
    chunker = make_chunker(f"hierarchical(parent={parent}, child={child})")
    assert chunker == HierarchicalChunker(parent=parent, child=child)
    assert isinstance(chunker, TreeChunker)
    assert chunker.chunk(RULES, META)


@pytest.mark.parametrize(
    ("parent", "child"),
    [
        pair
        for pair in product(CHILDREN_OF, CHILDREN_OF["heading"])
        if pair[1] not in CHILDREN_OF[pair[0]]
    ],
)
def test_a_combination_that_makes_no_sense_is_refused(parent: str, child: str) -> None:
    with pytest.raises(ChunkingError, match="makes no sense") as caught:
        make_chunker("hierarchical", parent=parent, child=child)
    assert all(f"child={known}" in str(caught.value) for known in CHILDREN_OF[parent])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"parent": "chapter"}, "parent='chapter' given; expected one of heading, page"),
        ({"child": 3}, "child=3 given; expected one of paragraph"),
        ({"child": "sentence", "sentences": 4}, "sentences=4 given; expected one of 1, 2, 3"),
        ({"sentences": True}, "sentences=True given"),
        ({"sentences": 2}, "sentences=2 given with child=paragraph; expected child=sentence"),
        ({"pages": 2}, "pages=2 given with parent=heading"),
        ({"window_tokens": 900}, "window_tokens=900 given with parent=heading"),
        ({"parent": "sliding", "window_tokens": 4000}, "at most parent_cap_tokens=3000"),
        ({"parent": "sliding", "window_tokens": 300}, "window_tokens_less_overlap=100"),
        ({"max_child_tokens": 0}, "max_child_tokens=0"),
    ],
    ids=[
        "unknown parent",
        "unknown child",
        "too many sentences",
        "not a number",
        "sentences without sentence",
        "pages without page",
        "window without sliding",
        "window over the cap",
        "no room for a child",
        "size",
    ],
)
def test_settings_that_contradict_each_other_are_refused(
    settings: dict[str, object], message: str
) -> None:
    with pytest.raises(ChunkingError, match=message):
        make_chunker("hierarchical", **settings)


def test_the_spec_names_every_setting() -> None:
    assert HierarchicalChunker(parent="clause").spec == (
        "hierarchical(max_child_tokens=250, max_parent_tokens=1500, parent_cap_tokens=3000, "
        "overlap_tokens=25, counter=EstimatedTokenCounter(), parent='clause', child='paragraph', "
        "sentences=1, pages=1, window_tokens=1200, window_overlap_tokens=200)"
    )


def test_only_a_chunker_with_a_tree_is_a_tree_chunker() -> None:
    assert isinstance(HierarchicalChunker(), Chunker)
    assert not isinstance(ParentChildChunker(), TreeChunker)
    assert not isinstance(SentenceWindowChunker(), TreeChunker)


LINES = [
    "# 第1章",
    "## 第1条　目的",
    "### What now?",
    "1. 甲は20円。乙である。",
    "   - " + "長い文である。" * 6,
    "Q: a?",
    "A: b.",
    "（１）い",
    "| a |\n|---|\n| b |\n| c |",
    "plain words",
    "* * *",
    "",
]
TEXTS = st.lists(st.sampled_from(LINES), max_size=20).map("\n".join)
CHUNKERS = st.sampled_from(
    [
        HierarchicalChunker(
            20,
            30,
            60,
            5,
            parent=parent,
            child=child,
            window_tokens=50 if parent == "sliding" else 1200,
            window_overlap_tokens=15 if parent == "sliding" else 200,
        )
        for parent, known in CHILDREN_OF.items()
        for child in known
    ]
)


@given(
    text=TEXTS,
    reads_markdown=st.booleans(),
    chunker=CHUNKERS,
    cuts=st.sets(st.floats(0, 1), max_size=4),
)
def test_whatever_the_settings_no_word_is_lost_and_all_bounds_hold(
    text: str, reads_markdown: bool, chunker: HierarchicalChunker, cuts: set[float]
) -> None:
    outline: Outline = outline_of(text) if reads_markdown else outline_of_plain_text(text)
    pages = sorted({0} | {int(cut * len(text)) for cut in cuts}) if cuts else []
    chunks = chunker.chunk(text, META, outline=outline, pages=pages)
    nodes = chunker.tree(text, outline, pages=pages)
    assert [node.no for node in nodes] == list(range(len(nodes)))
    for node in nodes[1:]:
        assert node.parent is not None
        assert nodes[node.parent].span.contains(node.span)
        assert node.level == nodes[node.parent].level + 1
    covered = Counter[int]()
    for chunk in chunks:
        assert chunk.text == text[chunk.span.start : chunk.span.end]
        assert count(chunk.text) <= (30 if chunker.child == "function" else 20)
        assert chunk.window is not None
        assert chunk.window.contains(chunk.span)
        assert count(window_of(text, chunk)) <= 60
        assert nodes[chunk.node].span.contains(chunk.span)
        covered.update(range(*chunk.span))
    for block in outline.blocks:
        if any(char.isalnum() for char in text[block.span.start : block.span.end]):
            visible = [at for at in range(*block.span) if not text[at].isspace()]
            assert all(covered[at] for at in visible)
    assert [(chunk.span.start, chunk.seq) for chunk in chunks] == sorted(
        (chunk.span.start, chunk.seq) for chunk in chunks
    )
