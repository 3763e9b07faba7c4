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
        is_named: whether the user named the file itself rather than a folder above it.
        problem: why it cannot be ingested, '' when it can.
    """

    path: Path
    root: Path
    is_named: bool
    problem: str = ""


def find_files(inputs: Iterable[Path], root: Path | None) -> list[SourceFile]:
    """List the files of the inputs: each once, folders in the order of their names.

    Hidden files and folders and sidecars are left out; links to folders are not followed.

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
        for path in _files_below(given) if given.is_dir() else [given]:
            file = SourceFile(path, file_root, path is given, _problem(path))
            found.setdefault(os.path.realpath(path), file)
    return list(found.values())


def iter_folders(inputs: Iterable[Path]) -> Iterator[Path]:
    """The folders whose files an ingest of the inputs reads: those given and all below them."""
    for given in inputs:
        if not _missing(given) and given.is_dir():
            yield from (folder for folder, _ in _walk(given))


def _files_below(folder: Path) -> Iterator[Path]:
    for parent, names in _walk(folder):
        for name in names:
            if not name.startswith(".") and not is_sidecar_name(name):
                yield parent / name


def _walk(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """Each folder and the names of its files, in the order of their names."""
    for parent, folders, names in os.walk(folder):
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
