"""Stubs on the server: written, relabelled, compared and moved by keyed hashes alone."""

from __future__ import annotations

from collections.abc import Iterable

from neo4j import Record

from ragspine_store.neo4j_store.meta import find_meta, set_meta
from ragspine_store.neo4j_store.transaction import Queries
from ragspine_store.protocols import KeptSource
from ragspine_store.records import Origin
from ragspine_store.sensitivity import Sensitivity, stored_label
from ragspine_store.storage_rules.stub_key import CHECK, StubKey, folder_hash, folder_hashes
from ragspine_store.storage_rules.texts import now


class Stubs:
    """The stubs of a store, inside one write transaction.

    Args:
        queries: runs queries in it.
        key: names the stubs.
    """

    def __init__(self, queries: Queries, key: StubKey) -> None:
        self._queries = queries
        self._key = key
        self._check: str | None = None
        self._found: bool | None = None

    def name(self, text: str) -> str:
        """The keyed hash of an id, a path or a hash.

        Raises:
            StoreFormatError: the key is missing, or is not the one the store was written with.
        """
        if self._check is None:
            self._check = find_meta(self._queries, CHECK)
        return self._key.name(text, self._check, self._keep_check)

    def _keep_check(self, check: str) -> None:
        set_meta(self._queries, CHECK, check)
        self._check = check

    def has_any(self) -> bool:
        """Whether there is any stub; without one no key is needed."""
        if self._found is None:
            row = self._queries.row("has_stubs")
            assert row is not None
            self._found = row["found"]
        return self._found is True

    def find(self, doc_id: str) -> tuple[Sensitivity, bool] | None:
        """The label of a document's stub and whether somebody stated it; None without a stub."""
        if not self.has_any():
            return None
        row = self._queries.row("find_stub", id_hash=self.name(doc_id))
        return None if row is None else (stored_label(row["sensitivity"]), row["is_stated"])

    def is_of_file(self, source_path: str, doc_id: str) -> bool:
        """Whether a stub of another document than this one is that of a file."""
        if not self.has_any():
            return False
        row = self._queries.row(
            "find_stub_of_file",
            source_hash=self.name(source_path),
            id_hash=self.name(doc_id),
        )
        return row is not None and row["found"]

    def is_made_of(self, doc_id: str, inputs: str) -> bool:
        """Whether a document's stub is what an ingest of these inputs left."""
        if not self.has_any():
            return False
        row = self._queries.row("find_stub", id_hash=self.name(doc_id))
        return row is not None and row["inputs_hash"] == self.name(inputs)

    def write(self, doc_id: str, level: Sensitivity, source_path: str, origin: Origin) -> None:
        """Write a document's stub, in place of one that stands there."""
        id_hash = self.name(doc_id)
        self._queries.run(
            "write_stub",
            id_hash=id_hash,
            now=now(),
            properties={
                **self._origin(origin),
                **self._place(id_hash, doc_id, source_path),
                "sensitivity": level.name,
            },
        )
        self._found = True

    def relabel(self, doc_id: str, level: Sensitivity) -> None:
        """Give a document's stub the label that a person states."""
        self._queries.run(
            "relabel_stub", id_hash=self.name(doc_id), sensitivity=level.name, now=now()
        )

    def note_origin(self, doc_id: str, origin: Origin) -> None:
        """Note what a document's stub could as well have been made of."""
        if self.has_any():
            properties = self._origin(origin)
            self._queries.run("set_stub", id_hash=self.name(doc_id), properties=properties)

    def below(self, folder: str, root: str) -> list[KeptSource]:
        """Stubs whose files lay below a folder, with ids relative to a root."""
        if not self.has_any():
            return []
        return [
            _kept(row)
            for row in self._queries.rows("read_stubs")
            if folder_hash(self.name, row["id_hash"], folder, root) in row["folder_hashes"]
        ]

    def of(self, contents: Iterable[str]) -> list[KeptSource]:
        """Stubs of files with one of these hashes of their bytes."""
        if not self.has_any():
            return []
        hashes = [self.name(content) for content in contents]
        return [_kept(row) for row in self._queries.rows("stubs_of", contents=hashes)]

    def move(self, id_hash: str, doc_id: str, source_path: str) -> bool:
        """Name a stub after another place; False without it."""
        new_hash = self.name(doc_id)
        properties = self._place(new_hash, doc_id, source_path)
        row = self._queries.row(
            "rename_stub",
            id_hash=id_hash,
            new_hash=new_hash,
            properties={**properties, "inputs_hash": ""},
        )
        return row is not None

    def delete(self, id_hash: str) -> bool:
        """Remove a stub; whether there was one."""
        row = self._queries.row("delete_stub", id_hash=id_hash)
        self._found = None
        return row is not None and row["removed"] > 0

    def _origin(self, origin: Origin) -> dict[str, object]:
        return {
            "content_hash": self.name(origin.content) if origin.content else "",
            "inputs_hash": self.name(origin.inputs) if origin.inputs else "",
            "is_stated": origin.is_stated,
        }

    def _place(self, id_hash: str, doc_id: str, source_path: str) -> dict[str, object]:
        return {
            "source_hash": self.name(source_path) if source_path else "",
            "folder_hashes": folder_hashes(self.name, id_hash, doc_id, source_path),
        }


def _kept(row: Record) -> KeptSource:
    label = stored_label(row["sensitivity"])
    return KeptSource(row["id_hash"], "", "", row["source_hash"], row["content_hash"], label, label)
