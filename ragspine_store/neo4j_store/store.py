"""`Neo4jStore`: the store on a Neo4j server."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Literal, Self

from ragspine_store.errors import StoreError, StoreLockedError
from ragspine_store.neo4j_store import schema
from ragspine_store.neo4j_store.connection import Connection
from ragspine_store.neo4j_store.exploration import ServerEngine
from ragspine_store.neo4j_store.meta import ERASURE_PENDING, find_meta
from ragspine_store.neo4j_store.reading import ReadTransaction
from ragspine_store.neo4j_store.writing import WriteTransaction
from ragspine_store.storage_rules.stub_key import StubKey
from ragspine_store.words import WordsName, describe_words, words_named

# The two full-text indexes, of which one is in use: how each is made and removed.
_INDEXES = {
    "ragspine_tokens": ("schema_tokens", "drop_tokens_index"),
    "ragspine_other_tokens": ("make_other_tokens_index", "drop_other_tokens_index"),
}
_DROP_TIMEOUT_S = 30.0


class Neo4jStore:
    """Keeps documents, their children and the index over them on a Neo4j server.

    Args:
        uri: such as `neo4j://host:7687` or `bolt://host:7687`, without credentials.
        username, password: None for a server that asks for none.
        database: its name; None for the user's own.
        restricted_at_rest: whether a RESTRICTED document is kept as a stub or with its text.
        stub_key: names the stubs; without it no stub can be written or read.
        words: what is indexed beside bigrams; None for what the store is indexed with.

    Raises:
        StoreUnavailableError: the address cannot be used.
    """

    def __init__(
        self,
        uri: str,
        *,
        username: str | None = None,
        password: str | None = None,
        database: str | None = None,
        restricted_at_rest: Literal["stub", "text"] = "stub",
        stub_key: bytes | None = None,
        words: WordsName | None = None,
    ) -> None:
        self._words: WordsName | None = words
        self._connection = Connection(uri, username=username, password=password, database=database)
        self._keeps_text = restricted_at_rest == "text"
        self._stub_key = StubKey(stub_key, None)

    def exists(self) -> bool:
        """Whether a store was made on the server; nothing is created.

        Raises:
            StoreFormatError: it was written by a newer version.
            StoreUnavailableError: the server does not answer, or does not let this user in.
        """
        return schema.find_version(self._connection) is not None

    def init_schema(self) -> None:
        """Create constraints and indexes; running it again changes nothing.

        An erasure that was cut short is completed.

        Raises:
            StoreFormatError: the store was written by a newer version.
            StoreUnavailableError: the server does not answer, or does not let this user in.
            WordsError: it is indexed with other words, or what finds them is missing.
        """
        schema.init_schema(self._connection, self._words)
        # A user who may not change indexes leaves it to the next.
        with suppress(StoreError):
            self.erase()

    @property
    def words(self) -> WordsName:
        """What is indexed beside bigrams."""
        return words_named(schema.find_words(self._connection))

    def index_anew(self, words: WordsName | None = None) -> None:
        """Make all index entries anew.

        Args:
            words: what is indexed beside bigrams from now on; None for what was until now.

        Raises:
            WordsError: what finds them is missing.
        """
        described = describe_words(words or self.words)
        with self._connection.writing() as opened:
            schema.index_anew(opened, described)

    @contextmanager
    def reading(self) -> Generator[ReadTransaction]:
        """Open a read transaction: documents as they are now, none that changes meanwhile."""
        with self._connection.reading() as opened:
            yield ReadTransaction(opened)

    @contextmanager
    def writing(self) -> Generator[WriteTransaction]:
        """Open a write transaction; call `erase` once after the last of several.

        Raises:
            StoreLockedError: another process kept the write lock for longer than the bounded wait.
        """
        with self._connection.writing() as opened:
            yield WriteTransaction(opened, keeps_text=self._keeps_text, stub_key=self._stub_key)

    def erase(self) -> bool:
        """Erase from the index what was deleted, or raised to RESTRICTED.

        Makes the index anew beside the old one, so one call serves any number of changes; without
        such a change it does nothing. What a server keeps in its own files besides, such as its
        log of transactions, goes when the server reuses or prunes it.

        Returns:
            Whether nothing is left in the index; False when a reader still uses the old one.
        """
        with self._connection.reading() as opened:
            pending, current = find_meta(opened.queries, ERASURE_PENDING), opened.index
        if pending is None:
            return True
        (other,) = _INDEXES.keys() - {current}
        make, drop_other = _INDEXES[other]
        self._connection.run_alone(drop_other)
        self._connection.run_alone(make)
        self._connection.run_alone("await_indexes")
        with self._connection.writing() as opened:
            opened.queries.run("use_index", index=other)
        try:
            self._connection.run_alone(_INDEXES[current][1], timeout_s=_DROP_TIMEOUT_S)
        except StoreLockedError:
            return False
        with self._connection.writing() as opened:
            # Only what stood there before: another process may have added to it since.
            opened.queries.run("forget_meta", key=ERASURE_PENDING, value=pending)
        return True

    def query_engine(self) -> ServerEngine:
        """What runs Cypher that people ask; see `CypherServer`."""
        return ServerEngine(self._connection.uri, self._connection.read_session)

    def close(self) -> None:
        """Close the connections."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
