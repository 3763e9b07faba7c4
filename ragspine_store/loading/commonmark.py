"""The CommonMark parser, set up once: blocks with their lines, and the text of headings."""

from __future__ import annotations

import functools
import re
from collections.abc import MutableMapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from ragspine_store.loading.japanese import Rank, is_caption, parse_heading
from ragspine_store.records import Span

# Twenty nested lists. Each level costs stack and another pass over its lines, so what is nested
# deeper is kept as one paragraph.
_MAX_NESTING = 40
_MAX_RENDERED_HEADING = 1000


class SourceLines:
    r"""Where the lines of a text start.

    >>> SourceLines("a\nbc\n").span([1, 2])
    Span(start=2, end=4)
    """

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._length = len(text)

    def span(self, lines: Sequence[int]) -> Span:
        """The span of a half-open range of lines, without the last line end."""
        first, end = lines
        stop = self._starts[end] - 1 if end < len(self._starts) else self._length
        return Span(self._starts[min(first, len(self._starts) - 1)], stop)


def parse_blocks(text: str) -> tuple[list[Token], MutableMapping[str, Any]]:
    """Parse a text into block tokens; lines end at line feeds alone, so that offsets stay.

    Returns:
        The tokens, with `map` the half-open range of their lines, and the link definitions that
        `heading_text` needs.
    """
    env: MutableMapping[str, Any] = {}
    return _parser().parse(text, env), env


@functools.cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING + 10}).enable("table")
    footnote_plugin(parser)
    parser.core.ruler.enableOnly(["block"])
    parser.block.ruler.before("table", "too_deep", _keep_too_deep)
    parser.block.ruler.before(
        "paragraph", "japanese_heading", _ends_at_heading, {"alt": ["paragraph", "blockquote"]}
    )
    return parser


def _ends_at_heading(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """A block rule that only ends others: items, quotes and tables stop at a heading line.

    CommonMark would read `第2条` right below the last item of 第1条 as more of that item.
    """
    is_continuation = state.sCount[line] < state.blkIndent
    if not silent or not (is_continuation or state.parentType in ("table", "blockquote")):
        return False
    source = _source_line(state, line)
    if not is_caption(source):
        return parse_heading(source) is not None
    following = line + 1
    while following < end and state.isEmpty(following):
        following += 1
    if following == end:
        return False
    heading = parse_heading(_source_line(state, following), captioned=True)
    return heading is not None and heading.rank is Rank.ARTICLE


def _source_line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] : state.eMarks[line]]


def _keep_too_deep(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """A block rule that keeps what is nested too deeply as one paragraph."""
    if silent or state.level < _MAX_NESTING:
        return False
    following = line + 1
    while following < end and (
        state.isEmpty(following) or state.sCount[following] >= state.blkIndent
    ):
        following += 1
    for kind, nesting in (("paragraph_open", 1), ("paragraph_close", -1)):
        token = state.push(kind, "p", 1 if nesting > 0 else -1)
        token.map = [line, following]
    state.line = following
    return True


def heading_text(content: str, env: MutableMapping[str, Any]) -> str:
    """The text of a heading as it is shown: without markup, on one line.

    >>> heading_text("**第4条** [諸手当](pay.md)", {})
    '第4条 諸手当'
    """
    shown = content
    if len(content) <= _MAX_RENDERED_HEADING:
        tokens: list[Token] = []
        parser = _parser()
        parser.inline.parse(content, parser, env, tokens)
        shown = _shown(tokens)
    return " ".join(filter(None, map(str.strip, shown.split("\n"))))


def _shown(tokens: Sequence[Token]) -> str:
    parts: list[str] = []
    for token in tokens:
        match token.type:
            case "text" | "text_special" | "code_inline":
                parts.append(token.content)
            case "softbreak" | "hardbreak":
                parts.append(" ")
            case "image":
                parts.append(_shown(token.children or []))
            case "html_inline" if token.content.lower().startswith("<br"):
                parts.append(" ")
            case _:
                pass
    return "".join(parts)
