"""What an ingest says it did: an operator's output.

It may name files, ids and labels; it never holds text of a document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from ragspine_store.sensitivity import Sensitivity


class Outcome(Enum):
    """What an ingest did with one file; `KEPT` is a document that a sync did not dare to delete."""

    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    REFUSED = "refused"
    MOVED = "moved"
    DELETED = "deleted"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class IngestedFile:
    """One line of the report.

    Attributes:
        source: the file's path, or the document id of a text given directly; '' for a document
            that was deleted and of which only a stub was kept.
        outcome: what was done.
        doc_id: '' when the file has none.
        label: the label in force, None when nothing was stored.
        chunks: children written.
        sections, blocks: what the document is made of.
        cut_sections: sections too long for one window, and into how many each was cut.
        message: why a file was refused or skipped, or what was not done.
        chunker_before: spec of another chunker that the document was cut with until now, 'none' for
            the default; '' without one.
        moved_from: the id that a moved document had; '' when only a stub of it is kept.
        is_stated: somebody stated the label, rather than a default standing in.
        is_unembedded: it was refused because no vectors could be made of it.
        notes: what else the operator should know, such as what the loader left out; a phrase each.
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
    chunker_before: str = ""
    moved_from: str = ""
    is_stated: bool = True
    is_unembedded: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did, file by file.

    Attributes:
        files: one line a file, in the order of the input.
        chunker: spec of the chunker, 'none' for the default.
        dry_run: nothing was written.
        erased: nothing of what was raised to RESTRICTED is left in the store's files.
        unmatched: tables of sidecars, in words, that state a label and match no file of the folders
            that were read.
        is_sync: what is not in the folders any more was deleted.
    """

    files: tuple[IngestedFile, ...]
    chunker: str
    dry_run: bool = False
    erased: bool = True
    unmatched: tuple[str, ...] = ()
    is_sync: bool = False

    def count(self, outcome: Outcome) -> int:
        """How many files had this outcome."""
        return sum(file.outcome is outcome for file in self.files)

    @property
    def all_unembedded(self) -> bool:
        """Whether everything that was refused lacked vectors, and nothing was written."""
        refused = [file for file in self.files if file.outcome is Outcome.REFUSED]
        is_nothing_written = not self.count(Outcome.ADDED) and not self.count(Outcome.UPDATED)
        return bool(refused) and is_nothing_written and all(f.is_unembedded for f in refused)

    def unlabelled(self) -> list[str]:
        """Ids of the documents whose label nobody stated, in the order of the files."""
        return [file.doc_id for file in self.files if not file.is_stated]

    def warnings(self) -> list[str]:
        """What the operator should look at, one sentence each."""
        unmatched = [
            f"{table} states a label and matches no file of the folders read: expected a glob "
            "relative to the folder of the sidecar"
            for table in self.unmatched
        ]
        before = Counter(file.chunker_before for file in self.files if file.chunker_before)
        recut = [
            f"{number:,} of the documents, cut with the chunker {_short(spec, self.chunker)} "
            f"before, are cut with {_short(self.chunker, spec)} now: unless that is wanted, ingest "
            "them again with --chunker, and name it in RAGSPINE_CHUNKER or a configuration file"
            for spec, number in sorted(before.items())
        ]
        return unmatched + recut


def _short(spec: str, other: str) -> str:
    """The chunker's name, with its settings when the other one has the same name."""
    name = spec.partition("(")[0]
    return spec if name == other.partition("(")[0] else name


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an ingest is: `done` of `total` files, the next one being `name` ('' at the end)."""

    done: int
    total: int
    name: str
