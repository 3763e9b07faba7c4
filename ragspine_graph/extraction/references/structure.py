"""The numbered parts of one document: where each stands and how it can be referred to."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate

from ragspine_graph.extraction.places import Places
from ragspine_graph.extraction.references.headings import Numbering, inner_numbers, parse_numbering
from ragspine_graph.extraction.references.items import find_items
from ragspine_graph.extraction.references.parts import Part, path_above, spellings
from ragspine_graph.extraction.references.paths import (
    ARTICLE,
    CLAUSE,
    GROUPS,
    PARAGRAPH,
    ROOTS,
    SECTION,
    SUPPLEMENT,
    Path,
    Step,
    format_path,
)
from ragspine_graph.security.relation_source import RelationSource, SourceSection
from ragspine_store.records import Span
from ragspine_store.relations import Address, Node

_MAX_MARKUP = 200


class Structure:
    """The parts of one document, found in its headings and texts.

    Args:
        source: the document.
        places: of the same document.
    """

    def __init__(self, source: RelationSource, places: Places) -> None:
        self._source = source
        self._places = places
        self._parts: list[Part] = []
        self._starts: list[int] = []
        self._nodes: dict[Path, Node] = {}
        self._below: defaultdict[tuple[Path, str], list[Path]] = defaultdict(list)
        self._order: dict[Path, int] = {}
        # Articles by what they are counted in (the document, a 附則, an annex), and where in it.
        self._runs: defaultdict[Path, list[Part]] = defaultdict(list)
        self._place_in_run: dict[Path, int] = {}
        self._siblings: defaultdict[tuple[Part | None, str], list[Part]] = defaultdict(list)
        withheld = sorted(source.withheld)
        self._withheld_starts = [span.start for span in withheld]
        self._withheld_ends = list(accumulate((span.end for span in withheld), max))
        self._numbers: set[int] = set()
        self._read()

    def addresses(self) -> tuple[Address, ...]:
        """How the document's parts can be referred to, in document order."""
        return tuple(Address(format_path(path), node) for path, node in self._nodes.items())

    def find_node(self, path: Path) -> Node | None:
        """The node that answers to an address."""
        return self._nodes.get(path)

    def find_part_at(self, at: int) -> Part | None:
        """The innermost part that holds a place in the text."""
        index = bisect_right(self._starts, at) - 1
        part = self._parts[index] if index >= 0 else None
        while part is not None and at >= part.span.end:
            part = part.above
        return part

    def is_number_of_heading(self, at: int) -> bool:
        """Whether a place is in the number of a heading, which refers to nothing."""
        return at in self._numbers

    def paths_below(self, path: Path, unit: str) -> Sequence[Path]:
        """The addresses one step below another, of one unit, in document order."""
        return self._below[path, unit]

    def paths_before(self, path: Path) -> Sequence[Path]:
        """The addresses before another, below the same part and of the same unit."""
        return self._below[path[:-1], path[-1].unit][: self._order[path]]

    def neighbour(self, part: Part, offset: int) -> Path | None:
        """The article, paragraph or other part so many places after another of its kind.

        Args:
            part: where to count from.
            offset: places; negative before it.

        Returns:
            None when there is none, or when something that stands between is withheld.
        """
        is_article = part.unit in (ARTICLE, CLAUSE)
        siblings = (
            self._runs[part.path[:-1]] if is_article else self._siblings[part.above, part.unit]
        )
        index = bisect_left(siblings, part.span.start, key=lambda p: p.span.start) + offset
        if not 0 <= index < len(siblings):
            return None
        first, last = sorted((part, siblings[index]), key=lambda p: p.span.start)
        return None if self._is_parted(first, last) else siblings[index].path

    def is_withheld_between(self, start: int, end: int) -> bool:
        """Whether anything between two places is withheld."""
        index = bisect_left(self._withheld_starts, end)
        return index > 0 and self._withheld_ends[index - 1] > start

    def _is_parted(self, first: Part, last: Part) -> bool:
        """Whether something withheld stands between two parts of a kind.

        An item reaches to the next that can be seen, so only its number tells whether one is
        missing between them.
        """
        if not first.is_item:
            return self.is_withheld_between(first.span.end, last.span.start)
        is_gap = bool(inner_numbers(first.path[-1].number, last.path[-1].number))
        return is_gap and self.is_withheld_between(first.span.start, last.span.start)

    def articles_between(self, first: Path, last: Path) -> list[Path]:
        """The articles that stand between two that are counted together, without these."""
        places = self._place_in_run
        if first[:-1] != last[:-1] or first not in places or last not in places:
            return []
        run = self._runs[first[:-1]][places[first] + 1 : places[last]]
        return [part.path for part in run]

    def _read(self) -> None:
        part_of: dict[int, Part | None] = {}
        ends = _ends_of_own_text(self._source.sections)
        supplements = 0
        for section in self._source.sections:
            holder = None if section.parent is None else part_of.get(section.parent)
            numbering = None if section.parent is None else parse_numbering(section.heading)
            part_of[section.no] = holder
            if numbering is None:
                continue
            if numbering.steps[0].unit == SUPPLEMENT:
                supplements += 1
                steps = (Step(SUPPLEMENT, str(supplements)),)
                numbering = numbering._replace(steps=steps)
            part = part_of[section.no] = self._add_section(section, numbering, holder)
            if part.unit not in GROUPS or part.unit == SECTION:
                self._add_items(part, section.no, ends[section.no])
        self._offer_articles_counted_on()

    def _offer_articles_counted_on(self) -> None:
        """Let articles of the own 附則 be meant by their number alone where it goes on.

        Laws of old count on from the last article of the main text.
        """
        own = (Step(SUPPLEMENT, "1"),)
        main, added = self._runs.get(()), self._runs.get(own)
        if not main or not added or added[0].is_amendment:
            return
        if _whole(added[0]) != _whole(main[-1]) + 1:
            return
        for path, node in list(self._nodes.items()):
            if path[:1] == own and path[1:2] and path[1].unit == ARTICLE:
                self._offer(path[1:], node)

    def _add_section(
        self, section: SourceSection, numbering: Numbering, holder: Part | None
    ) -> Part:
        above = path_above(numbering.steps[0], holder)
        part = Part(
            path=(*above, numbering.steps[0]),
            span=section.span,
            text_start=self._read_heading(section, numbering),
            above=holder,
            is_japanese=numbering.is_japanese,
            is_amendment=numbering.is_amendment or (holder is not None and holder.is_amendment),
            is_bare=numbering.is_bare,
        )
        self._add(part)
        if part.unit in (ARTICLE, CLAUSE) and part.path not in self._nodes:
            self._place_in_run[part.path] = len(self._runs[above])
            self._runs[above].append(part)
        node = self._places.node_of_section(section.no)
        for step in numbering.steps:
            for spelling in spellings((*above, step), part):
                self._offer(spelling, node)
        if part.unit in ROOTS:
            # 別表, 附則 and the Annex are the only one, or the first.
            self._offer((*above, Step(part.unit, "")), node)
        return part

    def _read_heading(self, section: SourceSection, numbering: Numbering) -> int:
        """Note where the number of a heading stands; where the text after the heading begins."""
        start, heading = section.span.start, section.heading
        end = min(section.span.end, start + len(heading) + _MAX_MARKUP)
        number = heading[: numbering.end]
        at = self._source.text.find(number, start, end)
        if at < 0:
            return start
        self._numbers.update(range(at, at + len(number)))
        whole = self._source.text.find(heading, start, end)
        return at + len(number) if whole < 0 else whole + len(heading)

    def _add_items(self, holder: Part, section: int, end: int) -> None:
        text_span = Span(holder.text_start, max(end, holder.text_start))
        root = holder.enclosing(*ROOTS)
        items = find_items(
            self._source.text,
            text_span,
            is_japanese=holder.is_japanese,
            has_sections=root is not None and root.unit != SUPPLEMENT,
        )
        inner: dict[Path, Part] = {}
        for item in items:
            base = holder.path
            if item.steps[0].unit == SECTION and holder.unit == SECTION:
                base = holder.path[:-1]
            path = (*base, *item.steps)
            if path in inner:
                continue
            part = inner[path] = Part(
                path=path,
                span=item.span,
                text_start=item.span.start,
                above=inner.get(path[:-1], holder),
                is_japanese=holder.is_japanese,
                is_amendment=holder.is_amendment,
                is_item=True,
            )
            self._add(part)
            node = self._places.node_of_item(item.span, section)
            for spelling in spellings(path, holder):
                self._offer(spelling, node)
            if len(item.steps) > 1 and item.steps[0] == (PARAGRAPH, "1") and part.is_japanese:
                # 第3条第2号 is how an item of an article's only paragraph is referred to.
                self._offer((*base, *item.steps[1:]), node)

    def _offer(self, path: Path, node: Node) -> None:
        if path not in self._nodes:
            below = self._below[path[:-1], path[-1].unit]
            self._nodes[path], self._order[path] = node, len(below)
            below.append(path)

    def _add(self, part: Part) -> None:
        self._parts.append(part)
        self._starts.append(part.span.start)
        self._siblings[part.above, part.unit].append(part)


def _ends_of_own_text(sections: Sequence[SourceSection]) -> dict[int, int]:
    """Where the text of each section ends: where the first section inside of it begins."""
    ends = {section.no: section.span.end for section in sections}
    for section in reversed(sections):
        if section.parent is not None:
            ends[section.parent] = section.span.start
    return ends


def _whole(article: Part) -> int:
    """The number of an article, 25 of 第25条の2; -1 of one that is not counted in digits."""
    number = article.path[-1].number.split("-")[0]
    return int(number) if number.isdecimal() else -1
