"""The tree of an outline: sections and the items that hold others, each block in one node."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.loading import outline_of
from ragspine_store.loading.plain_text import outline_of_plain_text
from ragspine_store.records import NodeKind, Outline, Span
from ragspine_store.tree import build_tree, grow_tree

LINES = [
    "# 第1章　総則",
    "## Title",
    "#### Deep",
    "第1条　目的を定める。",
    "1. a",
    "2. b",
    "   - c",
    "     - d",
    "   text below c",
    "（１）い",
    "　イ　ろ",
    "(a) x",
    "| a |\n|---|\n| b |",
    "plain",
    "",
]
TEXTS = st.lists(st.sampled_from(LINES), max_size=25).map("\n".join)
OUTLINES = TEXTS.map(outline_of) | TEXTS.map(outline_of_plain_text)

NESTED = """\
# 第1条

1. 甲
   - 乙
     - 丙
   - 丁
2. 戊

## 第2条

本文。
"""


def test_items_that_hold_others_are_nodes_and_their_lead_hangs_in_them() -> None:
    outline = outline_of(NESTED)
    tree = grow_tree(outline)
    assert [(node.no, node.parent, node.level, node.name, node.label) for node in tree.nodes] == [
        (0, None, 0, "s0", ""),
        (1, 0, 1, "s1", ""),
        (2, 1, 2, "i2", "1."),
        (3, 2, 3, "i3", "-"),
        (4, 0, 1, "s2", ""),
    ]
    assert tree.node_of_block == (2, 3, 3, 2, 1, 4)
    item = tree.nodes[2].span
    assert NESTED[item.start : item.end] == "1. 甲\n   - 乙\n     - 丙\n   - 丁"


def test_a_document_without_structure_is_one_node() -> None:
    assert [node.span for node in build_tree(outline_of("plain"))] == [Span(0, 5)]


def test_no_label_or_text_is_in_the_repr() -> None:
    assert "1." not in repr(build_tree(outline_of("1. a\n   - b\n")))


@given(OUTLINES)
def test_spans_nest_and_siblings_follow_each_other(outline: Outline) -> None:
    nodes = build_tree(outline)
    siblings: defaultdict[int, list[Span]] = defaultdict(list)
    assert [node.no for node in nodes] == list(range(len(nodes)))
    for node in nodes[1:]:
        assert node.parent is not None
        parent = nodes[node.parent]
        assert parent.no < node.no
        assert node.level == parent.level + 1
        assert parent.span.contains(node.span)
        siblings[parent.no].append(node.span)
    for spans in siblings.values():
        assert all(a.end <= b.start for a, b in pairwise(spans))
    starts = [(node.span.start, node.level) for node in nodes]
    assert starts == sorted(starts)


@given(OUTLINES)
def test_each_block_is_in_one_node_and_in_no_deeper_one(outline: Outline) -> None:
    tree = grow_tree(outline)
    assert len(tree.node_of_block) == len(outline.blocks)
    for block, no in zip(outline.blocks, tree.node_of_block, strict=True):
        assert tree.nodes[no].span.contains(block.span)
        holding = [node.no for node in tree.nodes if node.span.contains(block.span)]
        assert no == holding[-1]
        assert tree.nodes[no].section == block.section


@given(OUTLINES)
def test_each_section_is_a_node_and_each_other_node_holds_a_nested_block(outline: Outline) -> None:
    tree = grow_tree(outline)
    sections = [node for node in tree.nodes if node.kind is NodeKind.SECTION]
    assert [node.span for node in sections] == [section.span for section in outline.sections]
    assert [node.section for node in sections] == [section.no for section in outline.sections]
    for node in tree.nodes:
        if node.kind is NodeKind.ITEM:
            assert (
                tree.node_of_block.count(node.no)
                + sum(child.parent == node.no for child in tree.nodes)
            ) >= 2


@given(st.integers(1, 40))
def test_deep_nesting_needs_no_recursion(depth: int) -> None:
    text = "\n".join(f"{' ' * 2 * level}- x" for level in range(depth))
    assert max(node.level for node in build_tree(outline_of(text))) <= depth
