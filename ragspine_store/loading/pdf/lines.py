"""From glyphs to lines: what is written on one base line without a wide gap."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ragspine_store.loading.canonical import canonicalise
from ragspine_store.loading.pdf.geometry import Glyph, Rule

_SAME_BASE = 0.35  # of the larger font
_RAISED = 0.5  # of the larger font, for smaller characters: superscripts stay on their line
_SMALLER = 0.8
_WIDE_GAP = 1.0  # em; a wider one parts two lines, such as the cells of a row
_WIDE_SPACE = 3.0  # em, where a space was written: justified text
_LABEL_GAP = 6.0  # em, from a label to its text
_BACKWARDS = 0.6  # em that a glyph may stand left of where the last one ended
_LATIN_SPACE = 0.15
_MIXED_SPACE = 0.6
_CJK_SPACE = 0.75
_LABEL_SPACE = 0.1
_ROW = 8.0  # points of height in which the lines of one row are looked for
_MAX_NEAR = 100  # parts of a row
_BORDER = 1.0  # points that a glyph may reach over a border
_CELL_GAP = 0.28  # em between two cells at least

EAST_ASIAN = re.compile(
    "[\u2e80-\u9fff\uf900-\ufaff\uff01-\uff60\uffe0-\uffe6\U00020000-\U0003ffff]"
)
_LABEL = re.compile(
    r"(?:[0-9]{1,3}(?:\.[0-9]{1,3})*[.)．）]|[0-9]{1,3}(?:\.[0-9]{1,3})+|[０-９]{1,3}[．）]?"
    r"|[（(][0-9０-９一二三四五六七八九十ア-ンa-zA-Zivx]{1,4}[）)]|[a-zA-Z][.)]|[ivxIVX]{1,5}[.)]"
    r"|[①-⑳❶-❿•●○■◆▪◦–・\-*]|[ア-ン]"
    r"|第[0-9０-９〇一二三四五六七八九十百千]+[編章節款目条](?:の[0-9０-９一二三四五六七八九十]+)*)"
)
# Word draws bullets in symbol fonts, whose characters are private to them.
_BULLET = re.compile("[\uf0a7\uf0b7\uf06c\uf06e\uf075\uf0d8]")
_SOFT_HYPHEN = "\xad"


@dataclass(frozen=True, slots=True)
class Line:
    """A line, or the part of one that a wide gap or a border parts.

    Attributes:
        text: without blanks at its ends.
        left, bottom, right, top: its box.
        base: y of its base line.
        size: of most of its characters.
        east_asian_size, other_size: of most characters of each kind; 0 without any.
        is_bold: whether all of it is bold.
        page: from 0.
        text_left: where its text starts after a label; `left` without one.
        first_width: what its first word or character takes.
        gaps: where it could be parted, if it were cells: left and right of each gap, and where
            the text after it starts.
    """

    text: str = field(repr=False)
    left: float
    bottom: float
    right: float
    top: float
    base: float
    size: float
    east_asian_size: float
    other_size: float
    is_bold: bool
    page: int
    text_left: float
    first_width: float
    gaps: tuple[tuple[float, float, int], ...] = ()

    def parted_at(self, gap: tuple[float, float, int]) -> tuple[Line, Line]:
        """The two lines that it is when one of its gaps parts it."""
        left, right, at = gap
        before = replace(self, text=self.text[:at].rstrip(), right=left, gaps=())
        after = replace(
            self,
            text=self.text[at:],
            left=right,
            text_left=right,
            gaps=tuple((a, b, i - at) for a, b, i in self.gaps if i > at),
        )
        return before, after


def read_lines(glyphs: Iterable[Glyph], rules: Sequence[Rule], page: int) -> list[Line]:
    """The lines of one page, in drawing order where they do not touch.

    Args:
        glyphs: upright, in drawing order.
        rules: borders that part what stands left and right of them.
        page: its number, from 0.
    """
    borders = _Borders(rules)
    runs = _merged(_runs(glyphs, borders), borders)
    lines = [line for run in runs if (line := _line(run, page)) is not None]
    return _with_labels(lines, borders)


class _Borders:
    def __init__(self, rules: Iterable[Rule]) -> None:
        upright = sorted(
            (r for r in rules if r.is_upright), key=lambda rule: rule.left + rule.right
        )
        self._places = [(rule.left + rule.right) / 2 for rule in upright]
        self._heights = [(rule.bottom, rule.top) for rule in upright]

    def part(self, left: float, right: float, y: float) -> bool:
        """Whether a border stands between two places of a line at height `y`."""
        first = bisect_left(self._places, left - _BORDER)
        last = bisect_right(self._places, right + _BORDER)
        return any(bottom <= y <= top for bottom, top in self._heights[first:last])


def _runs(glyphs: Iterable[Glyph], borders: _Borders) -> Iterator[list[Glyph]]:
    run: list[Glyph] = []
    for glyph in glyphs:
        if run and _is_drawn_twice(run[-1], glyph):
            continue
        if run and not _continues(run[-1], glyph, borders):
            yield run
            run = []
        run.append(glyph)
    if run:
        yield run


def _is_drawn_twice(before: Glyph, glyph: Glyph) -> bool:
    """Whether it is the same character again, drawn over it to look bold."""
    near = 0.2 * glyph.size
    return (
        before.text == glyph.text
        and abs(before.left - glyph.left) < near
        and abs(before.base - glyph.base) < near
    )


def _continues(before: Glyph, glyph: Glyph, borders: _Borders) -> bool:
    size = max(before.size, glyph.size)
    gap = glyph.left - before.right
    widest = _WIDE_SPACE if before.text.isspace() or glyph.text.isspace() else _WIDE_GAP
    is_raised = min(before.size, glyph.size) <= _SMALLER * size
    return (
        abs(before.base - glyph.base) <= (_RAISED if is_raised else _SAME_BASE) * size
        and -_BACKWARDS * size <= gap <= widest * size
        and not (gap > 0 and borders.part(before.right, glyph.left, (glyph.bottom + glyph.top) / 2))
    )


def _merged(runs: Iterable[list[Glyph]], borders: _Borders) -> list[list[Glyph]]:
    """The runs, those on one base line that touch made one, whatever order they came in."""
    merged: list[list[Glyph]] = []
    by_base: dict[int, list[list[Glyph]]] = {}
    for run in runs:
        key = round(run[0].base / 2)
        near = [other for k in (key - 1, key, key + 1) for other in by_base.get(k, [])[-_MAX_NEAR:]]
        for other in near:
            if _continues(other[-1], run[0], borders):
                other.extend(run)
                break
            if _continues(run[-1], other[0], borders):
                other[:0] = run
                break
        else:
            merged.append(run)
            by_base.setdefault(key, []).append(run)
    return merged


def _line(run: Sequence[Glyph], page: int) -> Line | None:
    shown = [glyph for glyph in run if not glyph.text.isspace()]
    if not shown:
        return None
    text, gaps = _text(run)
    label = _LABEL.match(text)
    text_left = shown[0].left
    if label is not None and len(text) > label.end():
        at = len(re.sub(r"\s", "", label[0]))
        text_left = shown[min(at, len(shown) - 1)].left
    return Line(
        text=text,
        left=shown[0].left,
        bottom=min(glyph.bottom for glyph in shown),
        right=max(glyph.right for glyph in shown),
        top=max(glyph.top for glyph in shown),
        base=shown[0].base,
        size=_common_size(shown),
        east_asian_size=_common_size([g for g in shown if EAST_ASIAN.match(g.text)]),
        other_size=_common_size([g for g in shown if not EAST_ASIAN.match(g.text)]),
        is_bold=all(glyph.is_bold for glyph in shown),
        page=page,
        text_left=text_left,
        first_width=_first_width(shown),
        gaps=gaps,
    )


def _text(run: Sequence[Glyph]) -> tuple[str, tuple[tuple[float, float, int], ...]]:
    """The text of a run without blanks at its ends, and its gaps."""
    parts: list[str] = []
    gaps: list[tuple[float, float, int]] = []
    length = 0
    before: Glyph | None = None
    for glyph in run:
        if glyph.text.isspace():
            if before is not None:
                parts.append(glyph.text)
                length += len(glyph.text)
            continue
        if before is not None:
            if not parts[-1].isspace():
                space = _space_between(before, glyph, parts)
                parts.append(space)
                length += len(space)
            if glyph.left - before.right >= _CELL_GAP * glyph.size:
                gaps.append((before.right, glyph.left, length))
        parts.append(glyph.text)
        length += len(glyph.text)
        before = glyph
    text = "".join(parts).rstrip()
    plain = _BULLET.sub("•", text[:-1].replace(_SOFT_HYPHEN, "") + text[-1:])
    canonical, _ = canonicalise(plain)
    return canonical, tuple(gaps) if len(canonical) == len(text) else ()


def _space_between(before: Glyph, glyph: Glyph, parts: Sequence[str]) -> str:
    """The space that a gap between two glyphs stands for."""
    gap = (glyph.left - before.right) / max(before.size, glyph.size)
    cjk = bool(EAST_ASIAN.match(before.text)) + bool(EAST_ASIAN.match(glyph.text))
    if cjk == 2:
        return "\u3000" if gap >= _CJK_SPACE else ""
    if gap >= (_MIXED_SPACE if cjk else _LATIN_SPACE):
        return " "
    is_after_label = len(parts) < 8 and _LABEL.fullmatch("".join(parts)) is not None
    return " " if is_after_label and gap >= _LABEL_SPACE else ""


def _common_size(glyphs: Sequence[Glyph]) -> float:
    """The size of most glyphs; 0 without any."""
    counts: dict[float, int] = {}
    for glyph in glyphs:
        size = max(round(glyph.size * 2) / 2, 0.5)
        counts[size] = counts.get(size, 0) + 1
    return max(counts, key=lambda size: (counts[size], size), default=0)


def _first_width(glyphs: Sequence[Glyph]) -> float:
    """The width of the first character, or of the first word of another script."""
    end = 0
    while end + 1 < len(glyphs) and not EAST_ASIAN.match(glyphs[end].text):
        gap = glyphs[end + 1].left - glyphs[end].right
        if gap > _LATIN_SPACE * glyphs[end].size or EAST_ASIAN.match(glyphs[end + 1].text):
            break
        end += 1
    return glyphs[end].right - glyphs[0].left


def _with_labels(lines: Sequence[Line], borders: _Borders) -> list[Line]:
    """The lines, a label that a wide gap parts from its text joined to it."""
    joined: list[Line] = []
    waiting: list[Line] = []
    for line in lines:
        if _LABEL.fullmatch(line.text):
            waiting.append(line)
        else:
            joined.append(line)
    by_base: dict[int, list[int]] = {}
    for at, line in enumerate(joined):
        by_base.setdefault(round(line.base / _ROW), []).append(at)
    for label in waiting:
        key = round(label.base / _ROW)
        rows = (by_base.get(k, [])[-_MAX_NEAR:] for k in (key - 1, key, key + 1))
        beside = [i for row in rows for i in row if _is_label_of(label, joined[i], borders)]
        if not beside:
            joined.append(label)
            continue
        at = min(beside, key=lambda i: joined[i].left)
        line = joined[at]
        joined[at] = replace(
            line,
            text=f"{label.text} {line.text}",
            left=label.left,
            text_left=line.left,
            bottom=min(label.bottom, line.bottom),
            top=max(label.top, line.top),
            is_bold=label.is_bold and line.is_bold,
            first_width=label.right - label.left,
            gaps=(),
        )
    return joined


def _is_label_of(label: Line, line: Line, borders: _Borders) -> bool:
    size = max(label.size, line.size)
    return (
        abs(label.base - line.base) <= _SAME_BASE * size
        and 0 < line.left - label.right <= _LABEL_GAP * size
        and not borders.part(label.right, line.left, (line.bottom + line.top) / 2)
    )


def base_rows(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines of a column by their base line, from top to bottom."""
    rows: list[list[Line]] = []
    for line in lines:
        if rows and abs(rows[-1][0].base - line.base) <= _SAME_BASE * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows
