"""The text of a page by writing direction: upright, turned, and vertical Japanese."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ragspine_store.loading.pdf.geometry import Glyph, Page, Rule, is_vertical, stood_up, turned
from ragspine_store.loading.pdf.lines import Line, read_lines

_QUARTER = 90
_FULL = 360
_SLANT = 5  # degrees that a scanner may have turned a page
_MIN_HEADER = 5  # characters beside each other that are no number in vertical text


@dataclass(frozen=True, slots=True)
class Layer:
    """The lines of one page that run in one direction, as if that were left to right.

    Attributes:
        page: from 0.
        lines: in drawing order.
        rules: straight lines in the same coordinates; only of upright text.
        low, high: the edges of the page.
    """

    page: int
    lines: tuple[Line, ...] = field(repr=False)
    rules: tuple[Rule, ...] = field(repr=False)
    low: float
    high: float


def layers_of(page: Page, number: int) -> list[Layer]:
    """The layers of one page, that with the most text first.

    Text at a slant is left out: it is a watermark.

    Args:
        page: as drawn.
        number: from 0.
    """
    if is_vertical(page.glyphs):
        return _vertical_layers(page, number)
    by_angle: dict[int, list[Glyph]] = defaultdict(list)
    for glyph in page.glyphs:
        by_angle[_quarter(glyph.angle)].append(glyph)
    by_angle.pop(-1, None)
    layers: list[Layer] = []
    for angle, glyphs in sorted(by_angle.items(), key=lambda entry: -len(entry[1])):
        if angle == 0:
            layers.append(_layer(number, glyphs, page.rules, (0, page.height)))
            continue
        edges = {
            90: (-page.width, 0.0),
            180: (-page.height, 0.0),
            270: (0.0, page.width),
        }[angle]
        layers.append(_layer(number, [turned(glyph, angle) for glyph in glyphs], (), edges))
    return layers


def _layer(
    number: int, glyphs: Sequence[Glyph], rules: Sequence[Rule], edges: tuple[float, float]
) -> Layer:
    return Layer(number, tuple(read_lines(glyphs, rules, number)), tuple(rules), *edges)


def _quarter(angle: int) -> int:
    """The right angle that an angle stands for; -1 for one at a slant."""
    nearest = round(angle / _QUARTER) * _QUARTER
    return nearest % _FULL if abs(angle - nearest) <= _SLANT else -1


def _vertical_layers(page: Page, number: int) -> list[Layer]:
    vertical: list[Glyph] = []
    upright: list[Glyph] = []
    run: list[Glyph] = []
    for glyph in (*page.glyphs, None):
        if glyph is not None and (not run or _is_beside(run[-1], glyph)):
            run.append(glyph)
            continue
        if len(run) >= _MIN_HEADER:
            upright += run
        else:
            vertical += [stood_up(other, page.height) for other in run]
        run = [] if glyph is None else [glyph]
    layers = [
        _layer(number, vertical, (), (0, page.width)),
        _layer(number, upright, (), (0, page.height)),
    ]
    return [layer for layer in layers if layer.lines]


def _is_beside(before: Glyph, glyph: Glyph) -> bool:
    return (
        abs(before.base - glyph.base) < 0.2 * glyph.size
        and 0 < glyph.left - before.left < 2 * glyph.size
    )
