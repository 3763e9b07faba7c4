"""The tree that hits are merged in: sections, and inside them the items that hold others.

An outline's blocks are its leaves. A block that holds nested blocks (項 with its 号, 8.1 with its
sub-items) is also a branch, so that enough 号 make the 項, enough 項 the 条, enough 条 the 章.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass

from ragspine_store.records import NodeKind, Outline, Span, TreeNode


@dataclass(frozen=True, slots=True)
class DocumentTree:
    """The nodes of one outline, and where each of its blocks hangs.

    Attributes:
        nodes: in document order; the first is the document itself.
        node_of_block: for each block of the outline, `no` of the innermost node that holds it; a
            block that is a node itself hangs in that node, as its first child.
    """

    nodes: tuple[TreeNode, ...]
    node_of_block: tuple[int, ...]


def build_tree(outline: Outline) -> tuple[TreeNode, ...]:
    r"""The nodes of an outline's tree.

    Returns:
        In document order: a node for the document, for each section, and for each block that
        holds nested ones. Spans nest, and those of siblings are disjoint.

    >>> from ragspine_store.loading import outline_of
    >>> nodes = build_tree(outline_of("# 第1条\n\n1. 甲\n   - 乙\n   - 丙\n2. 丁\n"))
    >>> [(node.name, node.parent, node.label) for node in nodes]
    [('s0', None, ''), ('s1', 0, ''), ('i2', 1, '1.')]
    """
    return grow_tree(outline).nodes


def grow_tree(outline: Outline, cut: Container[int] = ()) -> DocumentTree:
    """The nodes of an outline's tree, and the place of each block in it.

    Args:
        outline: the outline.
        cut: indices of blocks that are nodes too, since they were cut into several children.
    """
    nodes: list[TreeNode] = []
    node_of_section: dict[int, int] = {}
    node_of_block = [0] * len(outline.blocks)
    ends = _ends_of_holders(outline)
    blocks = _blocks_by_section(outline)
    for section in outline.sections:
        above = None if section.parent is None else nodes[node_of_section[section.parent]]
        node_of_section[section.no] = len(nodes)
        nodes.append(_below(above, len(nodes), section.no, "", section.span, NodeKind.SECTION))
        open_nodes = [node_of_section[section.no]]
        for index in blocks[section.no]:
            block = outline.blocks[index]
            # The innermost node it stands in: of its parent, or of an item that goes on after it.
            while len(open_nodes) > 1 and nodes[open_nodes[-1]].span.end <= block.span.start:
                open_nodes.pop()
            holder = open_nodes[-1]
            spans = [Span(block.span.start, ends[index])] if index in ends else []
            spans += [block.span] if index in cut else []
            for span in spans:
                above, holder = nodes[holder], len(nodes)
                nodes.append(_below(above, holder, section.no, block.label, span, NodeKind.ITEM))
                open_nodes.append(holder)
            node_of_block[index] = holder
    return DocumentTree(tuple(nodes), tuple(node_of_block))


def _below(
    above: TreeNode | None, no: int, section: int, label: str, span: Span, kind: NodeKind
) -> TreeNode:
    if above is None:
        return TreeNode(no, None, 0, section, label, span, kind)
    return TreeNode(no, above.no, above.level + 1, section, label, span, kind)


def _ends_of_holders(outline: Outline) -> dict[int, int]:
    """Where each block that holds others ends, the last of its descendants included."""
    ends: dict[int, int] = {}
    for index in range(len(outline.blocks) - 1, -1, -1):
        block = outline.blocks[index]
        end = max(block.span.end, ends.get(index, 0))
        if block.parent is not None:
            ends[block.parent] = max(end, ends.get(block.parent, 0))
    return ends


def _blocks_by_section(outline: Outline) -> defaultdict[int, list[int]]:
    blocks: defaultdict[int, list[int]] = defaultdict(list)
    for index, block in enumerate(outline.blocks):
        blocks[block.section].append(index)
    return blocks
