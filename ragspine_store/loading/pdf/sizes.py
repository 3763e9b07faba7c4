"""One size for the scripts of a document.

Office programs and TeX set the letters and digits in Japanese text larger than the text itself (12
beside 10.5 points), so a line of them would look like a heading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ragspine_store.loading.pdf.layers import Layer
from ragspine_store.loading.pdf.lines import Line

_MOST_LARGER = 1.25


def with_even_sizes(layers: Sequence[Layer]) -> list[Layer]:
    """The lines, letters and digits taken as large as the East Asian text they stand in.

    Args:
        layers: of all pages, in order.
    """
    size_beside = _sizes_beside(line for layer in layers for line in layer.lines)
    return [
        replace(layer, lines=tuple(_evened(line, size_beside) for line in layer.lines))
        for layer in layers
    ]


def _evened(line: Line, size_beside: dict[float, float]) -> Line:
    if line.size == line.east_asian_size or line.size not in size_beside:
        return line
    return replace(line, size=size_beside[line.size])


def _sizes_beside(lines: Iterable[Line]) -> dict[float, float]:
    """From a size of letters to that of the East Asian text it is mostly used in, if smaller."""
    used: Counter[tuple[float, float]] = Counter()
    for line in lines:
        if line.east_asian_size < line.other_size <= _MOST_LARGER * line.east_asian_size:
            used[line.other_size, line.east_asian_size] += len(line.text)
    found: dict[float, float] = {}
    for (other, east_asian), _ in used.most_common():
        found.setdefault(other, east_asian)
    return found
