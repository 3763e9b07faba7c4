"""Three kinds of plot as inline SVG: bars with intervals, curves, and dots. No script.

What a plot is labelled with comes from files, so none of it acts: each text is shown literally,
and escaped. Values lie between 0 and 1.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ragspine_graph.egress import literal
from ragspine_graph.evaluation.bootstrap import Interval

COLOURS = ("#4477aa", "#cc6677")
_GREY = "#888888"
_MAX_LABEL_CHARS = 20
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


class Bars(NamedTuple):
    """Bars that stand together: what stands before them, and a value of each series."""

    label: str
    values: Sequence[Interval]


class Curve(NamedTuple):
    """A line through (x, y), x ascending, in the colour of a series."""

    name: str
    points: Sequence[tuple[float, float]]
    series: int = 0
    is_dashed: bool = False


class Dot(NamedTuple):
    """A dot, and what it says to who points at it."""

    x: float
    y: float
    name: str


def escaped(text: str) -> str:
    """A text that stands in a page as it is, whatever it holds.

    >>> escaped("<b>")
    '&lt;b&gt;'
    """
    return html.escape(literal(text))


def bar_plot(title: str, groups: Sequence[Bars]) -> str:
    """Horizontal bars in groups, each with the whisker of its interval."""
    left, width, thick, gap, top = 136, 210, 15, 7, 30
    heights = [thick * len(group.values) + gap for group in groups]
    bottom = top + sum(heights)

    def draw() -> Iterator[str]:
        yield from _x_axis(lambda value: left + width * value, top, bottom)
        y = top + gap / 2
        for group, height in zip(groups, heights, strict=True):
            yield _text(left - 6, y + (height - gap) / 2 + 4, _short(group.label), "end")
            for value, colour in zip(group.values, COLOURS, strict=False):
                yield from _bar(group.label, value, colour, y)
                y += thick
            y += gap

    def _bar(label: str, value: Interval, colour: str, y: float) -> Iterator[str]:
        low, high = (left + width * end for end in value[1:])
        middle = y + thick / 2
        says = f"{label}: {value.mean:.3f} [{value.low:.3f}, {value.high:.3f}]"
        yield (
            f"<g><title>{escaped(says)}</title>"
            f'<rect x="{left}" y="{y + 1:.1f}" width="{width * value.mean:.1f}" '
            f'height="{thick - 2}" fill="{colour}"/>'
            f'<line class="whisker" x1="{low:.1f}" y1="{middle:.1f}" x2="{high:.1f}" '
            f'y2="{middle:.1f}"/></g>'
        )
        yield _text(left + width + 8, middle + 4, f"{value.mean:.2f}")

    return _svg(title, left + width + 44, bottom + 24, draw())


def curve_plot(title: str, x_name: str, curves: Sequence[Curve]) -> str:
    """Curves over one axis, each named in the legend."""
    left, top, width, height = 46, 30, 380, 220
    last = max((x for curve in curves for x, _ in curve.points), default=1)
    first = min((x for curve in curves for x, _ in curve.points), default=0)

    def place(x: float, y: float) -> tuple[float, float]:
        share = (x - first) / (last - first) if last > first else 0.5
        return left + width * share, top + height * (1 - y)

    def draw() -> Iterator[str]:
        yield from _y_axis(left, width, lambda value: place(first, value)[1])
        for x in sorted({first, last, *_round_numbers(first, last)}):
            yield _text(place(x, 0)[0], top + height + 16, f"{x:g}", "middle")
        yield _text(left + width / 2, top + height + 34, x_name, "middle")
        for no, curve in enumerate(curves):
            colour = COLOURS[curve.series]
            dashes = ' stroke-dasharray="5 4"' if curve.is_dashed else ""
            places = [place(*point) for point in curve.points]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            line = f'fill="none" stroke="{colour}" stroke-width="2"{dashes}'
            yield f'<polyline points="{path}" {line}/>'
            for (x, y), (at, value) in zip(places, curve.points, strict=True):
                says = escaped(f"{curve.name}, {at:g}: {value:.3f}")
                yield (
                    f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}">'
                    f"<title>{says}</title></circle>"
                )
            x, y = left + width + 16, top + 14 + 18 * no
            yield f'<line x1="{x}" y1="{y - 4}" x2="{x + 26}" y2="{y - 4}" {line}/>'
            yield _text(x + 32, y, _short(curve.name))

    return _svg(title, left + width + 210, top + height + 44, draw())


def dot_plot(title: str, x_name: str, y_name: str, dots: Sequence[Dot]) -> str:
    """Dots in a square; those above its diagonal have more on the vertical axis."""
    left, top, side = 60, 30, 320

    def draw() -> Iterator[str]:
        yield from _y_axis(left, side, lambda value: top + side * (1 - value))
        for value in _TICKS:
            yield _text(left + side * value, top + side + 16, f"{value:g}", "middle")
        yield f'<line class="even" x1="{left}" y1="{top + side}" x2="{left + side}" y2="{top}"/>'
        yield _text(left + side / 2, top + side + 34, x_name, "middle")
        yield (
            f'<text transform="translate(16 {top + side / 2}) rotate(-90)" '
            f'text-anchor="middle">{escaped(y_name)}</text>'
        )
        for dot in dots:
            x, y = left + side * dot.x, top + side * (1 - dot.y)
            colour = _GREY if dot.x == dot.y else COLOURS[dot.y < dot.x]
            yield (
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}" fill-opacity="0.45">'
                f"<title>{escaped(f'{dot.name}: {dot.x:.3f} → {dot.y:.3f}')}</title></circle>"
            )

    return _svg(title, left + side + 20, top + side + 44, draw())


def _svg(title: str, width: float, height: float, drawn: Iterable[str]) -> str:
    size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    heading = f'<text class="title" x="8" y="16">{escaped(title)}</text>'
    return "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>', heading, *drawn, "</svg>"]
    )


def _x_axis(place: Callable[[float], float], top: float, bottom: float) -> Iterator[str]:
    for value in _TICKS:
        x = place(value)
        yield f'<line class="grid" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}"/>'
        yield _text(x, bottom + 16, f"{value:g}", "middle")


def _y_axis(left: float, width: float, place: Callable[[float], float]) -> Iterator[str]:
    for value in _TICKS:
        y = place(value)
        yield f'<line class="grid" x1="{left}" y1="{y:.1f}" x2="{left + width}" y2="{y:.1f}"/>'
        yield _text(left - 6, y + 4, f"{value:g}", "end")


def _round_numbers(first: float, last: float) -> Iterator[float]:
    step = max(1, round((last - first) / 6))
    yield from range(step * (1 + int(first // step)), int(last - step / 2) + 1, step)


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escaped(text)}</text>'


def _short(text: str) -> str:
    return text if len(text) <= _MAX_LABEL_CHARS else f"{text[: _MAX_LABEL_CHARS - 1]}…"
