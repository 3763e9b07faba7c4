"""The text of one paragraph, as Word shows it with all changes accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ragspine_store.loading.canonical import canonicalise
from ragspine_store.loading.docx.xml import Element, find_child

DROPPED = frozenset({"w:del", "w:moveFrom", "w:rt", "w:pPr", "w:rPr", "w:sdtPr", "w:sdtEndPr"})
"""What is not read: text that a tracked change took away, readings, and properties."""

_NOTES = {"w:footnoteReference": "footnote", "w:endnoteReference": "endnote"}
_SHOWN = {"w:tab": "\t", "w:ptab": "\t", "w:cr": "\n", "w:noBreakHyphen": "-"}
_SYMBOLS = {
    ("wingdings", 0xA8): "□",
    ("wingdings", 0xFC): "✓",
    ("wingdings", 0xFD): "☒",
    ("wingdings", 0xFE): "☑",
    ("wingdings", 0x6C): "●",
    ("wingdings", 0x6E): "■",
    ("wingdings 2", 0x52): "☑",
    ("wingdings 2", 0x50): "✓",
    ("symbol", 0xB7): "•",
    ("symbol", 0xB1): "±",
    ("symbol", 0xB3): "≥",
    ("symbol", 0xA3): "≤",
    ("symbol", 0xB4): "×",
}
_SOFT_HYPHEN = "\xad"


@dataclass(frozen=True, slots=True)
class NoteReference:
    """Where a footnote or endnote is referred to.

    Attributes:
        kind: `footnote` or `endnote`.
        note_id: its id among its kind.
    """

    kind: str
    note_id: str


@dataclass(slots=True)
class InlineText:
    """What the runs of one paragraph hold.

    Attributes:
        text: as shown; a tab and a line break are characters of it.
        notes: referred to, in order.
        boxes: the contents of its text boxes.
    """

    text: str = field(default="", repr=False)
    notes: list[NoteReference] = field(default_factory=list[NoteReference])
    boxes: list[Element] = field(default_factory=list[Element])


class InlineReader:
    """Reads the paragraphs of one story in order; a field may run over several of them.

    Args:
        marks: the marks of the notes, filled as they are referred to.
    """

    def __init__(self, marks: NoteMarks) -> None:
        self._marks = marks
        self._fields: list[bool] = []

    def read(self, paragraph: Element) -> InlineText:
        """Read one paragraph."""
        found = InlineText()
        shown = "".join(self._parts(paragraph, found)).replace(_SOFT_HYPHEN, "")
        # The code of a field ends with its paragraph; one left open by mistake would hide the rest.
        self._fields = [is_code for is_code in self._fields if not is_code]
        found.text = canonicalise(shown)[0]
        return found

    def _parts(self, element: Element, found: InlineText) -> Iterator[str]:
        for child in element:
            tag = child.tag
            if tag in DROPPED:
                continue
            if tag == "w:r":
                if not is_hidden_run(child):
                    yield from self._parts(child, found)
            elif tag == "w:fldChar":
                self._step_field(child.get("w:fldCharType", ""))
            elif self._is_in_code:
                yield from self._parts(child, found)
            elif tag in ("w:t", "m:t"):
                yield child.text or ""
            elif tag in _SHOWN:
                yield _SHOWN[tag]
            elif tag == "w:br":
                yield "" if child.get("w:type") == "page" else "\n"
            elif tag == "w:sym":
                yield _symbol(child)
            elif tag in _NOTES:
                yield self._refer(child, found)
            elif tag == "w:txbxContent":
                found.boxes.append(child)
            elif tag == "mc:AlternateContent":
                yield from self._parts(first_alternative(child), found)
            else:
                yield from self._parts(child, found)

    @property
    def _is_in_code(self) -> bool:
        """Whether the text at hand is the code of a field instead of its result."""
        return any(self._fields)

    def _step_field(self, step: str) -> None:
        if step == "begin":
            self._fields.append(True)
        elif self._fields and step == "separate":
            self._fields[-1] = False
        elif self._fields and step == "end":
            self._fields.pop()

    def _refer(self, element: Element, found: InlineText) -> str:
        note = NoteReference(_NOTES[element.tag], element.get("w:id", ""))
        found.notes.append(note)
        return "" if is_on(element, "w:customMarkFollows") else self._marks.mark(note)


class NoteMarks:
    """The marks of notes, numbered as they are referred to."""

    def __init__(self) -> None:
        self._numbers: dict[NoteReference, int] = {}
        self._counts: Counter[str] = Counter()

    def mark(self, note: NoteReference) -> str:
        """The mark of a note, spelled as in Markdown; e before the number of an endnote.

        >>> NoteMarks().mark(NoteReference("endnote", "7"))
        '[^e1]'
        """
        if note not in self._numbers:
            self._counts[note.kind] += 1
            self._numbers[note] = self._counts[note.kind]
        return f"[^{'e' if note.kind == 'endnote' else ''}{self._numbers[note]}]"


def first_alternative(element: Element) -> Element:
    """The first spelling of content that is given in several."""
    return next(iter(element), element)


def is_on(element: Element, attribute: str) -> bool:
    """Whether an on-off attribute is there and on."""
    return element.get(attribute, "0") not in ("0", "false", "off")


def is_set(properties: Element | None, name: str) -> bool:
    """Whether an on-off property is there and on."""
    found = find_child(properties, name)
    return found is not None and found.get("w:val", "1") not in ("0", "false", "off")


def is_hidden_run(run: Element) -> bool:
    """Whether a run is text that Word does not show."""
    return is_set(find_child(run, "w:rPr"), "w:vanish")


def _symbol(element: Element) -> str:
    """A character of a symbol font, as Unicode spells it where that is known."""
    try:
        code = int(element.get("w:char", ""), 16)
    except ValueError:
        return ""
    font = element.get("w:font", "").casefold()
    known = _SYMBOLS.get((font, code & 0xFF if 0xF000 <= code <= 0xF0FF else code))
    if known is not None:
        return known
    is_shown = 0x20 <= code < 0x110000 and not 0xD800 <= code < 0xF900
    return chr(code) if is_shown else ""
