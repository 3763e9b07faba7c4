"""Children in a tree of any depth: which texts are parents, and which are children, is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

from ragspine_store.chunking.children import block_parts, fact_parts, qa_parts, sentence_parts
from ragspine_store.chunking.lead_ins import LeadIns
from ragspine_store.chunking.parents import (
    Group,
    group_by_page,
    group_by_section,
    group_by_window,
)
from ragspine_store.chunking.passages import passage_parts
from ragspine_store.chunking.pieces import PieceSizes
from ragspine_store.chunking.sections import ChildMaker, iter_sections
from ragspine_store.chunking.settings import require_choice, require_order, require_whole_numbers
from ragspine_store.chunking.windows import ParentSizes, Part
from ragspine_store.errors import ChunkingError
from ragspine_store.loading import enclosing_class, enclosing_clause, outline_of
from ragspine_store.records import Chunk, DocumentMeta, NodeKind, Outline, Span, TreeNode
from ragspine_store.tree import grow_tree

CHILDREN_OF = {
    "heading": ("paragraph", "sentence", "passage", "qa", "function", "fact"),
    "page": ("paragraph", "sentence", "passage", "qa", "fact"),
    "clause": ("paragraph", "sentence", "passage", "qa", "fact"),
    "class": ("paragraph", "function"),
    "sliding": ("paragraph", "sentence", "qa", "function", "fact"),
}
"""For each way to choose parents, the ways to choose children that make sense with it."""


@dataclass(frozen=True, slots=True)
class HierarchicalChunker(ParentSizes):
    """Cuts a document into children that hang in a tree: document, sections, items, child.

    Besides what `ParentSizes` sets:

    Attributes:
        parent: what a window is. `heading`: a section's own text. `clause`: one whole article
            (条, Article, or the outermost numbered clause). `class`: one class of source code.
            `page`: a page, or a spread of two. `sliding`: windows of `window_tokens` whatever the
            headings, each beginning with the last `window_overlap_tokens` of the one before. A
            text outside of any clause or class, and a document without pages, are read by
            heading.
        child: what is searched. `paragraph`: a block. `sentence`: one sentence, or groups of
            them. `passage`: sentences up to `max_child_tokens`, whatever the blocks, beginning with
            the last `overlap_tokens` of the one before; for running text. `fact`: a sentence that
            holds a number, date, deadline or obligation. `qa`: a question and its answer as
            written. `function`: a whole function or method of source code, up to
            `max_parent_tokens`.
        sentences: sentences to a child, 1 to 3, with `child=sentence`.
        pages: pages to a parent, 1 or 2, with `parent=page`.
        window_tokens, window_overlap_tokens: with `parent=sliding`.

    Raises:
        ChunkingError: the sizes contradict each other, or the combination makes no sense.
    """

    parent: str = "heading"
    child: str = "paragraph"
    sentences: int = 1
    pages: int = 1
    window_tokens: int = 1200
    window_overlap_tokens: int = 200

    def __post_init__(self) -> None:
        ParentSizes.__post_init__(self)
        require_choice("parent", self.parent, CHILDREN_OF)
        require_choice("child", self.child, CHILDREN_OF["heading"])
        if self.child not in CHILDREN_OF[self.parent]:
            raise ChunkingError(
                f"parent={self.parent} with child={self.child} given, which makes no sense; "
                f"expected with parent={self.parent} one of "
                f"{', '.join(f'child={child}' for child in CHILDREN_OF[self.parent])}"
            )
        require_choice("sentences", self.sentences, (1, 2, 3))
        require_choice("pages", self.pages, (1, 2))
        require_whole_numbers(1, window_tokens=self.window_tokens)
        require_whole_numbers(0, window_overlap_tokens=self.window_overlap_tokens)
        self._require_default("sentences", unless="child", is_="sentence")
        self._require_default("pages", unless="parent", is_="page")
        self._require_default("window_tokens", unless="parent", is_="sliding")
        self._require_default("window_overlap_tokens", unless="parent", is_="sliding")
        if self.parent == "sliding":
            require_order(
                {"window_tokens": self.window_tokens, "parent_cap_tokens": self.parent_cap_tokens}
            )
            # So that each window holds at least one child of its own.
            require_order(
                {
                    "max_child_tokens": self.max_child_tokens,
                    "window_tokens_less_overlap": self.window_tokens - self.window_overlap_tokens,
                }
            )

    def _require_default(self, name: str, *, unless: str, is_: str) -> None:
        """Refuse a setting that would do nothing."""
        value, default = getattr(self, name), _DEFAULTS[name]
        if getattr(self, unless) != is_ and value != default:
            raise ChunkingError(
                f"{name}={value} given with {unless}={getattr(self, unless)}; "
                f"expected {unless}={is_} with it"
            )

    @property
    def spec(self) -> str:
        """The algorithm and all its settings."""
        return self.describe_as("hierarchical")

    def chunk(
        self,
        text: str,
        meta: DocumentMeta,
        *,
        outline: Outline | None = None,
        pages: Sequence[int] = (),
    ) -> list[Chunk]:
        """Cut canonical text into children, in document order.

        Args:
            text: canonical text.
            meta: the document's metadata; `doc_id` prefixes all ids and locators.
            outline: the structure of `text`; None reads `text` as Markdown.
            pages: where each page starts in `text`; empty for a document without pages.

        Returns:
            Children whose `window` is a span of `text`, and whose `node` is one of `tree`.
        """
        outline = outline or outline_of(text)
        parts = list(self._parts(text, outline))
        is_flat = self._is_flat(pages)
        places = None if is_flat else _Places(outline, parts)
        maker, lead_ins = ChildMaker(text, meta), LeadIns(text, outline)
        chunks: list[Chunk] = []
        for no, group in enumerate(self._groups(text, outline, parts, pages), start=1):
            for window in self.windows(text, group.window, group.name, group.parts):
                chunks.extend(
                    maker.make(
                        part.span,
                        part.section,
                        window.span,
                        parent=window.name,
                        node=no if places is None else places.node_of(part),
                        lead_in=lead_ins.find(part.block),
                    )
                    for part in group.parts[window.first : window.stop]
                )
        return chunks

    def tree(
        self, text: str, outline: Outline | None = None, *, pages: Sequence[int] = ()
    ) -> tuple[TreeNode, ...]:
        """The branches that the children hang in, in document order; node 0 is the document.

        They are the sections, the items that hold others, and the blocks that several children
        were cut from. With pages or sliding windows for parents they are these instead, directly
        under the document; two neighbours may then share what the pieces of one block share.

        Args:
            text: canonical text.
            outline: the structure of `text`; None reads `text` as Markdown.
            pages: where each page starts in `text`.
        """
        outline = outline or outline_of(text)
        parts = list(self._parts(text, outline))
        if not self._is_flat(pages):
            return _Places(outline, parts).nodes
        kind = NodeKind.PAGE if self.parent == "page" else NodeKind.WINDOW
        groups = self._groups(text, outline, parts, pages)
        return (
            TreeNode(0, None, 0, 0, "", Span(0, len(text))),
            *(
                TreeNode(no, 0, 1, outline.section_at(group.span), group.label, group.span, kind)
                for no, group in enumerate(groups, start=1)
            ),
        )

    def _is_flat(self, pages: Sequence[int]) -> bool:
        """Whether pages or windows take the place of sections in the tree."""
        return self.parent == "sliding" or (self.parent == "page" and bool(pages))

    @property
    def _child_sizes(self) -> PieceSizes:
        sizes = self.piece_sizes
        if self.child != "function":
            return sizes
        most = self.max_parent_tokens
        if self.parent == "sliding":
            most = min(most, self.window_tokens - self.window_overlap_tokens)
        return replace(sizes, max_tokens=most)

    def _parts(self, text: str, outline: Outline) -> Iterator[Part]:
        sizes = self._child_sizes
        for section, blocks in iter_sections(text, outline):
            match self.child:
                case "sentence":
                    yield from sentence_parts(
                        text, section, blocks, sizes, sentences=self.sentences
                    )
                case "passage":
                    yield from passage_parts(text, section, blocks, sizes)
                case "fact":
                    yield from fact_parts(text, section, blocks, sizes)
                case "qa":
                    yield from qa_parts(text, section, blocks, sizes)
                case _:
                    yield from block_parts(text, section, blocks, sizes)

    def _groups(
        self, text: str, outline: Outline, parts: Sequence[Part], pages: Sequence[int]
    ) -> Iterable[Group]:
        if self._is_flat(pages):
            if self.parent == "page":
                return group_by_page(text, parts, pages, pages=self.pages)
            return group_by_window(
                text,
                parts,
                self.counter,
                window_tokens=self.window_tokens,
                overlap_tokens=self.window_overlap_tokens,
            )
        return group_by_section(parts, outline, _FIND_PARENT.get(self.parent, _own_text))


def _own_text(_outline: Outline, _section: int) -> None:
    return None


_DEFAULTS = {each.name: each.default for each in fields(HierarchicalChunker)}
_FIND_PARENT = {"clause": enclosing_clause, "class": enclosing_class}


class _Places:
    """The tree of an outline, and where each part hangs in it."""

    def __init__(self, outline: Outline, parts: Sequence[Part]) -> None:
        inside = Counter(part.block.span for part in parts if part.block.span.contains(part.span))
        numbers = {block.span: no for no, block in enumerate(outline.blocks)}
        cut = {no for span, no in numbers.items() if inside[span] > 1}
        tree = grow_tree(outline, cut)
        self.nodes = tree.nodes
        self._of_block = {span: tree.node_of_block[no] for span, no in numbers.items()}
        self._of_section = {
            node.section: node.no for node in tree.nodes if node.kind is NodeKind.SECTION
        }

    def node_of(self, part: Part) -> int:
        """`no` of the innermost node that holds all of a part.

        A heading that stands for an empty section is no block of the outline; a question hangs
        where its answer does too.
        """
        node = self.nodes[self._of_block.get(part.block.span, self._of_section[part.section.no])]
        while node.parent is not None and not node.span.contains(part.span):
            node = self.nodes[node.parent]
        return node.no
