"""Which item holds which, by where their markers stand and how they are written."""

from __future__ import annotations

from dataclasses import dataclass

from ragspine_store.loading.markers import Marker, is_next
from ragspine_store.loading.outline import BlockDraft

_TOLERANCE = 3.0  # points
_MAX_DEPTH = 40


@dataclass(frozen=True, slots=True)
class _OpenItem:
    draft: BlockDraft
    marker: Marker
    left: float
    text_left: float


class Nesting:
    """The items that are open, from the outermost in."""

    def __init__(self) -> None:
        self._items: list[_OpenItem] = []

    def clear(self) -> None:
        """Forget all, since a heading stands here."""
        self._items = []

    def open(self, draft: BlockDraft, marker: Marker, left: float, text_left: float) -> None:
        """Open an item and set what holds it.

        Markers of one style in one place are one list. A marker further in is held by the item
        before it. In the same place, a new style of numbers is held too, as people write
        ２, （１）, ア without indenting; a bullet is not.
        """
        marker = self._read(marker)
        beside = [
            i
            for i, item in enumerate(self._items)
            if item.marker.style == marker.style and abs(item.left - left) <= _TOLERANCE
        ]
        if beside:
            # What held the one before holds this one too.
            del self._items[beside[-1] :]
        else:
            while self._items and not self._holds(self._items[-1], marker, left):
                self._items.pop()
        del self._items[_MAX_DEPTH:]
        draft.parent = self._items[-1].draft if self._items else None
        draft.depth = 1 if draft.parent is None else draft.parent.depth + 1
        self._items.append(_OpenItem(draft, marker, left, text_left))

    def hold(self, draft: BlockDraft, left: float) -> None:
        """Put what is indented like an item's text into that item; leave the others."""
        while self._items and self._items[-1].text_left > left + _TOLERANCE:
            self._items.pop()
        if self._items and self._items[-1].text_left > self._items[-1].left:
            draft.parent = self._items[-1].draft
            draft.depth = draft.parent.depth

    def _read(self, marker: Marker) -> Marker:
        """The marker, read so that it goes on with a list that is open: (i) may follow (h)."""
        readings = marker.readings()
        going_on = (
            reading
            for reading in readings
            for item in self._items
            if item.marker.style == reading.style and is_next(item.marker.numbers, reading.numbers)
        )
        return next(going_on, readings[0])

    def _holds(self, item: _OpenItem, marker: Marker, left: float) -> bool:
        if left > item.left + _TOLERANCE:
            return True
        return (
            left >= item.left - _TOLERANCE
            and marker.is_first
            and not marker.is_bullet
            and not item.marker.is_bullet
            and (item.marker.style != marker.style)
        )
