"""Folder sync: what a store keeps of folders and is not in them any more.

A document whose file is gone is deleted, unless the same bytes stand under a new path: then it is
moved there, and keeps its labels. A folder that cannot be read, or is empty where documents were,
looks like one that is not mounted: nothing is deleted then.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from ragspine_store.document_id import default_root, document_id
from ragspine_store.errors import DocumentIdError, SyncError
from ragspine_store.ingest_report import IngestedFile, Outcome
from ragspine_store.protocols import KeptSource, Store
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.source_files import SourceFile


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """What a sync does besides ingesting the files that are there.

    Attributes:
        moves: documents whose bytes stand under a new path, by the id they get there.
        paths: those paths, by the same ids.
        floors: the least label of files with the bytes of a document that is gone or was written
            over, by id.
        gone: documents to delete.
    """

    moves: Mapping[str, KeptSource] = field(default_factory=dict[str, KeptSource])
    paths: Mapping[str, str] = field(default_factory=dict[str, str])
    floors: Mapping[str, Sensitivity] = field(default_factory=dict[str, Sensitivity])
    gone: Sequence[KeptSource] = ()

    def mark(self, line: IngestedFile) -> IngestedFile:
        """The line of a file, saying so when its document was moved there."""
        kept = self.moves.get(line.doc_id)
        if kept is None:
            return line
        outcome = line.outcome if line.outcome is Outcome.REFUSED else Outcome.MOVED
        return dataclasses.replace(line, outcome=outcome, moved_from=kept.doc_id)


def plan_sync(
    store: Store, folders: Sequence[Path], files: Sequence[SourceFile], root: Path | None
) -> SyncPlan:
    """Compare folders with what a store keeps of them; nothing is written.

    Args:
        store: the store.
        folders: the folders.
        files: what an ingest of them reads.
        root: the folder that ids are relative to; None takes the default of each folder.

    Raises:
        SyncError: one is no folder, cannot be read, or is empty where documents were.
    """
    below = {folder: list(_paths_below(folder)) for folder in folders}
    listed = [os.path.realpath(file.path) for file in files]
    gone: dict[str, KeptSource] = {}
    empty: dict[str, Path] = {}
    known: dict[str, KeptSource] = {}
    hashes = [(doc_id, path, _hash(path)) for doc_id, path in _ids(files)]
    with store.writing() as transaction:
        there = {transaction.alias(path) for paths in (*below.values(), listed) for path in paths}
        for folder, paths in below.items():
            real = os.path.realpath(folder)
            real_root = os.path.realpath(root if root is not None else default_root(folder))
            found = transaction.sources_below(real, real_root)
            known.update((source.key, source) for source in found)
            kept = [source for source in found if _is_of(source, real_root)]
            lost = [source for source in kept if source.source not in there and _is_gone(source)]
            gone.update((source.key, source) for source in lost)
            if all(Path(path).name.startswith(".") for path in paths):
                empty.update((source.key, folder) for source in lost)
        present = [
            _Present(doc_id, path, transaction.alias(path), transaction.alias(content))
            for doc_id, path, content in hashes
            if content
        ]
        new = [file for file in present if transaction.find(file.doc_id) is None]
    plan = _match(gone.values(), [(file.doc_id, file.path, file.content) for file in new])
    floors = _floors(known.values(), present)
    floors = {doc_id: floor for doc_id, floor in floors.items() if doc_id not in plan.moves}
    plan = dataclasses.replace(plan, floors=floors)
    _refuse_unmounted(plan.gone, empty)
    return plan


@dataclass(frozen=True, slots=True)
class _Present:
    """A file that is there: its id, its real path, and what the store calls path and bytes."""

    doc_id: str
    path: str
    source: str
    content: str


def _floors(kept: Iterable[KeptSource], present: Sequence[_Present]) -> dict[str, Sensitivity]:
    """The least label of files that now hold what a document of another place held.

    However files were renamed, swapped or written over each other, bytes keep the strictest label
    that they had where they are no more.
    """
    kept = list(kept)
    held = {(source.source, source.content) for source in kept}
    here = {(file.source, file.content) for file in present}
    displaced: dict[str, Sensitivity] = {}
    for source in kept:
        if source.content and (source.source, source.content) not in here:
            label = displaced.get(source.content, source.strictest)
            displaced[source.content] = max(label, source.strictest)
    return {
        file.doc_id: displaced[file.content]
        for file in present
        if file.content in displaced and (file.source, file.content) not in held
    }


def move_documents(store: Store, plan: SyncPlan, *, dry_run: bool) -> SyncPlan:
    """Move what was moved.

    Returns:
        The plan, with floors for what a dry run did not move and what could not be moved, since
        something else changed the store meanwhile.
    """
    if not plan.moves:
        return plan
    moves = plan.moves
    floors = {doc_id: kept.label if dry_run else kept.strictest for doc_id, kept in moves.items()}
    if not dry_run:
        with store.writing() as transaction:
            moves = {
                doc_id: kept
                for doc_id, kept in moves.items()
                if transaction.move(kept, doc_id, plan.paths[doc_id])
            }
        floors = {doc_id: floor for doc_id, floor in floors.items() if doc_id not in moves}
    return dataclasses.replace(plan, moves=moves, floors={**plan.floors, **floors})


def remove_gone(store: Store, plan: SyncPlan, *, dry_run: bool) -> list[IngestedFile]:
    """Delete what is gone; one line each, without a name where only a stub was kept."""
    gone = list(plan.gone)
    if gone and not dry_run:
        with store.writing() as transaction:
            gone = [kept for kept in gone if transaction.remove(kept)]
    return [
        IngestedFile(kept.source_path, Outcome.DELETED, kept.doc_id, kept.label) for kept in gone
    ]


def _paths_below(folder: Path) -> Iterator[str]:
    """The real paths of all files below a folder, hidden ones too."""
    if not folder.is_dir():
        raise SyncError(f"no such folder {str(folder)!r}; expected the folders to sync")
    for parent, _, names in os.walk(os.path.realpath(folder), onerror=_refuse_unreadable):
        yield from (str(Path(parent, name)) for name in names)


def _refuse_unreadable(error: OSError) -> NoReturn:
    raise SyncError(
        f"{error.filename!r} cannot be read ({error.strerror}), so nobody can tell which of its "
        "documents are gone; expected a readable folder: mend it, or ingest without --sync"
    ) from None


def _is_of(kept: KeptSource, root: str) -> bool:
    """Whether a document's id is relative to this root; of a stub the store knows."""
    if not kept.doc_id:
        return True
    try:
        return document_id(Path(kept.source_path), Path(root)) == kept.doc_id
    except DocumentIdError:
        return False


