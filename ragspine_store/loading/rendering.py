"""Canonical text of a format that has to be rendered, written block by block with its outline."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass

from ragspine_store.errors import LoadError
from ragspine_store.loading.canonical import canonicalise
from ragspine_store.loading.japanese import Rank
from ragspine_store.loading.lines import LineReader
from ragspine_store.loading.numbering import refine
from ragspine_store.loading.outline import BlockDraft, Draft, HeadingDraft, build_outline
from ragspine_store.records import BlockKind, LoadedDocument, Outline

MAX_RENDERED_CHARS = 50_000_000
"""Most characters of a rendered text, a hundred long statutes."""

_NOT_TEXT = re.compile("[\0\ud800-\udfff]")
_LISTED = (BlockKind.ITEM, BlockKind.TABLE)


@dataclass(slots=True)
class _Prose:
    """A region that the line grammar reads once the text is whole."""

    start: int
    end: int


class Rendering:
    r"""A text under construction.

    Nested items keep their order: an item is added before what it holds.

    Args:
        name: the file's name, as errors show it.

    >>> rendering = Rendering(name="a.html")
    >>> rendering.add_heading("第一条（目的）", rank=Rank.ARTICLE)
    >>> item = rendering.add_block(BlockKind.ITEM, "２　次に掲げる者", label="２")
    >>> nested = rendering.add_block(BlockKind.ITEM, "一　役員", parent=item, label="一")
    >>> rendering.text, nested.depth
    ('第一条（目的）\n２　次に掲げる者\n一　役員', 2)
    """

    def __init__(self, *, name: str) -> None:
        self._name = name
        self._parts: list[str] = []
        self._length = 0
        self._drafts: list[Draft | _Prose] = []

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._parts)

    def add_heading(
        self,
        text: str,
        *,
        level: int | None = None,
        rank: Rank | None = None,
        is_loose: bool = False,
    ) -> None:
        """Add a heading on a line of its own; the other arguments are those of `HeadingDraft`."""
        shown = " ".join(_clean(text).split("\n"))
        if shown:
            start, end = self._write(shown, "\n\n")
            self._drafts.append(HeadingDraft(start, end, shown, level, rank, is_loose))

    def add_block(
        self, kind: BlockKind, text: str, *, parent: BlockDraft | None = None, label: str = ""
    ) -> BlockDraft:
        """Add a block.

        Args:
            kind: what it is.
            text: its whole text, an item's marker included.
            parent: the item that holds it, None at the top.
            label: an item's marker.
        """
        start, end = self._write(_clean(text, kind), self._gap_before(kind))
        depth = (parent.depth if parent else 0) + (kind is BlockKind.ITEM)
        draft = BlockDraft(kind, start, end, depth, parent, label)
        self._drafts.append(draft)
        return draft

    def add_prose(self, text: str) -> None:
        """Add a paragraph whose lines may be headings and items of the line grammar."""
        start, end = self._write(_clean(text), "\n\n")
        self._drafts.append(_Prose(start, end))

    def finish(
        self,
        *,
        title: str | None,
        stated: dict[str, str],
        full_text: str,
        notes: tuple[str, ...] = (),
    ) -> LoadedDocument:
        """Make the document.

        Args:
            title: None takes the first heading that is not a plain line.
            stated: what the file states about itself.
            full_text: all that the file holds, for screening by keyword.
            notes: what was left out.

        Raises:
            LoadError: there is no text.
        """
        text = self.text
        if not text.strip():
            raise LoadError(
                f"{self._name} holds no text; expected a document: fill it or leave it out"
            )
        outline = build_outline(text, self._read_prose(text))
        if title is None:
            title = outline.sections[0].heading
        title = _clean(" ".join(title.split()))
        return LoadedDocument(
            text=text,
            offsets=None,
            outline=_titled(outline, title),
            stated=stated,
            title=title,
            full_text=full_text,
            notes=notes,
        )

    def _read_prose(self, text: str) -> list[Draft]:
        """The drafts in order, those of prose found by the line grammar."""
        drafts: list[Draft] = []
        reader = LineReader(text, drafts, splits_paragraphs=False)
        for draft in self._drafts:
            if isinstance(draft, _Prose):
                reader.read(draft.start, draft.end)
                continue
            if isinstance(draft, HeadingDraft):
                reader.start_section(draft.text)
            elif draft.kind is BlockKind.ITEM and draft.depth == 1:
                reader.note_item(draft, text[draft.start : draft.end].split("\n", 1)[0])
            drafts.append(draft)
        has_prose = any(isinstance(draft, _Prose) for draft in self._drafts)
        return refine(text, drafts) if has_prose else drafts

    def _gap_before(self, kind: BlockKind) -> str:
        """One line end inside of a list and between rows, a blank line elsewhere."""
        last = self._drafts[-1] if self._drafts else None
        is_listed = isinstance(last, BlockDraft) and last.kind is kind and kind in _LISTED
        return "\n" if is_listed or isinstance(last, HeadingDraft) else "\n\n"

    def _write(self, text: str, gap: str) -> tuple[int, int]:
        if self._length and text:
            self._parts.append(gap)
            self._length += len(gap)
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        if self._length > MAX_RENDERED_CHARS:
            raise LoadError(
                f"{self._name} renders to more than {MAX_RENDERED_CHARS:,} characters; "
                "expected a document: split it"
            )
        return start, self._length


def _clean(text: str, kind: BlockKind = BlockKind.PARAGRAPH) -> str:
    canonical, _ = canonicalise(_NOT_TEXT.sub("\ufffd", text))
    # The indentation of the first line of code is part of it.
    return canonical.strip("\n").rstrip() if kind is BlockKind.CODE else canonical.strip()


def _titled(outline: Outline, title: str) -> Outline:
    document = dataclasses.replace(outline.sections[0], heading=title)
    return Outline((document, *outline.sections[1:]), outline.blocks)
