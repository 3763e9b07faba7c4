"""The outline of source code, built from its syntax tree.

A class is a section, with its subclasses below it. Since a section's own text ends where its first
subsection starts, what follows a class beside it needs a section too: it is headed by the names of
the functions there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from ragspine_store.loading.code.members import Member, iter_members
from ragspine_store.loading.outline import trim
from ragspine_store.records import Block, BlockKind, Outline, Section, Span

if TYPE_CHECKING:
    from tree_sitter import Node

_KEYWORDS = frozenset(
    {"class", "interface", "@interface", "enum", "record", "struct", "trait", "impl", "mod", "type"}
)
_HEADER_END = re.compile(r"[{;]|:\s*(?:\n|\Z)")
_WIDE = re.compile("[^\\x00-\\x7f]+")
_WORD = re.compile(r"[^\W_]")
_MAX_HEADING = 120
# Classes in classes; deeper ones are functions of their class.
_MAX_DEPTH = 20


def read_code_outline(text: str, root: Node) -> Outline:
    """Read the outline of source code.

    Args:
        text: the source.
        root: its syntax tree, over the same text in UTF-8.
    """
    reader = _Reader(text)
    reader.read(root, 0, Span(0, len(text)), 0)
    return reader.build()


@dataclass(frozen=True, slots=True)
class _OpenSection:
    parent: int | None
    level: int
    heading: str
    start: int


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._source = text.encode()
        self._offsets = _Offsets(text)
        self._sections = [_OpenSection(None, 0, "", 0)]
        self._blocks: list[Block] = []

    def read(self, node: Node, parent: int, span: Span, depth: int) -> None:
        """Read the members of a node, whose text is `span`, into section `parent`."""
        members = list(iter_members(node, self._source))
        at = span.start
        follows_class = False
        owner = ""
        for index, member in enumerate(members):
            start, end = self._offsets.of(member.start), self._offsets.of(member.end)
            names = [m.name for m in takewhile(lambda m: not m.is_class, members[index:])]
            heading = ", ".join(filter(None, names))
            if self._add(Span(at, start), parent, follows_class, heading):
                follows_class, owner = False, ""
            if member.is_class and depth < _MAX_DEPTH:
                self._add_class(member, Span(start, end), parent, depth)
                follows_class, owner = True, member.name
            elif self._add(
                Span(start, end), parent, follows_class and member.owner != owner, heading
            ):
                follows_class = follows_class and member.owner == owner != ""
            at = end
        self._add(Span(at, span.end), parent, follows_class, "")

    def build(self) -> Outline:
        """The outline of what was read."""
        ends = [len(self._text)] * len(self._sections)
        open_sections: list[int] = []
        for no, section in enumerate(self._sections):
            while open_sections and self._sections[open_sections[-1]].level >= section.level:
                ends[open_sections.pop()] = section.start
            open_sections.append(no)
        starts = [*(section.start for section in self._sections[1:]), len(self._text)]
        return Outline(
            tuple(
                Section(no, s.parent, s.level, s.heading, Span(s.start, end), own_end)
                for no, (s, end, own_end) in enumerate(
                    zip(self._sections, ends, starts, strict=True)
                )
            ),
            tuple(self._blocks),
        )

    def _add(self, span: Span, parent: int, follows_class: bool, heading: str) -> bool:
        """Add a block, in a section of its own after a class; whether it holds a word.

        Brackets and the like stay where they are, in the section opened last.
        """
        span = Span(*trim(self._text, *span))
        if span.start == span.end:
            return False
        has_word = _WORD.search(self._text, *span) is not None
        if has_word and follows_class:
            first_line = self._text[span.start : span.end].partition("\n")[0]
            self._open(parent, heading or first_line, span.start)
        self._blocks.append(Block(len(self._sections) - 1, BlockKind.CODE, span))
        return has_word

    def _add_class(self, member: Member, span: Span, parent: int, depth: int) -> None:
        keywords = [child for child in member.node.children if child.type in _KEYWORDS]
        start = self._offsets.of(keywords[0].start_byte) if keywords else span.start
        header_end = _HEADER_END.search(self._text, start, span.end)
        end = header_end.start() if header_end else span.end
        self._open(parent, " ".join(self._text[start:end].split()), span.start)
        no = len(self._sections) - 1
        body = member.node.child_by_field_name("body")
        if body is None:
            self._add(span, no, False, "")
        else:
            self.read(body, no, span, depth + 1)

    def _open(self, parent: int, heading: str, start: int) -> None:
        if len(heading) > _MAX_HEADING:
            heading = heading[: _MAX_HEADING - 1] + "…"
        self._sections.append(
            _OpenSection(parent, self._sections[parent].level + 1, heading, start)
        )


class _Offsets:
    """Code points from bytes of the same text in UTF-8."""

    def __init__(self, text: str) -> None:
        self._starts, self._shifts = [0], [0]
        shift = 0
        for match in _WIDE.finditer(text):
            for at, char in enumerate(match.group(), match.start()):
                shift += len(char.encode()) - 1
                self._starts.append(at + 1 + shift)
                self._shifts.append(shift)

    def of(self, byte: int) -> int:
        """The code point that begins at a byte."""
        return byte - self._shifts[bisect_right(self._starts, byte) - 1]
