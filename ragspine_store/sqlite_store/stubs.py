"""Stubs: all that is kept of a RESTRICTED document by default.

A stub is keyed hashes of the document's id, of its file's path, folders and bytes, a label and a
time; no name and no text. Without the key nobody can tell which document it stands for, so the key
is kept apart: in `RAGSPINE_STUB_KEY`, or beside the store in a file that only its owner reads.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sqlite3
from pathlib import Path

from ragspine_store.errors import StoreFormatError
from ragspine_store.sqlite_store.meta import find_meta, set_meta

KEY_VARIABLE = "RAGSPINE_STUB_KEY"

_CHECK = "stub_key_check"


class StubKey:
    """The key that names stubs.

    Args:
        given: the key, when configuration states one.
        path: the file that keeps it otherwise; created when a key is first needed.
    """

    def __init__(self, given: bytes | None, path: Path) -> None:
        self._key = given
        self._path = path

    def name(self, db: sqlite3.Connection, text: str) -> str:
        """The keyed hash of an id or path, for the store that a write transaction is open on.

        The first use makes a key, unless one is given, and keeps a check value of it in the store.

        Raises:
            StoreFormatError: the key is missing, or is not the one the store was written with.
        """
        expected = find_meta(db, _CHECK)
        if self._key is None:
            self._key = self._load(may_make=expected is None)
        check = self._hash("the stub key of this store")
        if expected is None:
            set_meta(db, _CHECK, check)
        elif not hmac.compare_digest(check, expected):
            raise StoreFormatError(
                f"the stub key given is not the one this store was written with: expected that of "
                f"{KEY_VARIABLE} or {self._path} as it was then; restore it"
            )
        return self._hash(text)

    def _hash(self, text: str) -> str:
        assert self._key is not None
        return hmac.new(
            self._key, text.encode("utf-8", "surrogatepass"), hashlib.sha256
        ).hexdigest()

    def _load(self, *, may_make: bool) -> bytes:
        if self._path.exists():
            return self._read()
        if not may_make:
            raise StoreFormatError(
                f"the store holds stubs but their key is missing: expected {self._path} or the "
                f"variable {KEY_VARIABLE}; restore it from a backup, since without it nobody can "
                "tell a withheld document from a new one"
            )
        return self._make()

    def _read(self) -> bytes:
        try:
            key = bytes.fromhex(self._path.read_text(encoding="ascii").strip())
        except ValueError:
            key = b""
        if not key:
            raise StoreFormatError(
                f"{self._path} holds no key: expected hexadecimal digits; restore it, or set "
                f"{KEY_VARIABLE}"
            )
        return key

    def _make(self) -> bytes:
        key = secrets.token_bytes(32)
        draft = self._path.with_name(self._path.name + ".new")
        draft.unlink(missing_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(key.hex())
        draft.replace(self._path)
        return key
