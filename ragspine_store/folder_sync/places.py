"""What stands in the folders of a sync, and what of a store has no file there any more."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import NoReturn

from ragspine_store.document_id import id_of
from ragspine_store.errors import DocumentIdError, SyncError
from ragspine_store.protocols import KeptSource
from ragspine_store.source_files import SourceFile

_LINKED = (
    "a link stands in the place of its file, so it stays: put the file back, or delete the document"
)
_UNUSABLE = (
    "what stands in the place of its file cannot be ingested, so it stays: put the file back, or "
    "remove what stands there"
)
_OTHER_ROOT = (
    "its file is gone, and its id is relative to another root, so it stays: sync with the --root "
    "that it was ingested with, or delete the document"
)


@dataclass(frozen=True, slots=True)
class Tree:
    """All that stands below one folder.

    Attributes:
        folder: as given.
        real: its real path.
        root: the real path of the folder that ids are relative to.
        files: the real paths of all files, hidden ones too, without links.
        links: the paths of all links, to files, to folders and to nothing.
    """

    folder: Path
    real: str
    root: str
    files: Sequence[str]
    links: Sequence[str]

    @property
    def looks_empty(self) -> bool:
        """Whether it holds nothing but hidden files."""
        return all(Path(path).name.startswith(".") for path in (*self.files, *self.links))


def read_tree(folder: Path, root: Path) -> Tree:
    """List what stands below a folder.

    Raises:
        SyncError: it is no folder, or it or one below it cannot be read.
    """
    if not folder.is_dir():
        raise SyncError(f"no such folder {str(folder)!r}; expected the folders to sync")
    real = os.path.realpath(folder)
    files: list[str] = []
    links: list[str] = []
    for parent, folders, names in os.walk(real, onerror=_refuse_unreadable):
        paths = [str(Path(parent, name)) for name in names]
        files += (path for path in paths if not Path(path).is_symlink())
        links += (path for path in paths if Path(path).is_symlink())
        links += (path for name in folders if Path(path := str(Path(parent, name))).is_symlink())
    return Tree(folder, real, os.path.realpath(root), files, links)


class Places:
    """Where the documents of the folders may still have their files.

    Args:
        trees: what stands in the folders.
        sources: what an ingest of them reads.
        alias: names a path as the store does.
    """

    def __init__(
        self, trees: Sequence[Tree], sources: Iterable[SourceFile], alias: Callable[[str], str]
    ) -> None:
        self._files = {alias(path) for tree in trees for path in tree.files}
        self._unusable = {
            alias(str(Path(os.path.realpath(source.path.parent), source.path.name)))
            for source in sources
            if source.problem and not source.path.is_symlink()
        }
        reals = tuple(tree.real + os.sep for tree in trees)
        links = [link for tree in trees for link in tree.links if not _leads_into(link, reals)]
        self._links = {alias(link) for link in links}
        self.folder_links = [link for link in links if not Path(link).is_file()]
        """Links in whose place a folder may have stood, and which lead out of all folders."""

    def reason_to_keep(self, kept: KeptSource, root: str, linked: Iterable[str]) -> str | None:
        """Why a document stays: '' when its file is there; None when it is to be deleted.

        Args:
            kept: the document.
            root: the real path that ids are relative to.
            linked: keys of the documents below what is a link now.
        """
        if kept.source in self._unusable:
            return _UNUSABLE
        if kept.source in self._files:
            return ""
        if kept.source in self._links or kept.key in linked:
            return _LINKED
        if not _is_gone(kept):
            return ""
        return None if _is_of(kept, root) else _OTHER_ROOT


def _leads_into(link: str, reals: tuple[str, ...]) -> bool:
    """Whether what a link leads to is read anyway, as what it is there."""
    real = os.path.realpath(link)
    return real.startswith(reals) and Path(real).exists()


def _refuse_unreadable(error: OSError) -> NoReturn:
    raise SyncError(
        f"{error.filename!r} cannot be read ({error.strerror}), so nobody can tell which of its "
        "documents are gone; expected a readable folder: mend it, or ingest without --sync"
    ) from None


def _is_of(kept: KeptSource, root: str) -> bool:
    """Whether a document's id is relative to this root; of a stub the store knows."""
    if not kept.doc_id:
        return True
    path = PurePath(kept.source_path)
    try:
        return path.is_relative_to(root) and id_of(path.relative_to(root)) == kept.doc_id
    except DocumentIdError:
        return False


def _is_gone(kept: KeptSource) -> bool:
    """Whether no file is there any more; of a stub the list of all files has told."""
    path = kept.source_path
    if not path:
        return True
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode) or os.path.realpath(path) != path
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError as error:
        _refuse_unreadable(error)
