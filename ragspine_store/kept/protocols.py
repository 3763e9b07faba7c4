"""What a backend offers for a copy: all that it keeps, read and written as values.

A copy goes by an operator's hand. Nothing of it passes an exit, and nothing of it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from ragspine_store.kept.documents import KeptDocument, KeptStub
from ragspine_store.kept.logs import KeptLogs
from ragspine_store.kept.relations import KeptProfile, KeptRelations


class KeptReader(Protocol):
    """All that one read transaction sees, RESTRICTED or not."""

    def document_ids(self) -> list[str]:
        """Ids of all documents of which more than a stub is kept, in order of code points."""
        ...

    def document(self, doc_id: str) -> KeptDocument | None:
        """A document, in a constant number of statements; None when it is gone."""
        ...

    def relations(self, doc_id: str) -> KeptRelations:
        """What the graph keeps of a document, in a constant number of statements.

        An edge or reference that names a section or child which is not there is left out: nobody
        can see it, and it goes with the next change.
        """
        ...

    def stubs(self) -> Iterator[KeptStub]:
        """All stubs by the hash of their id."""
        ...

    def profile(self) -> KeptProfile:
        """What the graph keeps that is no document's own."""
        ...

    def logs(self) -> KeptLogs:
        """The logs."""
        ...

    def key_check(self) -> str:
        """The check value of the key that names stubs; '' when none was used so far."""
        ...

    def unfinished_copy(self) -> str:
        """Of which store a copy was begun here and not finished; '' for none."""
        ...


class KeptWriter(Protocol):
    """Writes what another store keeps, inside one write transaction.

    In this order, since later values name what earlier ones are: logs, documents, relations of
    documents, profile.
    """

    @property
    def keeps_text(self) -> bool:
        """Whether a RESTRICTED document keeps its text here."""
        ...

    def name(self, text: str) -> str:
        """The keyed hash of an id, a path or a hash.

        Raises:
            StoreFormatError: the key is missing, or is not the one the store was written with.
        """
        ...

    def begin_copy(self, source: str, key_check: str) -> None:
        """Note that a copy of a store begins, and that its stubs are named by the same key.

        Raises:
            StoreFormatError: the key of this store is another one, or missing.
        """
        ...

    def finish_copy(self) -> None:
        """Note that the copy is complete."""
        ...

    def write_document(self, document: KeptDocument) -> None:
        """Write a document as it is; nothing stands under its id."""
        ...

    def clear_relations(self, doc_id: str) -> None:
        """Remove what the graph keeps of a document."""
        ...

    def write_relations(self, relations: KeptRelations) -> None:
        """Write what the graph keeps of a document, of which it keeps nothing."""
        ...

    def clear_profile(self) -> None:
        """Remove what the graph keeps that is no document's own."""
        ...

    def write_profile(self, profile: KeptProfile) -> None:
        """Write what the graph keeps that is no document's own; it keeps none."""
        ...

    def write_stubs(self, stubs: Sequence[KeptStub]) -> None:
        """Write stubs, each in place of one of its name."""
        ...

    def remove_stub(self, id_hash: str) -> None:
        """Remove a stub."""
        ...

    def append_logs(self, logs: KeptLogs) -> None:
        """Append to the logs."""
        ...
