"""Markdown: sections from its headings, blocks with their spans, comments left out."""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it.token import Token

from ragspine_store.loading.assembly import assemble
from ragspine_store.loading.canonical import canonicalise
from ragspine_store.loading.comments import find_comments
from ragspine_store.loading.commonmark import SourceLines, heading_text, parse_blocks
from ragspine_store.loading.encoding import decode
from ragspine_store.loading.english import clause_rank
from ragspine_store.loading.front_matter import split_front_matter
from ragspine_store.loading.japanese import rank_of
from ragspine_store.loading.lines import LineReader
from ragspine_store.loading.markers import parse_marker
from ragspine_store.loading.numbering import refine
from ragspine_store.loading.outline import BlockDraft, Draft, HeadingDraft, build_outline
from ragspine_store.records import BlockKind, LoadedDocument, Outline, Span

_LIST_MARKER = re.compile(r"[ \t]*(\d{1,9}[.)]|[-*+])")
_HTML_TABLE = re.compile(r"\s*<table[\s>]", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[。．.！？!?、，,；;][」』）)”’\"']*$")


class MarkdownLoader:
    """Reads Markdown: CommonMark with pipe tables and footnotes, and Japanese plain lines."""

    suffixes = (".md", ".markdown")

    def load(self, data: bytes, *, name: str) -> LoadedDocument:
        """Load one file; see `Loader.load`."""
        raw = decode(data, name=name)
        stated, start = split_front_matter(raw, name=name)
        text, offsets = canonicalise(raw, [Span(0, start)])
        if comments := find_comments(text):
            removed = [Span(0, start), *map(offsets.raw_span, comments)]
            text, offsets = canonicalise(raw, removed)
        return assemble(
            raw, name=name, canonical=(text, offsets), read_outline=outline_of, stated=stated
        )


def outline_of(text: str) -> Outline:
    r"""Read the outline of a canonical text as Markdown.

    >>> outline = outline_of("# 第4条：手当\n\n1. 通勤手当\n2. 昼食手当\n")
    >>> outline.path(1), [block.label for block in outline.blocks]
    (('第4条：手当',), ['1.', '2.'])
    """
    tokens, env = parse_blocks(text)
    walk = _Walk(text, env)
    walk.read(tokens)
    return build_outline(text, refine(text, walk.drafts))


@dataclass(slots=True)
class _OpenItem:
    """A list item; `is_bare` until its first block has come."""

    draft: BlockDraft
    reader: LineReader
    is_bare: bool = True


_LEAVES = {
    "paragraph_open": BlockKind.PARAGRAPH,
    "heading_open": BlockKind.PARAGRAPH,
    "hr": BlockKind.PARAGRAPH,
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
    "html_block": BlockKind.HTML,
    "table_open": BlockKind.TABLE,
    "blockquote_open": BlockKind.QUOTE,
    "footnote_reference_open": BlockKind.FOOTNOTE,
}


