"""What stands where on a page. Lengths are points; y grows upwards."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise


@dataclass(slots=True)
class Glyph:
    """One character as drawn; never changed, but not frozen, since there are so many.

    Attributes:
        text: one character, or the letters of a ligature.
        left, bottom, right, top: its box.
        base: y of its base line.
        size: of its font.
        is_bold: by its font.
        angle: of its writing direction in degrees, 0 for upright text.
        is_readable: whether the file says which character it is.
    """

    text: str = field(repr=False)
    left: float
    bottom: float
    right: float
    top: float
    base: float
    size: float
    is_bold: bool
    angle: int
    is_readable: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def is_upright(self) -> bool:
        """Whether it runs from bottom to top."""
        return self.top - self.bottom > self.right - self.left


@dataclass(frozen=True, slots=True)
class Page:
    """One page as drawn.

    Attributes:
        width, height: of the page.
        glyphs: in the order they are drawn.
        rules: its straight lines.
        has_drawing: whether pictures, or many shapes, are drawn on it.
    """

    width: float
    height: float
    glyphs: tuple[Glyph, ...] = field(repr=False)
    rules: tuple[Rule, ...] = field(repr=False)
    has_drawing: bool


def turned(glyph: Glyph, angle: int) -> Glyph:
    """The glyph after turning the page by minus `angle` degrees about its origin."""
    radians = math.radians(-angle)
    cos, sin = math.cos(radians), math.sin(radians)
    corners = [
        (x * cos - y * sin, x * sin + y * cos)
        for x in (glyph.left, glyph.right)
        for y in (glyph.bottom, glyph.top)
    ]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return replace(
        glyph, left=min(xs), right=max(xs), bottom=min(ys), top=max(ys), base=min(ys), angle=0
    )


def stood_up(glyph: Glyph, height: float) -> Glyph:
    """A glyph of vertical writing as if its column were a line from left to right."""
    return replace(
        glyph,
        left=height - glyph.top,
        right=height - glyph.bottom,
        bottom=glyph.left,
        top=glyph.right,
        base=(glyph.left + glyph.right) / 2,
    )


def is_vertical(glyphs: Sequence[Glyph]) -> bool:
    """Whether most neighbours in drawing order stand below instead of beside each other."""
    down = beside = 0
    for before, glyph in pairwise(glyphs):
        across = abs(glyph.left + glyph.right - before.left - before.right) / 2
        fall = before.top - glyph.top
        if across < 0.3 * glyph.size and 0.3 * glyph.size < fall < 2 * glyph.size:
            down += 1
        elif abs(fall) < 0.5 * glyph.size and 0 < across < 2 * glyph.size:
            beside += 1
    return down > beside


def typical(values: Iterable[float], default: float) -> float:
    """The median."""
    ordered = sorted(values)
    return ordered[len(ordered) // 2] if ordered else default
