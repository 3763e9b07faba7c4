"""The seam that every loader implements."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ragspine_store.records import LoadedDocument


@runtime_checkable
class Loader(Protocol):
    """Reads one kind of file.

    Third parties register a factory, called without arguments, under the entry point group
    `ragspine.loaders`.
    """

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The endings of the file names it reads, lower case, with their dot."""
        ...

    def load(self, data: bytes, *, name: str) -> LoadedDocument:
        """Read one file.

        Args:
            data: the file's bytes.
            name: the file's name, as errors show it.

        Raises:
            LoadError: the file cannot be read as a document.
        """
        ...
