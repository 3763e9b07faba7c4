"""Reads headings, items and paragraphs from plain lines, by the grammar of rules and statutes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragspine_store.loading.clause_headings import ClauseHeadings
from ragspine_store.loading.english import parse_clause
from ragspine_store.loading.japanese import (
    HeadingLine,
    Rank,
    is_caption,
    is_contents_title,
    parse_heading,
    shown_heading,
)
from ragspine_store.loading.markers import Marker, columns, is_next, parse_marker
from ragspine_store.loading.outline import BlockDraft, Draft, HeadingDraft
from ragspine_store.records import BlockKind, Span

_SENTENCE_END = re.compile(r"[。！？][」』）)”’\"']*$")
_BEFORE_ITEM = re.compile(r"[。．.:：;；、,）)]$")
_ENDED = re.compile(r"[。！？.:：;；!?)）”\"]$")
_NEXT_LINE = re.compile(r"\s*\n([^\n]*)")
_INDENT = re.compile(r"[ \t\u3000]*")


@dataclass(frozen=True, slots=True)
class _Level:
    """An open level of items: the last item of it, and the style that continues it."""

    style: str
    numbers: tuple[int, ...]
    indent: int
    item: BlockDraft


class LineReader:
    """Reads regions of one canonical text, top to bottom.

    Args:
        text: the canonical text.
        drafts: the list that headings and blocks are added to.
        splits_paragraphs: whether an indented line, or one after a line that ends with 。,
            starts a paragraph, as in plain text; otherwise only blank lines do.
        holder: the item that all of it stands in, where no heading can; None at the top.
    """

    def __init__(
        self,
        text: str,
        drafts: list[Draft],
        *,
        splits_paragraphs: bool,
        holder: BlockDraft | None = None,
    ) -> None:
        self._text = text
        self._holder = holder
        self._drafts = drafts
        self._splits_paragraphs = splits_paragraphs
        self._open: BlockDraft | None = None
        self._levels: list[_Level] = []
        self._levels_are_past = False
        self._caption: Span | None = None
        self._contents = _Contents(is_open=False)
        self._clauses = ClauseHeadings(text)

    def start_section(self, heading: str) -> None:
        """Forget what is open, since a heading stands here."""
        self._open = None
        self._levels = []
        self._caption = None
        self._contents = _Contents(is_open=is_contents_title(heading))
        self._clauses.start_section(heading)

    def read(self, start: int, end: int, *, goes_on: bool = False) -> None:
        """Read the whole lines from `start` to `end`.

        Args:
            start: where the first line starts.
            end: where the last one ends.
            goes_on: whether they stand right below the first line of the holder.
        """
        self._open = self._holder if goes_on else None
        while start < end:
            stop = self._text.find("\n", start, end)
            stop = end if stop < 0 else stop
            start = self._read_line(start, stop) + 1

    def read_list_item(self, start: int, stop: int, *, continues_items: bool) -> int | None:
        """Read the line of a Markdown list item as the heading of a clause, where it is one.

        Returns:
            Where the lines of the heading end; None when the line is no heading.
        """
        self._open = None
        clause = parse_clause(self._text[start:stop])
        if clause is None:
            return None
        above = re.sub(r"[ \t]*\n?[ \t]*\Z", "", self._text[max(start - 20, 0) : start])
        found = self._clauses.find(
            clause,
            start,
            stop,
            is_set_apart=above.endswith("\n") or not above or bool(_ENDED.search(above)),
            continues_items=continues_items,
            is_list_item=True,
        )
        if found is None or found[0].is_contents_entry:
            return None
        self._read_heading(start, stop, found[0], None)
        return found[1]

    def note_item(self, item: BlockDraft, line: str) -> None:
        """Note an item that markup told: lines numbered in another style below it are its own.

        Args:
            item: the item; a bullet holds none.
            line: its first line, from its marker on.
        """
        marker = parse_marker(line)
        marker = self._settle(marker) if marker else None
        if marker is not None and not marker.is_bullet:
            self._enter_level(marker)
            self._levels.append(_Level(marker.style, marker.numbers, marker.indent, item))
            self._levels_are_past = False

    def _read_line(self, start: int, stop: int) -> int:
        """Read one line, and the one below where that holds its title; return where they end."""
        line = self._text[start:stop]
        if not line.strip():
            self._open = None
            return stop
        if self._holder is not None:
            self._read_text(start, stop, parse_marker(line))
            return stop
        if is_caption(line) and self._article_follows(stop):
            self._caption = Span(start, stop)
            self._contents = _Contents(is_open=False)
            return stop
        caption = self._caption_above(start)
        heading = parse_heading(line, captioned=caption is not None)
        end, marker = stop, parse_marker(line)
        if heading is None and (found := self._find_clause(start, stop, marker)):
            heading, end = found
        if self._contents.holds(line, heading):
            self._read_contents_entry(start, stop)
            return stop
        if heading is None:
            self._read_text(start, stop, marker)
        else:
            self._read_heading(start, end, heading, caption)
        return end

    def _find_clause(
        self, start: int, stop: int, marker: Marker | None
    ) -> tuple[HeadingLine, int] | None:
        clause = parse_clause(self._text[start:stop])
        if clause is None:
            return None
        return self._clauses.find(
            clause,
            start,
            stop,
            is_set_apart=self._open is None
            or _ENDED.search(self._before(start, self._open)) is not None,
            continues_items=marker is not None and self._follows_item(marker),
        )

    def _follows_item(self, marker: Marker) -> bool:
        return any(
            level.style == marker.style and is_next(level.numbers, marker.numbers)
            for level in self._levels
        )

    def _article_follows(self, stop: int) -> bool:
        following = _NEXT_LINE.match(self._text, stop)
        if following is None:
            return False
        heading = parse_heading(following[1], captioned=True)
        return heading is not None and heading.rank is Rank.ARTICLE

    def _caption_above(self, start: int) -> Span | None:
        """The caption that only blanks separate from `start`."""
        caption = self._caption
        if caption is None or self._text[caption.end : start].strip():
            return None
        return caption

    def _read_heading(
        self, start: int, stop: int, heading: HeadingLine, caption: Span | None
    ) -> None:
        opening, end = start + heading.start, start + heading.end
        shown = shown_heading(self._text[opening:end]).replace("\n", " ")
        if caption is not None and heading.rank is Rank.ARTICLE:
            shown += self._text[caption.start : caption.end].strip()
            opening = caption.start
        self.start_section(shown)
        has_body = start + heading.body < stop
        self._drafts.append(
            # A line that is all heading is so with its marks of emphasis.
            HeadingDraft(opening, end, shown, rank=heading.rank)
            if has_body
            else HeadingDraft(min(opening, start), stop, shown, rank=heading.rank)
        )
        if has_body:
            body = start + heading.body
            self._read_text(body, stop, parse_marker(self._text[body:stop]))

    def _read_contents_entry(self, start: int, stop: int) -> None:
        if self._open is not None and self._open.kind is BlockKind.PARAGRAPH:
            self._open.end = stop
        else:
            self._open_paragraph(start, stop, "")

    def _read_text(self, start: int, stop: int, marker: Marker | None) -> None:
        line = self._text[start:stop]
        marker = self._settle(marker) if marker else None
        if marker is not None and (not marker.is_ascii or self._may_open_item(marker, start)):
            self._open_item(start, stop, marker)
        elif self._open is not None and self._continues(self._open, line, start):
            self._open.end = stop
        else:
            self._open_paragraph(start, stop, line)

    def _settle(self, marker: Marker) -> Marker:
        """The marker, read so that it goes on with a list where it can."""
        readings = marker.readings()
        return next(filter(self._follows_item, readings), readings[0])

    def _may_open_item(self, marker: Marker, start: int) -> bool:
        """A number in ASCII may also be where a line of prose was wrapped."""
        is_dotted = len(marker.numbers) > 1
        if is_dotted and not self._is_expected(marker, start):
            return False
        return (
            self._open is None
            or (self._open.kind is BlockKind.ITEM and self._open is not self._holder)
            or (marker.is_first and not is_dotted)
            or _BEFORE_ITEM.search(self._before(start, self._open)) is not None
        )

    def _is_expected(self, marker: Marker, start: int) -> bool:
        """Whether a number such as 3.2 goes on with the numbering here: it may be a quantity."""
        above, is_first = marker.numbers[:-1], marker.numbers[-1] == 1
        if self._follows_item(marker) or is_next(self._clauses.innermost, marker.numbers):
            return True
        if any(level.numbers[:-1] == above for level in self._levels if len(level.numbers) > 1):
            return False
        if above in (self._clauses.innermost, *(level.numbers for level in self._levels)):
            return True
        body = start + marker.start + len(marker.label)
        first = self._text[body : body + 20].lstrip()[:1]
        return is_first and not first.islower()

    def _continues(self, block: BlockDraft, line: str, start: int) -> bool:
        if not self._splits_paragraphs:
            return True
        if _SENTENCE_END.search(self._before(start, block)):
            return False
        if not line.startswith("\u3000"):
            return True
        return block.kind is BlockKind.ITEM and _indent(line) > self._levels[-1].indent

    def _before(self, at: int, block: BlockDraft) -> str:
        """The last few characters of the block before `at`."""
        return self._text[max(block.start, at - 20) : at].rstrip()

    def _open_item(self, start: int, stop: int, marker: Marker) -> None:
        self._enter_level(marker)
        parent = self._levels[-1].item if self._levels else self._holder
        depth = 1 if parent is None else parent.depth + 1
        item = BlockDraft(BlockKind.ITEM, start + marker.start, stop, depth, parent, marker.label)
        self._levels.append(_Level(marker.style, marker.numbers, marker.indent, item))
        self._levels_are_past = False
        self._drafts.append(item)
        self._open = item

    def _enter_level(self, marker: Marker) -> None:
        """Leave only the levels above the marker open.

        A style nests when it first appears. A number that cannot be the first of its style
        continues what an unmarked paragraph began (項 1 is not numbered), so it stands outermost.
        """
        same = [i for i, level in enumerate(self._levels) if level.style == marker.style]
        if not same:
            if self._levels_are_past or not marker.is_first:
                self._levels = []
            return
        fitting = [i for i in same if self._levels[i].indent <= marker.indent]
        index = fitting[-1] if fitting else same[0]
        is_nested = marker.is_first and marker.indent > self._levels[index].indent + 1
        del self._levels[index + is_nested :]

    def _open_paragraph(self, start: int, stop: int, line: str) -> None:
        holders = [level for level in self._levels if level.indent < _indent(line)]
        is_held = bool(holders) and self._splits_paragraphs
        parent = holders[-1].item if is_held else self._holder
        depth = 0 if parent is None else parent.depth
        self._levels_are_past = not is_held
        self._open = BlockDraft(BlockKind.PARAGRAPH, start, stop, depth, parent)
        self._drafts.append(self._open)


class _Contents:
    """Tells the entries of a table of contents from headings."""

    def __init__(self, *, is_open: bool) -> None:
        self._is_open = is_open
        self._first = ""
        self._follows_entry = False

    def holds(self, line: str, heading: HeadingLine | None) -> bool:
        """Whether the next line is an entry of a table of contents."""
        is_entry = heading is not None and self._is_entry(heading)
        if heading is None:
            self._is_open = is_contents_title(line)
            self._first = ""
        self._follows_entry = is_entry
        return is_entry

    def _is_entry(self, heading: HeadingLine) -> bool:
        is_marked = heading.is_contents_entry or (
            heading.rank is Rank.OUTERMOST and self._follows_entry
        )
        if is_marked or (self._is_open and heading.number != self._first):
            self._first = self._first or heading.number
            return True
        self._is_open = False
        return False


def _indent(line: str) -> int:
    match = _INDENT.match(line)
    return columns(match.group()) if match else 0
