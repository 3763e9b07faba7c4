"""What a sync is going to do, and what the report says of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragspine_store.ingest_report import IngestedFile, Outcome
from ragspine_store.protocols import KeptSource
from ragspine_store.sensitivity import Sensitivity


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """What a sync does besides ingesting the files that are there.

    Attributes:
        contents: hashes of the bytes of the files that are there, by real path.
        moves: documents whose bytes stand under a new path, by the id they get there.
        paths: those paths, by the same ids.
        floors: by id, the least label of files with the bytes of a document that is gone, was
            written over, or lay elsewhere.
        twins: by id, the label of the documents that are there with the bytes of a new file.
        gone: documents to delete.
        kept: the lines of documents that stay though their files are not there.
    """

    contents: Mapping[str, str] = field(default_factory=dict[str, str])
    moves: Mapping[str, KeptSource] = field(default_factory=dict[str, KeptSource])
    paths: Mapping[str, str] = field(default_factory=dict[str, str])
    floors: Mapping[str, Sensitivity] = field(default_factory=dict[str, Sensitivity])
    twins: Mapping[str, Sensitivity] = field(default_factory=dict[str, Sensitivity])
    gone: Sequence[KeptSource] = ()
    kept: Sequence[IngestedFile] = ()

    def mark(self, line: IngestedFile) -> IngestedFile:
        """The line of a file, saying that it was moved, or that its bytes are known."""
        kept = self.moves.get(line.doc_id)
        if kept is not None:
            outcome = line.outcome if line.outcome is Outcome.REFUSED else Outcome.MOVED
            return dataclasses.replace(line, outcome=outcome, moved_from=kept.doc_id)
        note = self._note(line)
        return dataclasses.replace(line, notes=(*line.notes, note)) if note else line

    def _note(self, line: IngestedFile) -> str:
        if line.label is None or line.outcome is Outcome.UNCHANGED:
            return ""
        floor, twin = self.floors.get(line.doc_id), self.twins.get(line.doc_id)
        if floor is not None and line.label is floor:
            return (
                f"the store knows the same bytes as {floor.name}, so it is labelled no lower: "
                "relabel it if that is not meant"
            )
        if twin is not None and line.label < twin:
            return (
                f"the same bytes are kept as {twin.name} too, and this copy is {line.label.name}: "
                "relabel it unless that is meant"
            )
        return ""
