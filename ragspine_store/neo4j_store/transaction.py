"""What runs inside an open transaction: named queries, of one state of the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from neo4j import Query, Record, Session, Transaction
from neo4j.exceptions import DriverError, Neo4jError

from ragspine_store.errors import StoreFormatError
from ragspine_store.neo4j_store.faults import TRANSACTION_TIMEOUT_S
from ragspine_store.queries import get_query
from ragspine_store.retrying import retrying
from ragspine_store.words import FindWords, find_words_of, words_named

T = TypeVar("T")

_TRIES = 8
_FIRST_PAUSE_S = 0.05


class Queries:
    """Runs named queries in one transaction, or each in one of its own when they only read.

    Attributes:
        has_changed: whether any of them changed the store.

    Args:
        runner: a transaction of the driver's; a session for reads, since a server keeps no state
            for a transaction that reads, and each transaction costs two more round trips.
    """

    def __init__(self, runner: Transaction | Session) -> None:
        self.has_changed = False
        self._runner = runner

    def rows(self, query: str, /, **values: object) -> list[Record]:
        """The rows of a named query."""
        named = get_query(query)
        bound = named.bind(values)
        if isinstance(runner := self._runner, Session):
            text = Query(named.text, timeout=TRANSACTION_TIMEOUT_S)
            return sent(lambda: list(runner.run(text, bound)))
        result = runner.run(named.text, bound)
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


class Opened:
    """An open transaction.

    Attributes:
        queries: runs queries in it.
        is_writing: whether it may change anything.
        words: description of the words that are indexed; '' in a read.

    Args:
        queries: see above.
        is_writing: likewise.
        state: number of the last change that it sees; None to see what there is at first sight.
        index: name of the full-text index in use; None likewise.
        words: description of the words that are indexed.
    """

    def __init__(
        self,
        queries: Queries,
        *,
        is_writing: bool = False,
        state: int | None = None,
        index: str | None = None,
        words: str = "",
    ) -> None:
        self.words = words
        self.queries = queries
        self.is_writing = is_writing
        self._state = state
        self._index = index

    @property
    def find_words(self) -> FindWords | None:
        """What finds the words that children are indexed with; only a write has to know."""
        return find_words_of(words_named(self.words))

    @property
    def state(self) -> int:
        """Number of the last change that it sees: documents that changed later are left out.

        For a write, the number that its own changes have.
        """
        if self._state is None:
            self._look()
        assert self._state is not None
        return self._state

    @property
    def index(self) -> str:
        """Name of the full-text index in use."""
        if self._index is None:
            self._look()
        assert self._index is not None
        return self._index

    def rows(self, query: str, /, **values: object) -> list[Record]:
        """The rows of a named query that takes a state and gives, in each row, which it took.

        The first such query decides which state it is.
        """
        rows = self.queries.rows(query, state=self._state, **values)
        if self._state is None and rows:
            self._state = rows[0]["state"]
        return rows

    def row(self, query: str, /, **values: object) -> Record | None:
        """The first row of such a query; None without one."""
        return next(iter(self.rows(query, **values)), None)

    def _look(self) -> None:
        row = schema_row(self.queries.row("find_state"))
        self._index = row["index"]
        if self._state is None:
            self._state = row["state"]


def schema_row(row: Record | None) -> Record:
    """The row that every store has.

    Raises:
        StoreFormatError: there is none.
    """
    if row is None:
        raise StoreFormatError(
            "the server keeps no store yet: expected one whose schema was created; ingest into it"
        )
    return row


def sent(call: Callable[[], T]) -> T:
    """What a call of the driver gives, made again with growing pauses while the server asks so.

    Args:
        call: leaves nothing behind when it fails.
    """
    return retrying(call, _may_pass, tries=_TRIES, pause_s=_FIRST_PAUSE_S)


def _may_pass(error: Exception) -> bool:
    return isinstance(error, (Neo4jError, DriverError)) and error.is_retryable()
