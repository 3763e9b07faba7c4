"""Front matter: what a document states about itself in a leading YAML block.

A label may stand there, so reading fails closed: a block that looks like front matter and cannot
be read exactly as written is an error, never text; so is a label that stands at the top of the file
in another form. Messages name the line and show no content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from ragspine_store.errors import LoadError
from ragspine_store.records import META_KEYS
from ragspine_store.sensitivity import LABEL_NAMES
from ragspine_store.tokenizer import fold

_NOT_YAML = "is not valid YAML; expected lines like 'title: Rules', a text with : or [ in quotes"
_MAX_LINES = 200
_OPENING = re.compile(r"\s*---[ \t]*(?:\r\n?|\n)")
_LINE = re.compile(r"([^\r\n]*)(?:\r\n?|\n|\Z)")
_LINE_END = re.compile(r"\r\n?|\n")
_CLOSING = re.compile(r"(?:---|\.\.\.)[ \t]*")
_ANY_KEY = re.compile(r"""\s*(?:"[^"]*"|'[^']*'|[^\s#:'"-][^:#]*):(?:\s|$)""")
# These read folded text.
_STATED_KEY = re.compile(rf"\s*[\"']?({'|'.join(META_KEYS)})[\"']?\s*:")
_LABEL_KEY = re.compile(r"^[\s\-{\[?,\"'*_]*sensitivity[\"'*_]*\s*[:=]", re.MULTILINE)
_LABEL_LINE = re.compile(
    rf"{_LABEL_KEY.pattern}[\s\"'*_]*(?:{fold(LABEL_NAMES.replace(', ', '|'))})\b[^\w\n]*$",
    re.MULTILINE,
)
_COMMENTS = re.compile(r"(?:\s|<!--.*?-->)*", re.DOTALL)
_COMMENT_LINES = re.compile(r"(?:\s|<!--.*?-->|(?:#|%|//)[^\n]*(?:\n|\Z))*", re.DOTALL)
_FENCE = re.compile(r"(?:(([-+=;\u2013-\u2015])\2\2)\2*|\{)[^\n]*(?:\n|\Z)")
_PARAGRAPH_END = re.compile(r"(?<=\S)[^\S\n]*\n\s*\n|\Z")
_MAX_HEAD = 20_000


def split_front_matter(text: str, *, name: str) -> tuple[dict[str, str], int]:
    r"""Read the front matter of a decoded file.

    Args:
        text: the decoded file, with any line ends.
        name: how to name the file in an error.

    Returns:
        What is stated, with keys of `META_KEYS` and values as written (dates and numbers stay
        strings), and the offset where the document itself starts.

    Raises:
        LoadError: the block is not closed, is not a flat YAML mapping, repeats a key, or states a
            label where it would not be read; or the file states one at its top without such a
            block.

    >>> split_front_matter("---\nperiod: 2024-04\n---\nText", name="a.md")
    ({'period': '2024-04'}, 24)
    """
    stated, start = _read_front_matter(text, name)
    if "sensitivity" not in stated:
        _refuse_unread_label(text, start, name)
    return stated, start


def _read_front_matter(text: str, name: str) -> tuple[dict[str, str], int]:
    opening = _OPENING.match(text)
    if opening is None:
        return {}, 0
    lines, end = _read_block(text, opening.end())
    block = _Block(name, len(_LINE_END.findall(text, 0, opening.end())), lines)
    if end is None:
        if block.states_something_at_once():
            raise block.error(-1, "is not closed; expected a line --- after it")
        return {}, 0
    return (block.parse(), end) if block.has_key() else ({}, 0)


def _refuse_unread_label(text: str, start: int, name: str) -> None:
    """Refuse a label at the top of the text that follows the front matter, if there is any.

    It may stand in a block with other fences, such as +++, or in one that something stands above,
    or in the first paragraph.
    """
    lines = _LINE_END.split(text[start : start + _MAX_HEAD], maxsplit=_MAX_LINES)[:_MAX_LINES]
    head = fold("\n".join(lines))
    if "sensitivity" not in head:
        return
    begin, label = _end_of(_COMMENTS, head), _LABEL_LINE
    fence = _FENCE.match(head, _end_of(_COMMENT_LINES, head))
    end = None
    if fence is not None:
        begin, label = fence.end(), _LABEL_KEY
        closing = re.compile(rf"^{re.escape(fence[1] or '}')}", re.MULTILINE)
        end = closing.search(head, begin)
    end = end or _PARAGRAPH_END.search(head, begin)
    found = label.search(head, begin, end.start() if end else len(head))
    if found is not None:
        line = len(_LINE_END.findall(text, 0, start)) + head.count("\n", 0, found.end()) + 1
        raise LoadError(
            f"{name}, line {line}: a sensitivity is stated where it is not read; expected it in "
            "front matter, that is a line '---' at the very top, 'sensitivity: LABEL', and a line "
            "'---'"
        )


def _end_of(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0


def _read_block(text: str, at: int) -> tuple[list[str], int | None]:
    """The lines after the opening, and the offset after the closing line, None without one."""
    lines: list[str] = []
    while at < len(text) and len(lines) < _MAX_LINES:
        match = _LINE.match(text, at)
        if match is None:
            break
        if _CLOSING.fullmatch(match[1]):
            return lines, match.end()
        lines.append(match[1])
        at = match.end()
    return lines, None


def _stated_key(line: str) -> str:
    """The known key that the line means to state, however it is spelled; '' for none."""
    match = _STATED_KEY.match(fold(line))
    return match[1] if match else ""


def _states_label(line: str) -> bool:
    """Whether the line means to state a label, even in a list or a nested mapping."""
    return _LABEL_KEY.match(fold(line)) is not None


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines of a block; `above` counts the file's lines before the first of them."""

    name: str
    above: int
    lines: list[str]

    def error(self, index: int, problem: str) -> LoadError:
        """An error about line `index` of the block, counted from 0; -1 is the opening line."""
        return LoadError(f"{self.name}, line {self.above + index + 1}: the front matter {problem}")

    def states_something_at_once(self) -> bool:
        """Whether a known key stands before the first blank line that follows some text."""
        text = "\n".join(self.lines).strip()
        paragraph = re.split(r"\n\s*\n", text, maxsplit=1)[0]
        return any(_stated_key(line) or _states_label(line) for line in paragraph.split("\n"))

    def has_key(self) -> bool:
        return any(
            _ANY_KEY.match(line) or _stated_key(line) or _states_label(line) for line in self.lines
        )

    def parse(self) -> dict[str, str]:
        stated: dict[str, str] = {}
        seen: set[str] = set()
        for key, index, value in self._entries():
            if key in seen:
                raise self.error(index, "repeats a key; expected each key once")
            seen.add(key)
            if key in META_KEYS:
                if value is None:
                    raise self.error(index, f"has no plain value for {key}; expected one text")
                stated[key] = value
        self._check_label_is_read(stated)
        return stated

    def _entries(self) -> Iterator[tuple[str, int, str | None]]:
        """Key, line and value of each entry; the value is None unless it is a scalar."""
        for key_node, value_node in self._compose().value:
            key = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else ""
            value = str(value_node.value) if isinstance(value_node, yaml.ScalarNode) else None
            yield fold(key).strip(), key_node.start_mark.line, value

    def _compose(self) -> yaml.MappingNode:
        try:
            root = yaml.BaseLoader("\n".join(self.lines)).get_single_node()
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            raise self.error(mark.line if mark else -1, _NOT_YAML) from None
        except (yaml.YAMLError, RecursionError):
            raise self.error(-1, _NOT_YAML) from None
        if not isinstance(root, yaml.MappingNode):
            raise self.error(-1, "is not a mapping; expected lines like 'title: Rules'")
        return root

    def _check_label_is_read(self, stated: dict[str, str]) -> None:
        """A label that is empty, nested or folded into another value is never lost silently."""
        if stated.get("sensitivity", "").strip():
            return
        for index, line in enumerate(self.lines):
            if _states_label(line):
                raise self.error(
                    index,
                    "states no sensitivity that can be read; "
                    "expected a top-level line 'sensitivity: LABEL'",
                )
