"""One driver, its sessions and its transactions."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal, Protocol

from neo4j import Driver, GraphDatabase, Query, Record, Session, Transaction
from neo4j.api import BookmarkManager

from ragspine_store.errors import StoreError, StoreUnavailableError
from ragspine_store.neo4j_store.faults import TRANSACTION_TIMEOUT_S, translating
from ragspine_store.neo4j_store.transaction import Opened, Queries, schema_row, sent
from ragspine_store.queries import get_query

CONNECT_TIMEOUT_S = 10.0


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
        with (
            translating(self.uri),
            self._session("READ") as session,
            self._here.being(Opened(Queries(session))) as opened,
        ):
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
            transaction, opened = sent(lambda: _lock(session))
            with transaction:
                with self._here.being(opened):
                    yield opened
                if opened.queries.has_changed:
                    opened.queries.run("count_change", state=opened.state)
                transaction.commit()

    def read_session(self) -> Session:
        """A session that only reads, for queries of people; no transaction of ours."""
        return self._session("READ")

    def _session(self, mode: Literal["READ", "WRITE"]) -> Session:
        if self._is_closed:
            raise StoreError(f"{self.uri} was closed: expected an open store; open it again")
        return _sessions_of(self._driver).session(
            database=self._database, default_access_mode=mode, bookmark_manager=self._bookmarks
        )


def _lock(session: Session) -> tuple[Transaction, Opened]:
    """Begin a transaction and take the write lock.

    All writers contend here and nowhere else, so that none of them can deadlock later.
    """
    transaction = session.begin_transaction(timeout=TRANSACTION_TIMEOUT_S)
    try:
        queries = Queries(transaction)
        row = schema_row(queries.row("lock_store"))
    except BaseException:
        transaction.close()
        raise
    queries.has_changed = False  # by the lock alone
    opened = Opened(
        queries, is_writing=True, state=row["state"], index=row["index"], words=row["words"]
    )
    return transaction, opened


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
