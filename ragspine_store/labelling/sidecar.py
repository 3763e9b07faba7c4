"""Sidecars: `labels.toml` files that label the documents beside and below them.

Each table of a sidecar is a glob, relative to the sidecar's folder:

    ["hr/*.md"]
    sensitivity = "CONFIDENTIAL"
    topic = "personnel"

Reading fails closed: what could be meant as a label and would not be read is an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeGuard

from ragspine_store.document_id import relative_path
from ragspine_store.errors import LabelError
from ragspine_store.labelling.glob import Glob
from ragspine_store.labelling.statement import Statement
from ragspine_store.records import META_KEYS
from ragspine_store.sensitivity import parse_label
from ragspine_store.tokenizer import fold
from ragspine_store.toml_file import read_toml

SIDECAR_NAME = "labels.toml"


def is_sidecar_name(name: str) -> bool:
    """Whether a file of this name is a sidecar, or is meant as one.

    >>> is_sidecar_name("Labels.TOML")
    True
    """
    return fold(name) == SIDECAR_NAME


@dataclass(frozen=True, slots=True)
class Sidecar:
    """What all sidecars together say of one document.

    Attributes:
        statements: the label of every matching table, at and below the root, that states one.
        raising: likewise those above the root, and those that match another path, such as a link,
            by which the file was named. They can make a document stricter and nothing else.
        metadata: the other keys, named as in `DocumentMeta`, of tables at and below the root; the
            table nearest to the file, and among those of one sidecar the last, has won.
    """

    statements: tuple[Statement, ...] = ()
    raising: tuple[Statement, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


@dataclass(frozen=True, slots=True)
class _Table:
    source: str
    glob: Glob
    statement: Statement | None
    metadata: dict[str, str]


class SidecarReader:
    """Reads the sidecars of one ingest run, each once: later changes to one are not seen."""

    def __init__(self) -> None:
        self._tables: dict[Path, list[_Table]] = {}
        self._matched: set[str] = set()

    def read(self, path: Path, root: Path) -> Sidecar:
        """What the sidecars in all folders above the file say of it.

        Labels are read up to the root of the file system, so that a file has the same ones from
        wherever it is ingested; other keys up to the root.

        Raises:
            LabelError: a sidecar is malformed, or holds an unknown key or label, be it in a table
                that matches another file; or its name is spelled otherwise.
            DocumentIdError: the file lies outside of the root.
        """
        relative = relative_path(path, root)
        root = Path(os.path.realpath(root))
        real_path = root / relative
        statements: list[Statement] = []
        raising: list[Statement] = []
        metadata: dict[str, str] = {}
        for folder, table in self._matching(real_path):
            is_inside = folder.is_relative_to(root)
            if table.statement is not None:
                (statements if is_inside else raising).append(table.statement)
            if is_inside:
                metadata.update(table.metadata)
        given_path = Path(os.path.normpath(Path.cwd() / path))
        if given_path != real_path:
            matching = self._matching(given_path)
            raising += [table.statement for _, table in matching if table.statement is not None]
        return Sidecar(tuple(statements), tuple(raising), metadata)

    def unmatched(self, folders: Iterable[Path]) -> list[str]:
        """The tables of these folders that state a label and have matched no file so far."""
        unmatched: list[str] = []
        for folder in folders:
            try:
                tables = self._tables_of(Path(os.path.realpath(folder)))
            except LabelError:
                continue  # it has refused every file below it
            unmatched += [
                table.source
                for table in tables
                if table.statement is not None and table.source not in self._matched
            ]
        return unmatched

    def _matching(self, path: Path) -> Iterator[tuple[Path, _Table]]:
        """The tables that match a file with their folders, the outermost first."""
        for folder in reversed(path.parents):
            tables = self._tables_of(folder)
            name = path.relative_to(folder).as_posix() if tables else ""
            for table in tables:
                if table.glob.matches(name):
                    self._matched.add(table.source)
                    yield folder, table

    def _tables_of(self, folder: Path) -> list[_Table]:
        if folder not in self._tables:
            self._tables[folder] = [
                table for name in _sidecar_names(folder) for table in _read_tables(folder / name)
            ]
        return self._tables[folder]


def _sidecar_names(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir() if is_sidecar_name(path.name)]
    except OSError:  # a folder that cannot be listed may hold a file that can be read
        return [SIDECAR_NAME] if os.path.lexists(folder / SIDECAR_NAME) else []


def _read_tables(path: Path) -> list[_Table]:
    if path.name != SIDECAR_NAME:
        raise LabelError(
            f"{str(path)!r} is not read under this name: expected {SIDECAR_NAME!r}, in lower case; "
            "rename it"
        )
    try:
        tables = read_toml(path)
    except ValueError as error:
        raise LabelError(str(error)) from None
    return [_read_table(glob, table, f"{str(path)!r} [{glob!r}]") for glob, table in tables.items()]


def _is_table(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _read_table(glob: str, table: object, source: str) -> _Table:
    if not _is_table(table):
        raise LabelError(f"{source}: a value given; expected a table named by a glob")
    metadata: dict[str, str] = {}
    for key, value in table.items():
        if key not in META_KEYS:
            raise LabelError(
                f"{source}: unknown key {key!r}; expected one of {', '.join(META_KEYS)} "
                "(a glob with a dot needs quotes)"
            )
        if not isinstance(value, str):
            raise LabelError(f"{source}: {key} is not a string; write it in quotes")
        metadata[key] = value
    label = metadata.pop("sensitivity", None)
    statement = None if label is None else Statement(parse_label(label, source=source), source)
    return _Table(source, _parse_glob(glob, source), statement, metadata)


def _parse_glob(glob: str, source: str) -> Glob:
    try:
        return Glob(glob)
    except ValueError as error:
        raise LabelError(
            f"{source}: {error}; expected one such as '*.md' or 'hr/**', relative to the folder of "
            "the sidecar"
        ) from None
