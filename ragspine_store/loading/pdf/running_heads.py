"""Running heads, footers and page numbers: lines that come again at the same place."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ragspine_store.loading.english import parse_clause
from ragspine_store.loading.japanese import parse_heading
from ragspine_store.loading.pdf.layers import Layer
from ragspine_store.loading.pdf.lines import Line
from ragspine_store.loading.pdf.paragraphs import Typography

_MAX_ROWS = 4
_MIN_PAGES = 3
_MAX_STEP = 4  # pages from one to the next; a first page of a chapter may have none
_BAND = 0.15  # of the page's height, at its top and at its bottom
_APART = 1.7  # em
_SAME_PLACE = 4.0  # points
_MAX_NUMBERS = 3
_NUMBER = re.compile(r"\d{1,6}")
_ROMAN = re.compile(r"\W*([ivxlIVXL]+)\W*")  # regardless of case, a dotless ı would be one
_PAGE_NUMBER = re.compile(r"\W*(?:p(?:age)?\.?\s*)?(\d{1,5})(?:\W+(?:of\s+)?\d{1,5})?\s*頁?\W*")

_Signature = tuple[str, int, tuple[str, ...]]


def without_running_heads(layers: Sequence[Layer], usual: Typography) -> list[Layer]:
    """The layers without the lines that run through the document.

    A line runs when it stands in the same place on several pages near each other, outside of all
    other text, and reads the same there but for numbers that count with the pages. The first of
    lines that look like a heading stays, unless the heading stands elsewhere too.

    Args:
        layers: of all pages, in order.
        usual: how body text looks.
    """
    seen: dict[_Signature, set[int]] = defaultdict(set)
    for layer in layers:
        for rows, in_band in _edges(layer):
            for line in itertools.chain.from_iterable(rows[:in_band]):
                for signature in _signatures(line):
                    seen[signature].add(layer.page)
    running = {signature: pages for signature in seen if (pages := _run(seen[signature]))}
    dropped = {id(line) for layer in layers for line in _running_lines(layer, running)}
    dropped -= {id(line) for line in _only_headings(layers, dropped, usual)}
    return [
        replace(layer, lines=tuple(line for line in layer.lines if id(line) not in dropped))
        for layer in layers
    ]


def _run(pages: Iterable[int]) -> set[int]:
    """Those of the pages that have enough others near them, one after the other."""
    found: set[int] = set()
    run: list[int] = []
    for page in (*sorted(pages), None):
        if run and (page is None or page - run[-1] > _MAX_STEP):
            if len(run) >= _MIN_PAGES:
                found.update(run)
            run = []
        if page is not None:
            run.append(page)
    return found


def _running_lines(layer: Layer, running: Mapping[_Signature, set[int]]) -> Iterator[Line]:
    for rows, in_band in _edges(layer):
        count = 0
        while count < in_band and all(_runs(line, running) for line in rows[count]):
            count += 1
        while count and count < len(rows) and not _stand_apart(rows[count - 1], rows[count]):
            count -= 1
        yield from itertools.chain.from_iterable(rows[:count])


def _only_headings(
    layers: Sequence[Layer], dropped: Container[int], usual: Typography
) -> Iterator[Line]:
    """The first of dropped lines that look like a heading which stands nowhere else."""
    lines = [line for layer in layers for line in layer.lines]
    stay = {_letters(line) for line in lines if id(line) not in dropped}
    text = "".join(_letters(line) for line in lines if id(line) not in dropped)
    for line in lines:
        letters = _letters(line)
        if id(line) not in dropped or letters in stay or not _may_be_heading(line, usual):
            continue
        stay.add(letters)
        # As Chapter 4: Fees runs above the pages under a heading 4 Fees.
        is_longer = any(
            letters.endswith(other) for other in stay if 2 * len(other) > len(letters) > len(other)
        )
        if letters not in text and not is_longer:
            yield line


def _letters(line: Line) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", line.text).casefold()))


def _may_be_heading(line: Line, usual: Typography) -> bool:
    if not any(map(str.isalpha, line.text)):
        return False
    clause = parse_clause(line.text)
    is_named = clause is not None and clause.is_named
    return usual.stands_out(line) or is_named or parse_heading(line.text) is not None


def _edges(layer: Layer) -> Iterator[tuple[list[list[Line]], int]]:
    """All rows from the top and from the bottom inwards, and how many may be running heads."""
    rows: list[list[Line]] = []
    for line in sorted(layer.lines, key=lambda line: -line.base):
        if rows and rows[-1][0].base - line.base < _SAME_PLACE:
            rows[-1].append(line)
        else:
            rows.append([line])
    band = _BAND * (layer.high - layer.low)
    upper = sum(1 for row in rows[:_MAX_ROWS] if row[0].base > layer.high - band)
    lower = sum(1 for row in rows[-_MAX_ROWS:] if row[0].base < layer.low + band)
    yield rows, upper
    yield rows[::-1], lower


def _stand_apart(outer: Sequence[Line], inner: Sequence[Line]) -> bool:
    """Whether more than the space between two lines of text parts two rows."""
    return abs(outer[0].base - inner[0].base) >= _APART * max(outer[0].size, inner[0].size)


def _runs(line: Line, running: Mapping[_Signature, set[int]]) -> bool:
    if any(line.page in running.get(signature, ()) for signature in _signatures(line)):
        return True
    alone = _PAGE_NUMBER.fullmatch(unicodedata.normalize("NFKC", line.text).casefold())
    return alone is not None and int(alone[1]) == line.page + 1


def _signatures(line: Line) -> Iterator[_Signature]:
    """What the line would have in common with its like on other pages.

    Each number in it may be the same there, or count with the pages.
    """
    text = unicodedata.normalize("NFKC", line.text)
    roman = _ROMAN.fullmatch(text)
    if roman:
        text = text.replace(roman[1], str(_value(roman[1].casefold())))
    place = round(line.base / _SAME_PLACE)
    numbers = _NUMBER.findall(text)
    shape = _NUMBER.sub("#", text)
    choices = [(n, f"+{int(n) - line.page}") for n in numbers[:_MAX_NUMBERS]]
    rest = tuple(numbers[_MAX_NUMBERS:])
    for chosen in itertools.product(*choices):
        for near in (place, place + 1):
            yield shape, near, chosen + rest


def _value(roman: str) -> int:
    values = [{"i": 1, "v": 5, "x": 10, "l": 50}[digit] for digit in roman]
    following = [*values[1:], 0]
    return sum(-v if v < after else v for v, after in zip(values, following, strict=True))