class _Walk:
    """One pass over the block tokens of a text, in document order."""

    def __init__(self, text: str, env: MutableMapping[str, Any]) -> None:
        self.drafts: list[Draft] = []
        self._text = text
        self._env = env
        self._lines = SourceLines(text)
        self._reader = LineReader(text, self.drafts, splits_paragraphs=False)
        self._items: list[_OpenItem] = []
        self._are_items: list[bool] = []
        self._continues_items = False
        self._at = 0

    def read(self, tokens: Sequence[Token]) -> None:
        index = 0
        while index < len(tokens):
            token = tokens[index]
            index += 1
            match token.type:
                case "list_item_open":
                    self._are_items.append(not self._is_clause(token))
                    if self._are_items[-1]:
                        self._open_item(token)
                case "list_item_close":
                    if self._are_items.pop():
                        self._items.pop()
                case "bullet_list_open" | "ordered_list_open":
                    if self._items:
                        self._items[-1].is_bare = False
                    else:
                        self._continues_items = False
                case _ if token.type in _LEAVES:
                    self._read_leaf(token, tokens[index : index + 1])
                    while token.nesting == 1 and tokens[index].level > token.level:
                        index += 1
                case _:
                    pass

    def _read_leaf(self, token: Token, following: Sequence[Token]) -> None:
        span = self._span(token)
        is_top = not self._items
        if token.type == "heading_open" and is_top:
            self._read_heading(token, span, following[0].content)
        elif token.type == "paragraph_open" and is_top:
            self._reader.read(span.start, span.end)
        elif token.type == "paragraph_open":
            self._read_in_item(self._items[-1], span)
        else:
            self._add_block(_kind(token), span)
        self._at = span.end

    def _read_heading(self, token: Token, span: Span, content: str) -> None:
        is_setext = token.markup in ("-", "=")
        if is_setext and ("\n" in content or _SENTENCE_END.search(content)):
            underline = self._text.rindex("\n", span.start, span.end)
            self._reader.read(span.start, underline)
            self._add_block(BlockKind.PARAGRAPH, Span(underline, span.end))
            return
        shown = heading_text(content, self._env)
        self._reader.start_section(shown)
        level = int(token.tag[1:])
        rank = rank_of(shown)
        if rank is None:
            english = clause_rank(shown)
            self.drafts.append(HeadingDraft(*span, shown, level, english, is_loose=True))
        else:
            self.drafts.append(HeadingDraft(*span, shown, level, rank))

    def _read_in_item(self, item: _OpenItem, span: Span) -> None:
        """Read a paragraph of an item: lines below its first may be items, as in plain text."""
        if not item.is_bare:
            item.reader.read(*span)
            return
        stop = self._text.find("\n", *span)
        if stop < 0 or parse_marker(self._text[span.start : stop]) is not None:
            self._add_block(BlockKind.PARAGRAPH, span)
            return
        self._add_block(BlockKind.PARAGRAPH, Span(span.start, stop))
        item.reader.read(stop + 1, span.end, goes_on=True)

    def _add_block(self, kind: BlockKind, span: Span) -> None:
        if not self._items:
            self.drafts.append(BlockDraft(kind, *span))
            return
        item = self._items[-1]
        if item.is_bare and kind is not BlockKind.TABLE:
            item.draft.end = span.end
        else:
            self.drafts.append(BlockDraft(kind, *span, item.draft.depth, item.draft))
        item.is_bare = False

    def _is_clause(self, token: Token) -> bool:
        """Whether what CommonMark takes for an item is the heading of an English clause.

        In `1. Definitions`, a paragraph below and then `2. Services`, each list has one item.
        """
        span = self._span(token)
        if self._items or token.info == "":
            return False
        stop = self._text.find("\n", span.start, span.end)
        end = self._reader.read_list_item(
            span.start, span.end if stop < 0 else stop, continues_items=self._continues_items
        )
        if end is None:
            self._continues_items = True
            return False
        self._at = end
        return True

    def _open_item(self, token: Token) -> None:
        marker = _LIST_MARKER.match(self._text, self._span(token).start)
        start, end = marker.span(1) if marker else (self._at, self._at)
        parent = self._items[-1].draft if self._items else None
        label = marker[1] if marker else ""
        item = BlockDraft(BlockKind.ITEM, start, end, len(self._items) + 1, parent, label)
        self.drafts.append(item)
        if not self._items:
            stop = self._text.find("\n", end)
            self._reader.note_item(item, self._text[start : stop if stop >= 0 else None])
        reader = LineReader(self._text, self.drafts, splits_paragraphs=False, holder=item)
        self._items.append(_OpenItem(item, reader))
        self._at = end

    def _span(self, token: Token) -> Span:
        """The lines of the token, from where the last block or marker ended."""
        span = self._lines.span(token.map or [0, 0])
        return Span(max(span.start, self._at), max(span.end, self._at))


def _kind(token: Token) -> BlockKind:
    if token.type == "html_block" and _HTML_TABLE.match(token.content):
        return BlockKind.TABLE
    return _LEAVES[token.type]
