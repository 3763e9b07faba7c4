"""What an ingest says it did: an operator's output.

It may name files, ids and labels; it never holds text of a document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from ragspine_store.sensitivity import Sensitivity


class Outcome(Enum):
    """What an ingest did with one file."""

    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class IngestedFile:
    """One line of the report.

    Attributes:
        source: the file's path, or the document id of a text given directly.
        outcome: what was done.
        doc_id: '' when the file has none.
        label: the label in force, None when nothing was stored.
        chunks: children written.
        sections, blocks: what the document is made of.
        cut_sections: sections too long for one window, and into how many each was cut.
        message: why a file was refused or skipped.
    """

    source: str
    outcome: Outcome
    doc_id: str = ""
    label: Sensitivity | None = None
    chunks: int = 0
    sections: int = 0
    blocks: int = 0
    cut_sections: Mapping[str, int] = field(default_factory=dict[str, int])
    message: str = ""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did, file by file.

    Attributes:
        files: one line a file, in the order of the input.
        chunker: spec of the chunker, 'none' for the default.
        dry_run: nothing was written.
        erased: nothing of what was raised to RESTRICTED is left in the store's files.
    """

    files: tuple[IngestedFile, ...]
    chunker: str
    dry_run: bool = False
    erased: bool = True

    def count(self, outcome: Outcome) -> int:
        """How many files had this outcome."""
        return sum(file.outcome is outcome for file in self.files)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an ingest is: `done` of `total` files, the next one being `name` ('' at the end)."""

    done: int
    total: int
    name: str
