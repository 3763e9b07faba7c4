"""Which item of a list holds which, over automatic lists and numbers that were typed."""

from __future__ import annotations

from dataclasses import dataclass

from ragspine_store.loading.docx.numbering import Label
from ragspine_store.loading.outline import BlockDraft

_TYPED = ""
_MAX_DEPTH = 40


@dataclass(frozen=True, slots=True)
class _OpenItem:
    """An item that may hold what follows.

    Attributes:
        draft: its block.
        list_id, level: its place in an automatic list.
        start: where its label stands.
        left: where its text stands.
    """

    draft: BlockDraft
    list_id: str
    level: int
    start: int
    left: int


class OpenItems:
    """The items that are open, from the outermost in."""

    def __init__(self) -> None:
        self._items: list[_OpenItem] = []

    def clear(self) -> None:
        """Forget all, since a heading stands here."""
        self._items = []

    def open_labelled(self, draft: BlockDraft, label: Label, start: int, left: int) -> None:
        """Open an item of an automatic list and set what holds it."""
        same = [i for i, item in enumerate(self._items) if item.list_id == label.list_id]
        beside = [i for i in same if self._items[i].level >= label.level]
        if beside:
            del self._items[beside[0] :]
        elif same:
            del self._items[same[-1] + 1 :]
        else:
            self._leave(start)
        self._push(draft, _OpenItem(draft, label.list_id, label.level, start, left))

    def open_typed(self, draft: BlockDraft, start: int) -> None:
        """Open an item whose number was typed; the line grammar may have nested it already.

        In an automatic item it stays only where it does not stand further out.
        """
        holders = [
            i
            for i, item in enumerate(self._items)
            if item.draft is draft.parent and (item.list_id == _TYPED or item.start <= start)
        ]
        if holders:
            del self._items[holders[-1] + 1 :]
        else:
            self._leave(start)
        self._push(draft, _OpenItem(draft, _TYPED, 0, start, start))

    def hold(self, draft: BlockDraft, left: int) -> None:
        """Put what is indented like an item's text into that item; leave the others."""
        while self._items and not 0 < self._items[-1].left <= left:
            self._items.pop()
        if self._items:
            draft.parent = self._items[-1].draft
            draft.depth = draft.parent.depth

    def _leave(self, start: int) -> None:
        while self._items and self._items[-1].start >= start:
            self._items.pop()

    def _push(self, draft: BlockDraft, item: _OpenItem) -> None:
        del self._items[_MAX_DEPTH:]
        draft.parent = self._items[-1].draft if self._items else None
        draft.depth = 1 if draft.parent is None else draft.parent.depth + 1
        self._items.append(item)
