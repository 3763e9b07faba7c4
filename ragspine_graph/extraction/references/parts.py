"""A numbered part of a document, and the ways to spell its address."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragspine_graph.extraction.references.paths import (
    ARTICLE,
    CLAUSE,
    PARAGRAPH,
    ROOTS,
    SECTION,
    Path,
    Step,
    rank_of_unit,
)
from ragspine_store.records import Span

_BARE_UNITS = (CLAUSE, SECTION, ARTICLE, PARAGRAPH)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A numbered part.

    Attributes:
        path: its address.
        span: all of its text.
        text_start: where its text begins, after its heading or at its number.
        above: the part that holds it, None at the top.
        is_japanese: which grammar its numbers follow.
        is_amendment: it stands in the 附則 of an act that changed the document.
        is_bare: it is a heading with a number and no unit, as in `4.2 Fees`.
        is_item: it has no heading.
    """

    path: Path
    span: Span
    text_start: int
    above: Part | None
    is_japanese: bool
    is_amendment: bool = False
    is_bare: bool = False
    is_item: bool = False

    @property
    def unit(self) -> str:
        """The unit of its last step."""
        return self.path[-1].unit

    def enclosing(self, *units: str) -> Part | None:
        """The innermost part of one of these units that it is or stands in."""
        part: Part | None = self
        while part is not None and part.unit not in units:
            part = part.above
        return part


def path_above(step: Step, holder: Part | None) -> Path:
    """The part of an address that stands before a heading's own step.

    Articles are counted through a document, whatever chapters hold them, and anew in each 附則
    and annex; chapters and sections are counted inside of what holds them.
    """
    if holder is None or "." in step.number:
        return ()
    if step.unit in (ARTICLE, CLAUSE, *ROOTS):
        root = holder.enclosing(*ROOTS)
        return root.path if root is not None else ()
    if step.unit == SECTION and holder.unit == ARTICLE:
        return holder.path
    above: Part | None = holder
    while above is not None and rank_of_unit(above.unit) >= rank_of_unit(step.unit):
        above = above.above
    return above.path if above is not None else ()


def spellings(path: Path, heading: Part) -> Iterator[Path]:
    """A path, and with every word for what has a number only: clause 4.2, section 4.2.

    Args:
        path: of a part.
        heading: the part with the nearest heading above, or the part itself.
    """
    yield path
    dotted = [place for place, step in enumerate(path) if "." in step.number]
    if dotted:
        place, above = dotted[-1], ()
    elif heading.is_bare:
        place, above = len(heading.path) - 1, heading.path[:-1]
    else:
        return
    for unit in _BARE_UNITS:
        yield (*above, Step(unit, path[place].number), *path[place + 1 :])
