"""Finds HTML comments in Markdown, where they are comments and not code."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from ragspine_store.loading.commonmark import SourceLines, parse_blocks
from ragspine_store.records import Span

_OPENING, _CLOSING = "<!--", "-->"
_RAW_TEXT_ELEMENT = re.compile(r"\s*<(?:script|style|textarea)[\s>]", re.IGNORECASE)
_INLINE_PARENTS = ("paragraph_open", "heading_open", "table_open")


def find_comments(text: str) -> list[Span]:
    """Find the comments of a Markdown text, in order and disjoint.

    An inline comment ends in its paragraph, or is none. A block comment ends where a browser
    ends it: at the next `-->`, or with its block when there is no other.

    >>> find_comments("a <!-- b --> c `<!-- d -->`")
    [Span(start=2, end=12)]
    """
    if _OPENING not in text:
        return []
    comments: list[Span] = []
    at = 0
    last_closing = text.rfind(_CLOSING)
    lines = SourceLines(text)
    for token in parse_blocks(text)[0]:
        if token.map is None:
            continue
        block = lines.span(token.map)
        block = Span(max(block.start, at), block.end)
        if token.type == "html_block" and not _RAW_TEXT_ELEMENT.match(token.content):
            found = _in_html(text, block, last_closing)
        elif token.type in _INLINE_PARENTS:
            found = _in_prose(text, block)
        else:
            continue
        for comment in found:
            comments.append(comment)
            at = comment.end
    return comments


def _in_html(text: str, block: Span, last_closing: int) -> Iterator[Span]:
    start = text.find(_OPENING, block.start, block.end)
    while start >= 0:
        end = block.end
        # <!--> and <!---> are whole comments, so the dashes of the opening may close it.
        if start + 2 <= last_closing:
            end = text.index(_CLOSING, start + 2) + len(_CLOSING)
        yield Span(start, end)
        start = text.find(_OPENING, end, block.end)


def _in_prose(text: str, block: Span) -> list[Span]:
    if text.find(_OPENING, block.start, block.end) < 0:
        return []
    source = text[block.start : block.end]
    found: list[Span] = []
    _inline_parser().parseInline(source, {"comments": found, "last": source.rfind(_CLOSING)})
    return [Span(block.start + start, block.start + end) for start, end in found]


@functools.cache
def _inline_parser() -> MarkdownIt:
    """A parser of all that can hide a comment: escapes, code spans, autolinks and tags."""
    parser = MarkdownIt("zero", {"html": True})
    parser.enable(["escape", "backticks", "autolink", "html_inline"])
    parser.inline.ruler.before("html_inline", "comment", _comment)
    return parser


def _comment(state: StateInline, silent: bool) -> bool:
    """An inline rule that notes where each comment stands."""
    if not state.src.startswith(_OPENING, state.pos) or state.env["last"] < state.pos + 2:
        return False
    end = state.src.index(_CLOSING, state.pos + 2) + len(_CLOSING)
    if not silent:
        state.env["comments"].append((state.pos, end))
    state.pos = end
    return True
