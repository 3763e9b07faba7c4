"""Stubs: all that is kept of a RESTRICTED document by default.

A stub is a keyed hash of the document id, a label and a time; no name and no text. Without the key
nobody can tell which document it stands for, so the key is kept apart: in `RAGSPINE_STUB_KEY`, or
beside the store in a file that only its owner reads.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from ragspine_store.errors import StoreFormatError

KEY_VARIABLE = "RAGSPINE_STUB_KEY"


class StubKey:
    """The key that names stubs.

    Args:
        given: the key, when configuration states one.
        path: the file that keeps it otherwise; created when a key is first needed.
    """

    def __init__(self, given: bytes | None, path: Path) -> None:
        self._key = given
        self._path = path

    def name(self, doc_id: str, *, create: bool) -> str:
        """The keyed hash of a document id.

        Raises:
            StoreFormatError: there is no key, and `create` is False.
        """
        return hmac.new(self._load(create=create), doc_id.encode(), hashlib.sha256).hexdigest()

    def _load(self, *, create: bool) -> bytes:
        if self._key is None and self._path.exists():
            self._key = self._read()
        if self._key is None:
            if not create:
                raise StoreFormatError(
                    f"the store holds stubs but their key is missing: expected {self._path} or "
                    f"the variable {KEY_VARIABLE}"
                )
            self._key = self._make()
        return self._key

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
