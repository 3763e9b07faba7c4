"""Where sentences begin and end, in Japanese and English.

The rules, in the order in which they are asked:

1. A line break ends a sentence, as it does in lists and in Japanese text. A hard-wrapped line
   reads on when neither side of the break is East Asian, no list, heading, table or quote marker
   stands at it, and the next line begins in lower case or this one has 40 characters or more.
2. Nothing inside a matched pair of brackets or quotes is a border. A pair is matched within lines
   that read on, so that a lone quote never swallows more than its paragraph.
3. `。！？` end a sentence, with the closing brackets and notes that follow. After `。」` it goes on
   when hiragana or a comma follows (「…。」と述べた。), or when the bracket stood in mid-sentence
   (（以下「会社」という。）及び).
4. `.!?` end a sentence before white space. Before a lower-case word they do so only as a full
   stop after a word of five letters or a number of three digits, which is no abbreviation.
   Titles and forms like No. 5 never end a sentence; initials, U.S., Inc., et al. and an ellipsis
   do so only before a word that opens sentences, such as "The". A number or letter that opens a
   sentence is its marker.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ragspine_store.records import Span
from ragspine_store.tokens import EAST_ASIAN

WRAP_COLUMNS = 40

_PAIRS = {
    "「": "」",
    "『": "』",
    "（": "）",
    "(": ")",
    "［": "］",
    "[": "]",
    "【": "】",
    "〔": "〕",
    "｛": "｝",
    "{": "}",
    "〈": "〉",
    "《": "》",
    "“": "”",
    "«": "»",
    '"': '"',
}
_CLOSERS = "".join(_PAIRS.values()) + "’'"
_FULL_STOPS = "。｡！？"
_READS_ON = frozenset("、，,；;：:!?.．" + _FULL_STOPS + _CLOSERS) - frozenset("\"'’»”")

_ENDER = re.compile(rf"[{_FULL_STOPS}!?.．…‥]+")
_NOTE = r"\[\^?[\w-]{1,12}\]"
_BRACKET = re.compile(rf"{_NOTE}|[{re.escape(''.join(_PAIRS))}{re.escape(_CLOSERS[:-2])}]")
_CLOSING = re.compile(
    rf"[{re.escape(_CLOSERS)}]*(?:[*_]{{1,3}}(?=\s|\Z))?[{re.escape(_CLOSERS)}]*(?:{_NOTE})*"
)
_SPACE = re.compile(r"\s*")
_EAST = re.compile(rf"[{EAST_ASIAN}]")
_HIRAGANA = re.compile("[\u3041-\u309f]")
_FIRST_LETTER = re.compile(r"[\W_]{0,4}(?P<letter>\w)")
_MARKER = re.compile(
    r"(?:[#>*+-]+\s+)*[(（]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5}|[ァ-ヴ一二三四五六七八九十]{1,3})"
)
_MARKER_LENGTH = 12
_WORD = re.compile(r"(?<!\w)[^\W\d_]+(?:\.[^\W\d_]+)*\Z")
_WORD_LENGTH = 24
_LONG_WORD = re.compile(r"[^\W\d_]{5}|.?.?\d{3}", re.DOTALL)
_ACRONYM = re.compile(r"[^\W\d_]{1,3}(?:\.[^\W\d_]{1,3})+|[A-Z]")
_NUMBER = re.compile(r"[\d§]|[IVXLC]+\b|[A-Z]\b")
_OPENER = re.compile(
    r"[\"“‘'(\[]*(?:A|After|All|Although|An|And|Any|As|At|Before|Both|But|By|Each|For|From|He|Her"
    r"|Here|His|However|If|In|It|Its|Moreover|My|No|Not|On|Or|Our|She|Since|So|Such|That|The|Their"
    r"|Then|There|Therefore|These|They|This|Those|Thus|To|Under|Upon|We|What|When|Where|While|Who"
    r"|Why|With|Within|Without|You|Your)\b(?!\.)"
)
_CELL_BORDER = " | "
_LINE_MARKER = re.compile(r"[-*+•・>|#]|\d{1,3}[.)]\s|[A-Za-z][.)]\s|\(\w{1,4}\)|```|~~~")

_NEVER_LAST = re.compile(
    r"adm|approx|ca|capt|cf|col|dr|e\.g|fr|gen|gov|hon|i\.e|incl|lt|maj|messrs|mr|mrs|ms|mt|prof"
    r"|rep|resp|rev|sen|sgt|st|viz|vs",
    re.IGNORECASE,
)
_BEFORE_NUMBER = re.compile(
    r"ann|app|apr|arts?|aug|ch|chap|cl|dec|ed|eqs?|feb|figs?|jan|jul|jun|mar|nos?|nov|oct|pp?"
    r"|paras?|pt|reg|secs?|sect|sept?|ser|tab|v|ver|vols?",
    re.IGNORECASE,
)
_SELDOM_LAST = re.compile(
    r"al|assoc|ave|bros|blvd|co|corp|dept|dist|est|esq|etc|inc|jr|llc|ltd|mfg|rd|sr", re.IGNORECASE
)


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """The sentences of a text.

    Args:
        text: the text.
        start: where to begin, in code points.
        end: where to stop, exclusive; by default the end of the text.

    Returns:
        Spans in order, disjoint, covering every visible character of the range; the white space
        between sentences belongs to none.

    >>> [s.end for s in sentence_spans("「はい。」と述べた。上限は3.5%。")]
    [10, 18]
    """
    spans: list[Span] = []
    for run in _runs(text, start, len(text) if end is None else end):
        spans.extend(_split(text, run))
    return spans


def iter_lines(text: str, start: int, end: int) -> Iterator[Span]:
    r"""The lines of a part of a text, stripped; blank ones as empty spans.

    A line ends at `\n` alone; other breaks stay inside of it, as they did in the predecessor.

    >>> list(iter_lines(" a\n\nb ", 0, 6))
    [Span(start=1, end=2), Span(start=3, end=3), Span(start=4, end=5)]
    """
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        line = text[start:stop]
        first = start + len(line) - len(line.lstrip())
        yield Span(first, first + len(line.strip()))
        start = stop + 1


def _runs(text: str, start: int, end: int) -> Iterator[Span]:
    """Stretches of lines that read on: inside them, white space is all a line break means."""
    run = Span(start, start)
    before = run
    for line in iter_lines(text, start, end):
        if _continues(text, before, line):
            run = Span(run.start, line.end)
        else:
            if run.start < run.end:
                yield run
            run = line
        before = line
    if run.start < run.end:
        yield run


def _continues(text: str, before: Span, line: Span) -> bool:
    if before.start == before.end or line.start == line.end:
        return False
    if _EAST.match(text[before.end - 1]) or _EAST.match(text[line.start]):
        return False
    if text[before.start] in "#|" or _LINE_MARKER.match(text, line.start, line.end):
        return False
    if text.find(_CELL_BORDER, before.start, line.end) >= 0:
        return False
    return text[line.start].islower() or before.end - before.start >= WRAP_COLUMNS


def _outer_pairs(text: str, run: Span) -> list[Span]:
    """The outermost matched brackets and quotes, from each opener to its closer, in order."""
    opened: list[tuple[str, int]] = []
    waiting: Counter[str] = Counter()
    pairs: list[Span] = []
    for match in _BRACKET.finditer(text, run.start, run.end):
        mark, at = match.group(), match.start()
        if len(mark) > 1:
            continue
        if waiting[mark]:
            while True:
                closer, opener_at = opened.pop()
                waiting[closer] -= 1
                if closer == mark:
                    break
            while pairs and pairs[-1].start > opener_at:
                pairs.pop()
            pairs.append(Span(opener_at, at))
        elif mark in _PAIRS:
            opened.append((_PAIRS[mark], at))
            waiting[_PAIRS[mark]] += 1
    return pairs


class _Ending(NamedTuple):
    """Marks that may end a sentence, and what stands around them; all offsets."""

    begun: int  # of the sentence
    start: int  # of the marks
    end: int  # of the marks
    closed: int  # after the closing brackets and notes that follow them
    after: int  # of the next visible character
    whole: bool  # the sentence does not end inside a bracket that opened in its middle


def _split(text: str, run: Span) -> Iterator[Span]:
    pairs = _outer_pairs(text, run)
    no = 0
    begun = run.start
    for marks in _ENDER.finditer(text, run.start, run.end):
        while no < len(pairs) and pairs[no].end < marks.start():
            no += 1
        around = pairs[no] if no < len(pairs) and pairs[no].start < marks.start() else None
        following = no if around is None else no + 1
        limit = pairs[following].start if following < len(pairs) else run.end
        closed = _end_of(_CLOSING, text, marks.end(), limit)
        if around is not None and closed <= around.end:
            continue
        after = _end_of(_SPACE, text, closed, run.end)
        if after == run.end:
            break
        whole = around is None or around.start == begun
        if _is_border(text, _Ending(begun, marks.start(), marks.end(), closed, after, whole)):
            yield Span(begun, closed)
            begun = after
    yield Span(begun, run.end)


def _end_of(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
    match = pattern.match(text, start, end)
    return match.end() if match else start


def _is_border(text: str, at: _Ending) -> bool:
    next_character = text[at.after]
    if next_character in _READS_ON:
        return False
    marks = text[at.start : at.end]
    spaced = at.after > at.closed
    bare = text[at.end] not in _CLOSERS
    if any(mark in _FULL_STOPS for mark in marks):
        return bare or spaced or (at.whole and not _HIRAGANA.match(next_character))
    before = text[at.start - 1] if at.start > at.begun else ""
    if not spaced and not (_EAST.match(before) and _EAST.match(next_character)):
        return False
    first = _FIRST_LETTER.match(text, at.after)
    if first is not None and first["letter"].islower():
        long = _LONG_WORD.fullmatch(text[max(at.begun, at.start - 5) : at.start])
        if not (long and bare and marks == "."):
            return False
    opens = _OPENER.match(text, at.after) is not None
    if "!" in marks or "?" in marks:
        return opens or bare
    if len(marks) > 1 or marks in "…‥" or not before or before.isspace():
        return opens
    if at.start - at.begun <= _MARKER_LENGTH and _MARKER.fullmatch(text, at.begun, at.start):
        return False
    return _word_may_end(text, at, opens=opens)


def _word_may_end(text: str, at: _Ending, *, opens: bool) -> bool:
    """Whether the word before a single full stop can be the last of its sentence."""
    found = _WORD.search(text[max(at.begun, at.start - _WORD_LENGTH) : at.start])
    if found is None:
        return True
    word = found.group()
    if _NEVER_LAST.fullmatch(word):
        return False
    if _BEFORE_NUMBER.fullmatch(word) and _NUMBER.match(text, at.after):
        return False
    return opens or not (_SELDOM_LAST.fullmatch(word) or _ACRONYM.fullmatch(word))
