"""From words to addresses: what a mention at its place in a document names."""

from __future__ import annotations

from typing import NamedTuple

from ragspine_graph.extraction.references.headings import MAX_LISTED, inner_numbers
from ragspine_graph.extraction.references.mentions import OWN_DOCUMENT, Anchor, Mention
from ragspine_graph.extraction.references.parts import Part
from ragspine_graph.extraction.references.paths import (
    ARTICLE,
    CLAUSE,
    GROUPS,
    ITEM,
    PARAGRAPH,
    POINT,
    ROOTS,
    SECTION,
    SUPPLEMENT,
    Path,
    Step,
    rank_of_unit,
)
from ragspine_graph.extraction.references.structure import Structure

_ARTICLES = (ARTICLE, CLAUSE)
_SELF_CONTAINED = (*_ARTICLES, *ROOTS)


class Target(NamedTuple):
    """What a mention names.

    Attributes:
        title: of the document, as written; '' for the one in which it stands.
        path: the address in it.
        is_named: whether its own number is written there, rather than inside of a range.
    """

    title: str
    path: Path
    is_named: bool = True


class Resolver:
    """Resolves the mentions of one document, in order.

    Args:
        structure: the parts of the document.
    """

    def __init__(self, structure: Structure) -> None:
        self._structure = structure
        # What was named last, in quoted words and outside of them, and where.
        self._last: dict[bool, Target] = {}
        self._last_end = 0
        self._last_article: Part | None = None

    def resolve(self, mention: Mention) -> list[Target]:
        """The targets of a mention; none where nothing can be meant."""
        part = self._structure.find_part_at(mention.span.start)
        article = part.enclosing(*_SELF_CONTAINED) if part is not None else None
        is_withheld = self._structure.is_withheld_between(self._last_end, mention.span.start)
        if article is not self._last_article or is_withheld:
            self._last.clear()
        self._last_article, self._last_end = article, mention.span.end
        found = self._targets(mention, part)
        if not found:
            return []
        before = self._last.get(mention.is_quoted)
        self._last[mention.is_quoted] = found[-1]
        if mention.ends_range and before is not None:
            found = [*self._between(before, found[0]), *found]
        if mention.names_items:
            found = [item for target in found for item in self._items(target)]
        return found

    def _targets(self, mention: Mention, part: Part | None) -> list[Target]:
        steps = _without_groups(mention.steps)
        match mention.anchor:
            case Anchor.TOP:
                target = self._from_top(mention, steps, part)
                return [target] if target is not None else []
            case Anchor.HERE:
                holder = _holder(part, mention.unit, names_items=mention.names_items)
                return [Target("", (*holder.path, *steps))] if holder is not None else []
            case Anchor.LAST:
                return _from_last(self._last.get(mention.is_quoted), mention.unit, steps)
            case Anchor.BESIDE | Anchor.BEFORE:
                return [Target("", (*path, *steps)) for path in self._beside(mention, part)]

    def _from_top(self, mention: Mention, steps: Path, part: Part | None) -> Target | None:
        unit = steps[0].unit
        if mention.title and mention.title != OWN_DOCUMENT:
            return Target(mention.title, _numbered_supplement(steps))
        before = self._last.get(mention.is_quoted)
        if mention.continues and before is not None and not mention.title:
            kept = _kept(before.path, unit)
            if kept or before.title:
                return Target(before.title, (*kept, *_numbered_supplement(steps)))
        if unit == SUPPLEMENT:
            own = part.enclosing(SUPPLEMENT) if part is not None else None
            return Target("", (*(own.path if own else (Step(SUPPLEMENT, "1"),)), *steps[1:]))
        if unit in _ARTICLES and part is not None and part.is_amendment and not mention.title:
            # 第三条 in the 附則 of an amendment is one of the amending act.
            return None
        if unit in _SELF_CONTAINED:
            return Target("", self._beginning_with(steps, part))
        if unit in GROUPS:
            return Target("", self._group(steps, part))
        return self._below_article(steps, part)

    def _beginning_with(self, steps: Path, part: Part | None) -> Path:
        """An article: of the annex in which it is named, where that has it, or of the document."""
        root = part.enclosing(*ROOTS) if part is not None else None
        if root is not None and root.unit != SUPPLEMENT:
            inside = (*root.path, *steps)
            if self._structure.find_node((*root.path, steps[0])) is not None:
                return inside
        return steps

    def _group(self, steps: Path, part: Part | None) -> Path:
        """A chapter or section, counted in the nearest part around that has it."""
        holder = part
        while holder is not None:
            if self._structure.find_node((*holder.path, steps[0])) is not None:
                return (*holder.path, *steps)
            holder = holder.above
        return steps

    def _below_article(self, steps: Path, part: Part | None) -> Target | None:
        """A paragraph, item or point of the place where it is named."""
        if part is None:
            return None
        article = part.enclosing(*_SELF_CONTAINED, SECTION)
        if article is None:
            return None
        if "." in steps[0].number and self._structure.find_node(steps[:1]) is not None:
            return Target("", steps)
        if steps[0].unit == PARAGRAPH:
            return Target("", (*article.path, *steps))
        holder: Part | None = part
        while holder is not None and holder is not article:
            if self._structure.find_node((*holder.path, steps[0])) is not None:
                return Target("", (*holder.path, *steps))
            holder = holder.above
        paragraph = part.enclosing(PARAGRAPH)
        inside = (*paragraph.path, *steps) if paragraph is not None else (*article.path, *steps)
        in_article = (*article.path, *steps)
        if self._structure.find_node(inside) is None and self._structure.find_node(in_article):
            return Target("", in_article)
        return Target("", inside)

    def _beside(self, mention: Mention, part: Part | None) -> list[Path]:
        """前条, 次項, 前二項, 前各号: parts before or after the place."""
        own = _holder(part, mention.unit, names_items=False)
        if own is None:
            return []
        if mention.anchor is Anchor.BEFORE:
            return self._all_before(own)
        nearest = 1 if mention.offset > 0 else -1
        missing: Path = (*own.path[:-1], Step(mention.unit, "after" if nearest > 0 else "before"))
        offsets = range(nearest, mention.offset + nearest, nearest)
        return [self._structure.neighbour(own, offset) or missing for offset in offsets]

    def _all_before(self, part: Part) -> list[Path]:
        """前各号: all before a part of its kind; what holds them where they are very many."""
        before = self._structure.paths_before(part.path)
        return list(before) if len(before) <= MAX_LISTED else [part.path[:-1]]

    def _between(self, first: Target, last: Target) -> list[Target]:
        """What stands between the ends of a range."""
        if first.title != last.title or first.path[:-1] != last.path[:-1]:
            return []
        if first.path[-1].unit != last.path[-1].unit:
            return []
        if not first.title and first.path[-1].unit in _ARTICLES:
            paths = self._structure.articles_between(first.path, last.path)
        else:
            above, (unit, number) = first.path[:-1], first.path[-1]
            inner = inner_numbers(number, last.path[-1].number)
            paths = [(*above, Step(unit, number)) for number in inner]
        if len(paths) > MAX_LISTED:
            return []
        return [Target(first.title, path, is_named=False) for path in paths]

    def _items(self, target: Target) -> list[Target]:
        """Each item of a paragraph; the paragraph itself where it is another document's."""
        if target.title or target.path[-1].unit in (ITEM, POINT):
            return [target]
        path = target.path
        if path[-1].unit in _ARTICLES:
            paragraph = (*path, Step(PARAGRAPH, "1"))
            path = paragraph if self._structure.find_node(paragraph) is not None else path
        items = self._structure.paths_below(path, ITEM)
        if not 0 < len(items) <= MAX_LISTED:
            return [target]
        return [target._replace(path=item) for item in items]


