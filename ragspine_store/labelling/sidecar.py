"""Sidecars: `labels.toml` files that label the documents beside and below them.

Each table of a sidecar is a glob with gitignore semantics, relative to the sidecar's folder:

    ["hr/*.md"]
    sensitivity = "CONFIDENTIAL"
    topic = "personnel"
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeGuard

from pathspec import GitIgnoreSpec

from ragspine_store.document_id import relative_path
from ragspine_store.errors import LabelError
from ragspine_store.labelling.statement import Statement
from ragspine_store.records import META_KEYS
from ragspine_store.sensitivity import parse_label
from ragspine_store.toml_file import read_toml

SIDECAR_NAME = "labels.toml"


@dataclass(frozen=True, slots=True)
class Sidecar:
    """What all sidecars together say of one document.

    Attributes:
        statements: the label of every matching table that states one.
        metadata: the other keys, named as in `DocumentMeta`; the table nearest to the file, and
            among those of one sidecar the last, has won.
    """

    statements: tuple[Statement, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


@dataclass(frozen=True, slots=True)
class _Table:
    glob: GitIgnoreSpec
    statement: Statement | None
    metadata: dict[str, str]


class SidecarReader:
    """Reads the sidecars of the files below one root, each sidecar once.

    Make one for each ingest run, since later changes to a sidecar are not seen.
    """

    def __init__(self, root: Path) -> None:
        self._root = Path(os.path.realpath(root))
        self._tables: dict[Path, list[_Table]] = {}

    def read(self, path: Path) -> Sidecar:
        """What the sidecars in the file's folder and all folders up to the root say of it.

        Raises:
            LabelError: a sidecar is malformed, or holds an unknown key or label, be it in a table
                that matches another file.
            DocumentIdError: the file lies outside of the root.
        """
        relative = relative_path(path, self._root)
        statements: list[Statement] = []
        metadata: dict[str, str] = {}
        for folder in reversed(relative.parents):
            name = unicodedata.normalize("NFC", relative.relative_to(folder).as_posix())
            for table in self._tables_of(self._root / folder):
                if not table.glob.match_file(name):
                    continue
                if table.statement is not None:
                    statements.append(table.statement)
                metadata.update(table.metadata)
        return Sidecar(tuple(statements), metadata)

    def _tables_of(self, folder: Path) -> list[_Table]:
        if folder not in self._tables:
            self._tables[folder] = _read_tables(folder / SIDECAR_NAME)
        return self._tables[folder]


def _read_tables(path: Path) -> list[_Table]:
    # A dangling link is a sidecar that cannot be read, not the absence of one.
    if not os.path.lexists(path):
        return []
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
    return _Table(_compile(glob, source), statement, metadata)


def _compile(glob: str, source: str) -> GitIgnoreSpec:
    try:
        spec = GitIgnoreSpec.from_lines([unicodedata.normalize("NFC", glob)])
    except ValueError:
        spec = GitIgnoreSpec([])
    # A glob that can match nothing would silently lose its label.
    if not any(pattern.include for pattern in spec.patterns):
        raise LabelError(
            f"{source}: this glob matches no file; expected one such as '*.md' or 'hr/**' "
            "(no comment, no negation)"
        )
    return spec
