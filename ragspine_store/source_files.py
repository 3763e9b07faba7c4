"""Which files an ingest reads: walking folders, and the root each id is relative to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ragspine_store.document_id import default_root
from ragspine_store.errors import DocumentIdError
from ragspine_store.labelling import is_sidecar_name
from ragspine_store.loading import known_suffixes


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to ingest.

    Attributes:
        path: as given, or as found in a folder.
        root: the folder its id is relative to.
        is_required: whether a problem with it is a fault: the user named the file itself, or it is
            a folder whose files were to be read.
        problem: why it cannot be ingested, '' when it can.
    """

    path: Path
    root: Path
    is_required: bool
    problem: str = ""


def find_files(inputs: Iterable[Path], root: Path | None) -> list[SourceFile]:
    """List the files of the inputs: each once, folders in the order of their names.

    Hidden files and folders and sidecars are left out; links to folders are not followed. A folder
    that cannot be read is listed with its problem, behind the files that could be.

    Args:
        inputs: files and folders.
        root: the folder ids are relative to; None takes the default of each input.

    Raises:
        DocumentIdError: the root is no folder.
    """
    if root is not None and not root.is_dir():
        raise DocumentIdError(f"no such folder {str(root)!r}; expected the root of document ids")
    found: dict[str, SourceFile] = {}
    for given in inputs:
        problem = _missing(given)
        if problem:
            found.setdefault(str(given), SourceFile(given, given.parent, True, problem))
            continue
        file_root = Path(os.path.realpath(root)) if root else default_root(given)
        unreadable: list[OSError] = []
        for path in _files_below(given, unreadable) if given.is_dir() else [given]:
            file = SourceFile(path, file_root, path is given, _problem(path))
            found.setdefault(os.path.realpath(path), file)
        for error in unreadable:
            folder = Path(error.filename)
            file = SourceFile(folder, file_root, True, _unreadable(error))
            found.setdefault(os.path.realpath(folder), file)
    return list(found.values())


def iter_folders(inputs: Iterable[Path]) -> Iterator[Path]:
    """The folders whose files an ingest of the inputs reads: those given and all below them."""
    for given in inputs:
        if not _missing(given) and given.is_dir():
            yield from (folder for folder, _ in _walk(given, []))


def _files_below(folder: Path, unreadable: list[OSError]) -> Iterator[Path]:
    for parent, names in _walk(folder, unreadable):
        for name in names:
            if not name.startswith(".") and not is_sidecar_name(name):
                yield parent / name


def _walk(folder: Path, unreadable: list[OSError]) -> Iterator[tuple[Path, list[str]]]:
    """Each folder and the names of its files, in the order of their names.

    Args:
        folder: where to begin.
        unreadable: receives an error for each folder that cannot be read.
    """
    for parent, folders, names in os.walk(folder, onerror=unreadable.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield Path(parent), sorted(names)


def _missing(path: Path) -> str:
    try:
        path.stat()
    except OSError as error:
        return f"{str(path)!r} does not exist ({error.strerror}); expected a file or folder"
    except ValueError:
        return f"{str(path)!r} holds a NUL character; expected a file or folder"
    return ""


def _unreadable(error: OSError) -> str:
    return (
        f"the folder {error.filename!r} cannot be read ({error.strerror}), nor any file in it; "
        "expected a readable folder: mend its permissions, or leave it out"
    )


def _problem(path: Path) -> str:
    problem = _missing(path)
    if problem:
        return problem
    if not path.is_file():
        return f"{str(path)!r} is no regular file; expected a file or folder"
    if path.suffix.casefold() not in known_suffixes():
        return (
            f"no loader reads {path.suffix or 'files without a suffix'}; expected one of "
            f"{', '.join(known_suffixes())}"
        )
    return ""
