"""One SQLite connection, its settings and its transactions."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from ragspine_store.errors import StoreError, StoreFormatError, StoreLockedError
from ragspine_store.sensitivity import Sensitivity, stored_label
from ragspine_store.tokenizer import normalise

LOCK_TIMEOUT_S = 10.0
_RETRY_S = 0.05


class Connection:
    """A connection shared by the threads of one process, one transaction at a time.

    Writes of other processes are waited for `LOCK_TIMEOUT_S` seconds.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, creating it when it does not exist."""
        self.path = path
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(
                _uri(path),
                timeout=LOCK_TIMEOUT_S,
                isolation_level=None,
                check_same_thread=False,
                uri=True,
            )
        except sqlite3.OperationalError as error:
            raise StoreFormatError(
                f"cannot open {path}: expected a file in an existing, writable folder"
            ) from error
        try:
            # Deleted rows are overwritten, and sorting never spills text into a temporary file.
            for pragma in ("secure_delete = ON", "temp_store = MEMORY", "synchronous = NORMAL"):
                self._db.execute(f"PRAGMA {pragma}")
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise _translated(error, path) from error
        level = lru_cache(maxsize=256)(stored_label)
        self._db.create_function("label_level", 1, level, deterministic=True)
        self._db.create_function("label_name", 1, _label_name, deterministic=True)
        self._db.create_function("fold_heading", 1, fold_heading, deterministic=True)

    def close(self) -> None:
        """Close the connection; the last one to close folds the log into the file."""
        with self._lock:
            self._db.close()

    def keep_log(self) -> None:
        """Write changes to a log beside the file from now on, so that readers never wait.

        SQLite does not wait for others here, so that two who open a new file at once would collide.
        """
        deadline = time.monotonic() + LOCK_TIMEOUT_S
        while True:
            try:
                with self._lock:
                    self._db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.DatabaseError as error:
                translated = _translated(error, self.path)
                if not isinstance(translated, StoreLockedError) or time.monotonic() > deadline:
                    raise translated from error
            time.sleep(_RETRY_S)

    @contextmanager
    def writing(self) -> Generator[sqlite3.Connection]:
        """A transaction that holds the write lock from its first statement.

        Raises:
            StoreLockedError: another process kept the lock for longer than the bounded wait.
            StoreError: a transaction is open in this thread.
        """
        with self._transaction("BEGIN IMMEDIATE") as db:
            yield db

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection]:
        """A transaction whose statements all see the same state of the store.

        Inside another transaction of the same thread it is part of that one.
        """
        with self._transaction("BEGIN", joins=True) as db:
            yield db

    @contextmanager
    def _transaction(self, begin: str, *, joins: bool = False) -> Generator[sqlite3.Connection]:
        with self._lock:
            try:
                if self._db.in_transaction:
                    if not joins:
                        raise StoreError(
                            f"{self.path}: a write begins inside a transaction of the same thread; "
                            "expected that one to end first"
                        )
                    yield self._db
                    return
                self._db.execute(begin)
                try:
                    yield self._db
                    self._db.execute("COMMIT")
                except BaseException:
                    if self._db.in_transaction:
                        self._db.execute("ROLLBACK")
                    raise
            except sqlite3.DatabaseError as error:
                raise _translated(error, self.path) from error

    def erase_free_space(self) -> bool:
        """Rewrite the file without what was deleted and empty the write-ahead log.

        Returns:
            Whether nothing is left; False when another process still reads an older state.
        """
        with self._lock:
            try:
                self._db.execute("VACUUM")
                busy, _, _ = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.OperationalError as error:
                if "locked" in str(error) or "busy" in str(error):
                    return False
                raise _translated(error, self.path) from error
            return not busy


def _uri(path: Path) -> str:
    if path.name == ":memory:":
        return "file::memory:"
    uri = f"file:{quote(str(path.absolute()))}"
    # Beside a file in a folder that cannot be written there is no room for a log, and no need of
    # one, since nobody changes it.
    is_fixed = path.exists() and not os.access(path.parent, os.W_OK)
    return f"{uri}?immutable=1" if is_fixed else uri


def fold_heading(heading: str) -> str:
    """A heading as filters compare it.

    Width, case, kind of white space and the numerals of addresses do not matter.

    >>> fold_heading("第三十八条　年次有給休暇") == fold_heading("第３８条 年次有給休暇")
    True
    """
    return " ".join(normalise(heading).split())


def _label_name(level: int) -> str:
    return Sensitivity(level).name


def can_be_stored(text: str) -> bool:
    """Whether a text is valid Unicode; one with an unpaired surrogate stands in no store."""
    return text == text.encode(errors="ignore").decode()


def _translated(error: sqlite3.DatabaseError, path: Path) -> Exception:
    message = str(error)
    if isinstance(error, sqlite3.ProgrammingError):
        return StoreError(f"{path} was closed: expected an open store; open it again")
    if "locked" in message or "busy" in message:
        return StoreLockedError(
            f"{path} is locked: another process is writing; waited {LOCK_TIMEOUT_S:.0f} s, "
            "expected it to finish: try again"
        )
    if "not a database" in message or "malformed" in message or "encrypted" in message:
        return StoreFormatError(f"{path} is not a readable store: expected a SQLite file")
    if "readonly" in message or "read-only" in message:
        return StoreFormatError(f"{path} cannot be written: expected a writable file and folder")
    return StoreFormatError(f"{path}: SQLite reports {error.sqlite_errorname}")
