"""Which numbered lines are headings: what stands around them decides, and the numbering so far."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from ragspine_store.loading.english import Clause, parse_clause, reads_as_title
from ragspine_store.loading.japanese import HeadingLine, names_page
from ragspine_store.loading.markers import parse_marker

_LINE = re.compile(r"[^\n]*")
_FOLLOWING = re.compile(r"[^\n]*\n(?P<blank>\s*\n)?(?P<indent>[ \t]*)(?P<line>[^\s][^\n]*)")
_MARKDOWN_HEADING = re.compile(r"#{1,6}\s")
_JAPANESE_ARTICLE = re.compile(r"第\s?(\d+)\s?条")
# A line at least so long, with text right below it, was wrapped there.
_WRAP_COLUMNS = 60


class _Following(NamedTuple):
    """The next line that is not blank."""

    line: str
    is_adjacent: bool
    indent: int


class ClauseHeadings:
    """Finds the headings of English clauses in one text, top to bottom."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[tuple[int, ...]] = []
        self._named: tuple[int, ...] = ()

    @property
    def innermost(self) -> tuple[int, ...]:
        """The number of the clause that text here stands in, such as (3, 2); empty for none."""
        return self._open[-1] if self._open else self._named

    def start_section(self, heading: str) -> None:
        """Note a heading: the numbering below it goes on from there."""
        clause = parse_clause(heading)
        if clause is not None and not clause.is_named:
            depth = len(clause.numbers)
            self._open = [*(above for above in self._open if len(above) < depth), clause.numbers]
            return
        article = _JAPANESE_ARTICLE.match(unicodedata.normalize("NFKC", heading))
        self._named = clause.numbers if clause else (int(article[1]),) if article else ()
        self._open = []

    def find(
        self,
        clause: Clause,
        start: int,
        stop: int,
        *,
        is_set_apart: bool,
        continues_items: bool,
        is_list_item: bool = False,
    ) -> tuple[HeadingLine, int] | None:
        """Read the line from `start` to `stop` as a heading.

        Args:
            clause: what the line opens with.
            start: where the line stands in the text.
            stop: where it ends.
            is_set_apart: whether the text above it ended: it cannot be a wrapped line of prose.
            continues_items: whether the number is the next one of a list above.
            is_list_item: whether Markdown takes the line for an item; text that is indented
                below it is the item's own then.

        Returns:
            The heading, and where the lines it was read from end; None when it is none.
        """
        line = self._text[start:stop]
        end, body = clause.end, clause.body
        if clause.is_named:
            if not is_set_apart:
                return None
            if clause.is_bare and (title_end := self._title_below(stop)):
                end, body = title_end - start, title_end - start
        elif not self._is_heading(
            clause,
            start,
            stop,
            is_set_apart=is_set_apart,
            continues_items=continues_items,
            is_list_item=is_list_item,
        ):
            return None
        heading = HeadingLine(clause.rank, clause.start, end, body, names_page(line), clause.name)
        return heading, max(stop, start + body if end > len(line) else stop)

    def _is_heading(
        self,
        clause: Clause,
        start: int,
        stop: int,
        *,
        is_set_apart: bool,
        continues_items: bool,
        is_list_item: bool,
    ) -> bool:
        if not clause.has_title:
            return False
        following = self._following(stop)
        below = parse_clause(following.line) if following else None
        if below is not None and below.numbers == (*clause.numbers, 1):
            return True
        continues = (*clause.numbers[:-1], clause.numbers[-1] - 1) in self._open
        if continues_items or not is_set_apart or not (continues or clause.numbers[-1] == 1):
            return False
        if len(clause.numbers) == 1 and not clause.is_dotted and not continues:
            return False
        if following is None or _MARKDOWN_HEADING.match(following.line):
            return continues
        if below is not None and not below.is_named and len(below.numbers) <= len(clause.numbers):
            return continues
        if is_list_item and following.indent > 1 and not following.is_adjacent:
            return False
        is_wrapped = stop - start >= _WRAP_COLUMNS or following.line[0].islower()
        return not (following.is_adjacent and is_wrapped)

    def _following(self, stop: int) -> _Following | None:
        match = _FOLLOWING.match(self._text, stop)
        if match is None:
            return None
        return _Following(match["line"], match["blank"] is None, len(match["indent"]))

    def _title_below(self, stop: int) -> int | None:
        """Where the title on the line right below a bare number ends."""
        following = self._following(stop)
        if following is None or not following.is_adjacent or not _is_title_line(following.line):
            return None
        match = _LINE.match(self._text, stop + 1)
        end = match.end() if match else stop
        after = self._following(end)
        is_whole = after is None or not after.is_adjacent or not _is_text(after.line)
        return end if is_whole else None


def _is_title_line(line: str) -> bool:
    return reads_as_title(line.strip(" \t\r*_")) and not _is_opened(line)


def _is_text(line: str) -> bool:
    return not _is_opened(line) and not _MARKDOWN_HEADING.match(line)


def _is_opened(line: str) -> bool:
    """Whether the line opens with a number or marker of its own."""
    return parse_clause(line) is not None or parse_marker(line) is not None
