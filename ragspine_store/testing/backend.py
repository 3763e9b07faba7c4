"""What the suite needs of a backend: stores to open, and a look at the data beside them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Literal

from ragspine_store.protocols import Store
from ragspine_store.relations import Relation
from ragspine_store.sealed import Screened


class Backend(ABC):
    """One empty place for documents.

    All methods but `open_store` look at the data, or change it, without the store under test, so
    that what the store says is checked by an independent hand.

    Attributes:
        restricted_at_rest: what is kept of a RESTRICTED document.
    """

    restricted_at_rest: Literal["stub", "text"]

    @abstractmethod
    def open_store(self) -> Store:
        """Open another store over the same data, its schema in place; the backend closes it."""

    @abstractmethod
    def screened(self, relation: Relation) -> Screened[Relation]:
        """A relation as if the gate had passed it; the gate is not under test here."""

    @abstractmethod
    def totals(self) -> Mapping[str, int]:
        """How many rows or nodes there are of each kind, stubs and index entries included.

        The verdict log is left out: nothing takes from it.
        """

    @abstractmethod
    def occurrences(self, token: str) -> int:
        """How many entries of the index hold the token."""

    @abstractmethod
    def set_chunk_label(self, chunk_id: str, label: str) -> None:
        """Write a label into a child's row, as someone else's program might."""

    @abstractmethod
    def set_section_label(self, doc_id: str, no: int, label: str) -> None:
        """Write a label into a section's row."""

    @abstractmethod
    def set_window_text(self, chunk_id: str, text: str) -> None:
        """Write a window as text into a child's row."""

    @abstractmethod
    def lose_text(self, doc_id: str) -> None:
        """Damage the store: the document's canonical text is gone."""

    @abstractmethod
    def lose_node(self, doc_id: str, no: int) -> None:
        """Damage the store: one node of the document's tree is gone."""

    @abstractmethod
    def statements(self, store: Store, call: Callable[[], object]) -> int:
        """How many statements or queries a call sends through a store that this backend opened."""