def _is_gone(kept: KeptSource) -> bool:
    """Whether no file is there any more; of a stub the list of all files has told."""
    if not kept.source_path:
        return True
    try:
        return stat.S_ISDIR(os.lstat(kept.source_path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError as error:
        _refuse_unreadable(error)


def _refuse_unmounted(gone: Iterable[KeptSource], empty: Mapping[str, Path]) -> None:
    """Refuse to delete what was in a folder that is empty now, be it synced or one below that."""
    for kept in gone:
        if kept.key in empty:
            raise SyncError(_looks_unmounted(str(empty[kept.key]), "delete the documents"))
    for parent in sorted({_parent(kept) for kept in gone if kept.source_path}):
        if not any(Path(parent).iterdir()):
            raise SyncError(_looks_unmounted(parent, "remove the empty folder"))


def _looks_unmounted(folder: str, remedy: str) -> str:
    return (
        f"{folder!r} is empty, and documents were ingested from there, so it may not be mounted; "
        f"expected their files: mount it, or, if they are meant to be gone, {remedy}"
    )


def _parent(kept: KeptSource) -> str:
    """The nearest folder above a file that is gone."""
    parents = Path(kept.source_path).parents
    return str(next(parent for parent in parents if parent.is_dir()))


def _ids(files: Iterable[SourceFile]) -> Iterator[tuple[str, str]]:
    """The ids and real paths of the files that can be ingested."""
    for file in files:
        try:
            doc_id = "" if file.problem else document_id(file.path, file.root)
        except DocumentIdError:
            continue
        if doc_id:
            yield doc_id, os.path.realpath(file.path)


def _hash(path: str) -> str:
    """The hash of a file's bytes; '' when it cannot be read, as its line will say."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


def _match(gone: Iterable[KeptSource], new: Iterable[tuple[str, str, str]]) -> SyncPlan:
    """Find what was moved: the same bytes, and where there are several, the same name first."""
    left: dict[str, list[KeptSource]] = {}
    for kept in sorted(gone, key=lambda kept: (-kept.strictest, kept.key)):
        left.setdefault(kept.content or kept.key, []).append(kept)
    moves: dict[str, KeptSource] = {}
    paths: dict[str, str] = {}
    for doc_id, path, content in new:
        group, name = left.get(content), Path(path).name
        if not group:
            continue
        group.sort(key=lambda kept: Path(kept.source_path).name != name)
        moves[doc_id], paths[doc_id] = group.pop(0), path
    return SyncPlan(moves, paths, gone=[kept for group in left.values() for kept in group])
