"""Results as a picture: Graphviz text, or one HTML page with an inline SVG and no script.

Names come from documents, so none of them acts: each is shown literally, in quotes or escaped.
"""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeGuard

from ragspine_graph.cypher.results import CypherResult
from ragspine_graph.egress import literal
from ragspine_graph.errors import RequestError

MAX_NODES = 500
_MAX_LABEL_CHARS = 40


class Line(NamedTuple):
    """A line of the picture: two ids, and what is written beside it."""

    source: str
    target: str
    label: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Nodes by id with what is written in them, and lines between them."""

    nodes: Mapping[str, str]
    lines: Sequence[Line]


def draw(result: CypherResult) -> Picture:
    """What a result shows: an edge for each row with source and target, a way for each `nodes`.

    Raises:
        RequestError: its columns tell no edges, or there are too many nodes to be seen.
    """
    nodes: dict[str, str] = {}
    lines: dict[Line, None] = {}
    columns = result.columns
    if not {"source", "target"} <= set(columns) and "nodes" not in columns:
        raise RequestError(
            f"a picture of the columns {', '.join(columns) or 'none'} asked for; expected a query "
            "that returns source and target, or nodes"
        )
    for row in result.rows:
        values = dict(zip(columns, row, strict=True))
        for line in _lines(values):
            lines.setdefault(line)
        for key in ("source", "target"):
            if isinstance(shown := values.get(key), str):
                name = values.get(f"{key}_name") or values.get(f"{key}_heading")
                nodes[shown] = name if isinstance(name, str) and name else nodes.get(shown, shown)
    for line in lines:
        nodes.setdefault(line.source, line.source)
        nodes.setdefault(line.target, line.target)
    if len(nodes) > MAX_NODES:
        raise RequestError(
            f"a picture of {len(nodes)} nodes asked for; expected {MAX_NODES} at most: narrow the "
            "query"
        )
    return Picture(nodes, tuple(lines))


def render_dot(picture: Picture) -> str:
    r"""A picture as Graphviz text.

    >>> print(render_dot(Picture({"a": 'say "x"', "b": "B"}, [Line("a", "b", "knows")])), end="")
    digraph {
      "a" [label="say \"x\""];
      "b" [label="B"];
      "a" -> "b" [label="knows"];
    }
    """
    nodes = [f"  {_quoted(i)} [label={_quoted(name)}];" for i, name in picture.nodes.items()]
    lines = [
        f"  {_quoted(line.source)} -> {_quoted(line.target)} [label={_quoted(line.label)}];"
        for line in picture.lines
    ]
    return "\n".join(["digraph {", *nodes, *lines, "}"]) + "\n"


def render_html(picture: Picture, title: str) -> str:
    """A picture as one page that needs nothing besides, nodes on a circle."""
    places = dict(zip(picture.nodes, _circle(len(picture.nodes)), strict=True))
    side = 2 * _radius(len(picture.nodes)) + 400
    drawn = [
        *(_svg_line(line, places[line.source], places[line.target]) for line in picture.lines),
        *(_svg_node(i, name, places[i]) for i, name in picture.nodes.items()),
    ]
    return _PAGE.format(title=_escaped(title), side=round(side), drawn="\n".join(drawn))


_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font: 14px sans-serif; margin: 1em; }}
circle {{ fill: #4477aa; }}
line {{ stroke: #999999; stroke-width: 1.2; marker-end: url(#arrow); }}
text {{ font-size: 11px; }}
text.kind {{ fill: #666666; font-size: 9px; text-anchor: middle; }}
</style>
</head>
<body>
<h1>{title}</h1>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" width="{side}" height="{side}">
<defs><marker id="arrow" viewBox="0 0 10 10" refX="20" refY="5" markerWidth="7" markerHeight="7" \
orient="auto"><path d="M 0 0 L 10 5 L 0 10 z" fill="#999999"/></marker></defs>
{drawn}
</svg>
</body>
</html>
"""


def _lines(values: Mapping[str, object]) -> Iterator[Line]:
    source, target, kind = (values.get(key) for key in ("source", "target", "kind"))
    if isinstance(source, str) and isinstance(target, str):
        yield Line(source, target, kind if isinstance(kind, str) else "")
    way = values.get("nodes")
    if _is_several(way):
        for one, next_one in itertools.pairwise(map(str, way)):
            yield Line(one, next_one, "")


def _quoted(text: str) -> str:
    escaped = literal(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _escaped(text: str) -> str:
    return html.escape(literal(text))


def _radius(count: int) -> float:
    return max(120.0, count * 14.0)


def _circle(count: int) -> Iterator[tuple[float, float]]:
    radius = _radius(count)
    for n in range(count):
        angle = 2 * math.pi * n / count
        yield 200 + radius * (1 + math.cos(angle)), 200 + radius * (1 + math.sin(angle))


def _svg_line(line: Line, start: tuple[float, float], end: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = start, end
    label = _escaped(_short(line.label))
    return (
        f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}"/>'
        f'<text class="kind" x="{(x1 + x2) / 2:.0f}" y="{(y1 + y2) / 2:.0f}">{label}</text>'
    )


def _svg_node(node_id: str, name: str, place: tuple[float, float]) -> str:
    x, y = place
    return (
        f'<g><title>{_escaped(node_id)}</title><circle cx="{x:.0f}" cy="{y:.0f}" r="7"/>'
        f'<text x="{x + 10:.0f}" y="{y + 4:.0f}">{_escaped(_short(name))}</text></g>'
    )


def _short(text: str) -> str:
    return text if len(text) <= _MAX_LABEL_CHARS else f"{text[: _MAX_LABEL_CHARS - 1]}…"


def _is_several(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list | tuple)
