"""Comparing folders with what a store keeps of them; nothing is written here."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ragspine_store.document_id import default_root, document_id
from ragspine_store.errors import DocumentIdError, SyncError
from ragspine_store.folder_sync.known_bytes import Present, labels_of_bytes, new_to_their_place
from ragspine_store.folder_sync.places import Places, read_tree
from ragspine_store.folder_sync.plan import SyncPlan
from ragspine_store.ingest_draft import hash_content
from ragspine_store.ingest_report import IngestedFile, Outcome
from ragspine_store.protocols import KeptSource, Store
from ragspine_store.retrying import retried
from ragspine_store.source_files import SourceFile


@retried
def plan_sync(
    store: Store, folders: Sequence[Path], files: Sequence[SourceFile], root: Path | None
) -> SyncPlan:
    """Compare folders with what a store keeps of them.

    Args:
        store: the store.
        folders: the folders.
        files: what an ingest of them reads.
        root: the folder that ids are relative to; None takes the default of each folder.

    Raises:
        SyncError: one is no folder, cannot be read, or is empty where documents were.
    """
    trees = [read_tree(folder, root or default_root(folder)) for folder in folders]
    hashes = [(doc_id, path, content) for doc_id, path in _ids(files) if (content := _hash(path))]
    below: dict[str, KeptSource] = {}
    gone: dict[str, KeptSource] = {}
    kept: dict[str, IngestedFile] = {}
    empty: dict[str, Path] = {}
    with store.writing() as transaction:
        places = Places(trees, files, transaction.alias)
        for tree in trees:
            linked = {
                source.key
                for link in places.folder_links
                for source in transaction.sources_below(link, tree.root)
            }
            for source in transaction.sources_below(tree.real, tree.root):
                below[source.key] = source
                reason = places.reason_to_keep(source, tree.root, linked)
                if reason is None:
                    gone[source.key] = source
                    if tree.looks_empty:
                        empty[source.key] = tree.folder
                elif reason:
                    kept[source.key] = _kept_line(source, reason)
        present = [
            Present(doc_id, path, content, transaction.alias(path), transaction.alias(content))
            for doc_id, path, content in hashes
        ]
        new = new_to_their_place(present, below.values())
        known = transaction.sources_of(file.hash for file in new)
        added = [file for file in new if transaction.find(file.doc_id) is None]
    plan = _match(gone.values(), added)
    floors, twins = labels_of_bytes(new, [*below.values(), *known], present)
    plan = dataclasses.replace(
        plan,
        contents={file.path: file.hash for file in present},
        floors={doc_id: floor for doc_id, floor in floors.items() if doc_id not in plan.moves},
        twins=twins,
        kept=[line for key, line in kept.items() if key not in gone],
    )
    _refuse_unmounted(plan.gone, empty)
    return plan


def _kept_line(kept: KeptSource, reason: str) -> IngestedFile:
    return IngestedFile(kept.source_path, Outcome.KEPT, kept.doc_id, kept.label, message=reason)


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
        return hash_content(Path(path).read_bytes())
    except OSError:
        return ""


def _match(gone: Iterable[KeptSource], added: Iterable[Present]) -> SyncPlan:
    """Find what was moved: the same bytes, and where there are several, the same name first."""
    left: dict[str, list[KeptSource]] = {}
    for kept in sorted(gone, key=lambda kept: (-kept.strictest, kept.key)):
        left.setdefault(kept.content or kept.key, []).append(kept)
    moves: dict[str, KeptSource] = {}
    paths: dict[str, str] = {}
    for file in added:
        group, name = left.get(file.content), Path(file.path).name
        if not group:
            continue
        group.sort(key=lambda kept: Path(kept.source_path).name != name)
        moves[file.doc_id], paths[file.doc_id] = group.pop(0), file.path
    gone = [kept for group in left.values() for kept in group]
    return SyncPlan(moves=moves, paths=paths, gone=gone)
