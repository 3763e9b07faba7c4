"""`ChunkStore`: the embedded store of record, one SQLite file."""

from __future__ import annotations

import secrets
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, Self

from ragspine_store.errors import StoreError
from ragspine_store.records import StoredChunk
from ragspine_store.sqlite_store import schema
from ragspine_store.sqlite_store.connection import Connection
from ragspine_store.sqlite_store.indexing import merge_segments
from ragspine_store.sqlite_store.meta import WORDS, count_change, find_meta
from ragspine_store.sqlite_store.reading import ReadTransaction, stored_chunks
from ragspine_store.sqlite_store.stubs import StoreStubKey
from ragspine_store.sqlite_store.vectors.search import VectorSearch
from ragspine_store.sqlite_store.writing import ERASURE_PENDING, WriteTransaction
from ragspine_store.storage_rules.stub_key import key_file
from ragspine_store.words import WordsName, describe_words, words_named


class ChunkStore:
    """Keeps documents, their children and the index over them in one SQLite file.

    Args:
        db_path: the file; created when it does not exist.
        restricted_at_rest: whether a RESTRICTED document is kept as a stub or with its text.
        stub_key: names the stubs; None uses the file `{db_path}.key`.
        words: what is indexed beside bigrams; None for what the file is indexed with.

    Raises:
        StoreFormatError: the file cannot be opened, or is no store.

    >>> with ChunkStore(":memory:") as store:
    ...     store.init_schema()
    """

    def __init__(
        self,
        db_path: str | Path,
        *,
        restricted_at_rest: Literal["stub", "text"] = "stub",
        stub_key: bytes | None = None,
        words: WordsName | None = None,
    ) -> None:
        self._words: WordsName | None = words
        path = Path(db_path)
        self._connection = Connection(path)
        self._vectors = VectorSearch()
        self._keeps_text = restricted_at_rest == "text"
        if stub_key is None and path.name == ":memory:":
            stub_key = secrets.token_bytes(32)
        self._stub_key = StoreStubKey(stub_key, key_file(path))

    def init_schema(self) -> None:
        """Create the tables, or add what a file from before the record lacks.

        Additive: one `ALTER TABLE ADD COLUMN` for each missing column, nothing is rebuilt, and
        running it again changes nothing. An erasure that was cut short is completed.

        Raises:
            StoreFormatError: the file belongs to another program, or to a newer version.
            StoreLockedError: another process is writing.
            WordsError: it is indexed with other words, or what finds them is missing.
        """
        with self._connection.reading() as db:
            is_current = schema.is_current(db, self._words)
        if not is_current:
            self._connection.keep_log()
            with self._connection.writing() as db:
                schema.init_schema(db, self._words)
        # A reader that cannot write, or finds another process writing, leaves it to the next.
        with suppress(StoreError):
            self.erase()

    @property
    def words(self) -> WordsName:
        """What is indexed beside bigrams."""
        with self._connection.reading() as db:
            return words_named(find_meta(db, WORDS) or "")

    def index_anew(self, words: WordsName | None = None) -> None:
        """Make all index entries anew.

        Args:
            words: what is indexed beside bigrams from now on; None for what was until now.

        Raises:
            WordsError: what finds them is missing.
        """
        described = describe_words(words or self.words)
        with self.writing() as _, self._connection.reading() as db:
            schema.index_anew(db, described)

    @contextmanager
    def reading(self) -> Generator[ReadTransaction]:
        """Open a read transaction: hits, labels and windows of one state of the store."""
        with self._connection.reading() as db:
            yield ReadTransaction(db, self._vectors)

    @contextmanager
    def writing(self) -> Generator[WriteTransaction]:
        """Open a write transaction; call `erase` once after the last of several.

        Raises:
            StoreLockedError: another process kept the write lock for longer than the bounded wait.
        """
        try:
            with self._connection.writing() as db:
                before = db.total_changes
                yield WriteTransaction(db, keeps_text=self._keeps_text, stub_key=self._stub_key)
                if db.total_changes != before:
                    count_change(db)
        except BaseException:
            # A read inside of it may have seen what never was.
            self._vectors.forget()
            raise

    def erase(self) -> bool:
        """Erase from index, file and log what was deleted, or raised to RESTRICTED.

        Rewrites the file, so one call serves any number of changes; without such a change it
        does nothing.

        Returns:
            Whether nothing is left; False when another process still reads an older state.
        """
        with self._connection.reading() as db:
            pending = find_meta(db, ERASURE_PENDING)
        if pending is None:
            return True
        with self._connection.writing() as db:
            merge_segments(db)
        if not self._connection.erase_free_space():
            return False
        with self._connection.writing() as db:
            # Only what stood there before: another process may have added to it since.
            db.execute(
                "DELETE FROM store_meta WHERE key = ? AND value = ?", (ERASURE_PENDING, pending)
            )
        return True

    def iter_chunks(self, doc_id: str | None = None) -> list[StoredChunk]:
        """All current rows, whatever their label, by document id and position; operators only."""
        with self._connection.reading() as db:
            return stored_chunks(db, doc_id)

    def count(self) -> int:
        """How many current rows there are, whatever their label; operators only."""
        with self._connection.reading() as db:
            return db.execute("SELECT COUNT(*) FROM current_chunk").fetchone()[0]

    def close(self) -> None:
        """Release the file."""
        self._connection.close()
        self._vectors.forget()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
