"""The key that names stubs.

A stub is keyed hashes of the document's id, of its file's path, folders and bytes, a label and a
time; no name and no text. Without the key nobody can tell which document it stands for, so the key
is kept apart: in `RAGSPINE_STUB_KEY`, or beside an embedded store in a file that only its owner
reads. What such a file holds may be given in the variable too, so that a store can be moved to a
server.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Callable
from pathlib import Path, PurePath

from ragspine_store.errors import StoreFormatError

KEY_VARIABLE = "RAGSPINE_STUB_KEY"

CHECK = "stub_key_check"
"""Under this name a store keeps a check value of the key it was written with."""

_HEXADECIMAL = re.compile(rb"([0-9a-f]{2})+")
_CHECKED = "the stub key of this store"

Name = Callable[[str], str]
"""The keyed hash of an id, a path or a hash."""


class StubKey:
    """The key that names stubs.

    Args:
        given: the key, when configuration states one.
        path: the file that keeps it otherwise, created when a key is first needed; None where there
            is no such file, so that the key has to be given.
    """

    def __init__(self, given: bytes | None, path: Path | None) -> None:
        self._key = given
        self._path = path

    def name(self, text: str, check: str | None, keep_check: Callable[[str], None]) -> str:
        """The keyed hash of an id or path, for one store.

        The first use makes a key, unless one is given, and keeps a check value of it in the store.

        Args:
            text: the id or path.
            check: the check value that the store keeps; None for none.
            keep_check: keeps it there.

        Raises:
            StoreFormatError: the key is missing, or is not the one the store was written with.
        """
        if self._key is None:
            self._key = self._load(may_make=check is None)
        if check is None:
            keep_check(_hash(self._key, _CHECKED))
        elif (found := _matching(self._key, check)) is None:
            raise StoreFormatError(
                f"the stub key given is not the one this store was written with: expected that of "
                f"{self._places()} as it was then; restore it"
            )
        else:
            self._key = found
        return _hash(self._key, text)

    @property
    def value(self) -> bytes:
        """The key, once it has named anything."""
        assert self._key is not None
        return self._key

    def _places(self) -> str:
        return KEY_VARIABLE if self._path is None else f"{KEY_VARIABLE} or {self._path}"

    def _load(self, *, may_make: bool) -> bytes:
        if self._path is None:
            raise StoreFormatError(
                f"a RESTRICTED document is kept as a stub, whose key is missing: expected "
                f"{KEY_VARIABLE}; set it to a long random text, the same wherever this store is "
                "written, and keep a copy"
            )
        if self._path.exists():
            return _read(self._path)
        if not may_make:
            raise StoreFormatError(
                f"the store holds stubs but their key is missing: expected {self._path} or the "
                f"variable {KEY_VARIABLE}; restore it from a backup, since without it nobody can "
                "tell a withheld document from a new one"
            )
        return _make(self._path)


def check_same_key(one: str, other: str | None) -> None:
    """See that two stores name their stubs by the same key; one that has used none will do.

    Args:
        one: the check value that a store keeps.
        other: that of the other store.

    Raises:
        StoreFormatError: they are of different keys.
    """
    if other is not None and not hmac.compare_digest(one, other):
        raise StoreFormatError(
            "the two stores name stubs by different keys: expected the same one, from "
            f"{KEY_VARIABLE}, in both; copy into a new store"
        )


def key_file(store: Path) -> Path:
    """The file beside an embedded store that keeps its key unless another one is given."""
    return store.with_name(store.name + ".key")


def find_key(given: bytes | None, path: Path | None, check: str) -> bytes:
    """The key that a store was written with.

    Args:
        given: the key, when configuration states one.
        path: the file that keeps it otherwise; None where there is no such file.
        check: the check value that the store keeps.

    Raises:
        StoreFormatError: the key is missing, or is another one.
    """
    key = StubKey(given, path)
    key.name("", check, lambda _: None)
    return key.value


def keep_key(path: Path, key: bytes) -> None:
    """Keep a key in a file that is not there yet and that only its owner reads."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(key.hex())
    draft.replace(path)


def folder_hashes(name: Name, id_hash: str, doc_id: str, source_path: str) -> list[str]:
    """One hash for each folder from that of a stub's file up to the root."""
    if not source_path:
        return []
    folders = [str(folder) for folder in PurePath(source_path).parents][: doc_id.count("/") + 1]
    return [folder_hash(name, id_hash, folder, folders[-1]) for folder in folders]


def folder_hash(name: Name, id_hash: str, folder: str, root: str) -> str:
    """The hash by which a stub tells that its file lay below a folder.

    Salted by the id: equal folders of two stubs have hashes that differ.
    """
    return name("\0".join((id_hash, root, folder)))


def _read(path: Path) -> bytes:
    try:
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except ValueError:
        key = b""
    if not key:
        raise StoreFormatError(
            f"{path} holds no key: expected hexadecimal digits; restore it, or set {KEY_VARIABLE}"
        )
    return key


def _make(path: Path) -> bytes:
    key = secrets.token_bytes(32)
    keep_key(path, key)
    return key


def _hash(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def _matching(key: bytes, check: str) -> bytes | None:
    """The key of a check value: as given, or given as a key file has it; None for another."""
    written = [bytes.fromhex(key.decode())] if _HEXADECIMAL.fullmatch(key) else []
    for one in (key, *written):
        if hmac.compare_digest(_hash(one, _CHECKED), check):
            return one
    return None