def _kept(path: Path, unit: str) -> Path:
    """What a part that goes on with a list shares with the one before: all that may hold it."""
    rank = rank_of_unit(unit)
    return tuple(
        step
        for step in path
        if rank_of_unit(step.unit) < rank and not (unit in _ARTICLES and step.unit in GROUPS)
    )


def _from_last(last: Target | None, unit: str, steps: Path) -> list[Target]:
    """同条, 同項: the part of this unit that was named last."""
    if last is None:
        return []
    path = last.path
    while path and path[-1].unit != unit:
        path = path[:-1]
    return [Target(last.title, (*path, *steps))] if path else []


def _holder(part: Part | None, unit: str, *, names_items: bool) -> Part | None:
    """The part of a unit in which a place lies; for 各号 the one whose items they are."""
    if part is None:
        return None
    if names_items:
        return part.enclosing(PARAGRAPH, *_SELF_CONTAINED)
    if unit in _ARTICLES:
        return part.enclosing(*_SELF_CONTAINED)
    return part.enclosing(unit)


def _without_groups(steps: Path) -> Path:
    """第2章第3条 is article 3: articles are counted through a document."""
    units = [step.unit for step in steps]
    if ARTICLE in units and units[0] in GROUPS:
        return steps[units.index(ARTICLE) :]
    return steps


def _numbered_supplement(steps: Path) -> Path:
    """附則 of another document, or in a list, is its first one."""
    if steps[0] == (SUPPLEMENT, ""):
        return (Step(SUPPLEMENT, "1"), *steps[1:])
    return steps
