"""Labels of bytes: what the store knows of files that are new to their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragspine_store.protocols import KeptSource
from ragspine_store.sensitivity import Sensitivity


@dataclass(frozen=True, slots=True)
class Present:
    """A file that is there.

    Attributes:
        doc_id: its id.
        path: its real path.
        hash: of its bytes.
        source, content: what the store calls path and hash.
    """

    doc_id: str
    path: str
    hash: str
    source: str
    content: str


def new_to_their_place(present: Iterable[Present], kept: Iterable[KeptSource]) -> list[Present]:
    """The files whose bytes no document of their place has."""
    held = {(source.source, source.content) for source in kept}
    return [file for file in present if (file.source, file.content) not in held]


def labels_of_bytes(
    new: Sequence[Present], known: Iterable[KeptSource], present: Iterable[Present]
) -> tuple[Mapping[str, Sensitivity], Mapping[str, Sensitivity]]:
    """The strictest labels under which the store knows the bytes of new files, by id.

    However files were renamed, swapped or written over each other, or come from elsewhere, bytes
    keep the strictest label that they had where they are no more, or where nobody looked.

    Args:
        new: files that are new to their place.
        known: all documents with the same bytes.
        present: all files that are there.

    Returns:
        The labels of documents that are not seen to have their file still, which bind; and those
        of documents whose file is there, beside which a copy may have its own.
    """
    here = {(file.source, file.content) for file in present}
    bound: dict[str, Sensitivity] = {}
    beside: dict[str, Sensitivity] = {}
    for source in known:
        labels = beside if (source.source, source.content) in here else bound
        before = labels.get(source.content, source.strictest)
        labels[source.content] = max(before, source.strictest)
    return (
        {file.doc_id: bound[file.content] for file in new if file.content in bound},
        {file.doc_id: beside[file.content] for file in new if file.content in beside},
    )
