"""One driver, its sessions and transactions; named queries run inside."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, Protocol

from neo4j import Driver, GraphDatabase, Query, Record, Session, Transaction
from neo4j.api import BookmarkManager
from neo4j.exceptions import DriverError, Neo4jError

from ragspine_store.errors import StoreError, StoreFormatError, StoreUnavailableError
from ragspine_store.neo4j_store.faults import TRANSACTION_TIMEOUT_S, translating
from ragspine_store.queries import get_query

CONNECT_TIMEOUT_S = 10.0
_LOCK_RETRIES = 8
_FIRST_PAUSE_S = 0.05


class Queries:
    """Runs named queries in one open transaction.

    Attributes:
        has_changed: whether any of them changed the store.

    Args:
        transaction: the driver's.
    """

    def __init__(self, transaction: Transaction) -> None:
        self.has_changed = False
        self._transaction = transaction

    def rows(self, query: str, /, **values: object) -> list[Record]:
        """The rows of a named query."""
        named = get_query(query)
        result = self._transaction.run(named.text, named.bind(values))
        rows = list(result)
        if result.consume().counters.contains_updates:
            self.has_changed = True
        return rows

    def row(self, query: str, /, **values: object) -> Record | None:
        """The first row of a named query; None without one."""
        return next(iter(self.rows(query, **values)), None)

    def run(self, query: str, /, **values: object) -> None:
        """Run a named query that gives no rows."""
        self.rows(query, **values)


@dataclass(frozen=True, slots=True)
class Opened:
    """An open transaction.

    Attributes:
        queries: runs queries in it.
        state: number of the last change that it sees: documents that changed later are left out.
            For a write, the number that its own changes have.
        index: name of the full-text index in use.
        is_writing: whether it may change anything.
    """

    queries: Queries
    state: int
    index: str
    is_writing: bool


class Connection:
    """A driver shared by the threads of one process, one transaction at a time in each.

    Args:
        uri: such as `neo4j://host:7687`, without credentials.
        username, password: None for a server that asks for none.
        database: its name; None for the user's own.
    """

    def __init__(
        self, uri: str, *, username: str | None, password: str | None, database: str | None
    ) -> None:
        self.uri = uri
        self._database = database
        self._here = _Here()
        with translating(uri):
            try:
                self._driver = _drivers().driver(
                    uri,
                    auth=None if username is None else (username, password or ""),
                    connection_timeout=CONNECT_TIMEOUT_S,
                    connection_acquisition_timeout=60.0,
                    notifications_min_severity="OFF",
                    telemetry_disabled=True,
                    user_agent="ragspine-graph",
                )
            except ValueError as error:
                raise StoreUnavailableError(
                    f"{uri} cannot be used as the address of a server: expected a URL such as "
                    "neo4j://host:7687 or bolt://host:7687"
                ) from error
        # So that whoever writes through this store reads it, on every member of a cluster.
        self._bookmarks = GraphDatabase.bookmark_manager()
        self._is_closed = False

    def close(self) -> None:
        """Close the driver and its connections."""
        self._is_closed = True
        self._driver.close()

    def run_alone(self, query: str, /, *, timeout_s: float = TRANSACTION_TIMEOUT_S) -> list[Record]:
        """Run a named query in a transaction of its own, as changes of the schema have to be."""
        with translating(self.uri), self._session("WRITE") as session:
            return list(session.run(Query(get_query(query).text, timeout=timeout_s)))

    @contextmanager
    def reading(self) -> Generator[Opened]:
        """A read transaction; inside another of the same thread it is part of that one."""
        if self._here.opened is not None:
            yield self._here.opened
            return
        with self._transaction("READ") as transaction:
            queries = Queries(transaction)
            row = self._schema_row(queries.row("find_state"))
            with self._here.being(Opened(queries, row["state"], row["index"], False)) as opened:
                yield opened

    @contextmanager
    def writing(self) -> Generator[Opened]:
        """A write transaction that holds the store's write lock from its first query.

        Raises:
            StoreLockedError: another process kept the lock for longer than the bounded wait.
            StoreError: a transaction is open in this thread.
        """
        if self._here.opened is not None:
            raise StoreError(
                f"{self.uri}: a write begins inside a transaction of the same thread; expected "
                "that one to end first"
            )
        with translating(self.uri), self._session("WRITE") as session:
            transaction, row = self._lock(session)
            with transaction:
                queries = Queries(transaction)
                with self._here.being(Opened(queries, row["state"], row["index"], True)) as opened:
                    yield opened
                if queries.has_changed:
                    queries.run("count_change", state=row["state"])
                transaction.commit()

    def read_session(self) -> Session:
        """A session that only reads, for queries of people; no transaction of ours."""
        return self._session("READ")

    def _lock(self, session: Session) -> tuple[Transaction, Record]:
        """Begin a transaction and take the write lock, again when the server asks for it.

        All writers contend here and nowhere else, so that none of them can deadlock later.
        """
        pause = _FIRST_PAUSE_S
        for left in reversed(range(_LOCK_RETRIES)):
            transaction = session.begin_transaction(timeout=TRANSACTION_TIMEOUT_S)
            try:
                return transaction, self._schema_row(Queries(transaction).row("lock_store"))
            except BaseException as error:
                transaction.close()
                is_transient = isinstance(error, Neo4jError | DriverError) and error.is_retryable()
                if not is_transient or not left:
                    raise
            time.sleep(pause)
            pause *= 2
        raise AssertionError("the last try returns or raises")

    @contextmanager
    def _transaction(self, mode: Literal["READ", "WRITE"]) -> Generator[Transaction]:
        with (
            translating(self.uri),
            self._session(mode) as session,
            session.begin_transaction(timeout=TRANSACTION_TIMEOUT_S) as transaction,
        ):
            yield transaction

    def _session(self, mode: Literal["READ", "WRITE"]) -> Session:
        if self._is_closed:
            raise StoreError(f"{self.uri} was closed: expected an open store; open it again")
        return _sessions_of(self._driver).session(
            database=self._database, default_access_mode=mode, bookmark_manager=self._bookmarks
        )

    def _schema_row(self, row: Record | None) -> Record:
        if row is None:
            raise StoreFormatError(
                f"{self.uri} keeps no store yet: expected one whose schema was created"
            )
        return row


class _Drivers(Protocol):
    """What is used of `GraphDatabase`, with the types that it leaves open."""

    def driver(
        self,
        uri: str,
        *,
        auth: tuple[str, str] | None,
        connection_timeout: float,
        connection_acquisition_timeout: float,
        notifications_min_severity: str,
        telemetry_disabled: bool,
        user_agent: str,
    ) -> Driver: ...


class _Sessions(Protocol):
    """What is used of a driver."""

    def session(
        self,
        *,
        database: str | None,
        default_access_mode: str,
        bookmark_manager: BookmarkManager,
    ) -> Session: ...


class _Here(threading.local):
    """The transaction that is open in this thread."""

    opened: Opened | None = None

    @contextmanager
    def being(self, opened: Opened) -> Generator[Opened]:
        self.opened = opened
        try:
            yield opened
        finally:
            self.opened = None


def _drivers() -> _Drivers:
    return GraphDatabase


def _sessions_of(driver: _Sessions) -> _Sessions:
    return driver
