"""What a server or its driver reports, as errors of ours: what happened, what to do.

A server's own message is never passed on, since it may quote what is stored.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from ragspine_store.errors import (
    StoreError,
    StoreFormatError,
    StoreLockedError,
    StoreUnavailableError,
    TransactionAbortedError,
)

TRANSACTION_TIMEOUT_S = 600.0
"""How long a transaction may take, the wait for other writers included."""

_TIMED_OUT = (
    "Neo.ClientError.Transaction.TransactionTimedOut",
    "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration",
    "Neo.ClientError.Transaction.LockAcquisitionTimeout",
    "Neo.ClientError.Transaction.LockClientStopped",
    "Neo.TransientError.Transaction.LockAcquisitionTimeout",
)
_NO_MEMORY = (
    "Neo.TransientError.General.MemoryPoolOutOfMemoryError",
    "Neo.TransientError.General.OutOfMemoryError",
    "Neo.TransientError.General.TransactionMemoryLimit",
    "Neo.TransientError.Transaction.MaximumTransactionLimitReached",
)


_NOT_RUN = (
    "Neo.ClientError.Statement.SemanticError",
    "Neo.ClientError.Statement.SyntaxError",
)


@contextmanager
def translating(uri: str) -> Generator[None]:
    """Raise what the driver raises inside as an error of ours.

    Args:
        uri: of the server, without credentials.
    """
    try:
        yield
    except (Neo4jError, DriverError) as error:
        raise translated(error, uri) from None


def translated(error: Exception, uri: str) -> StoreError:
    """The error of ours that says what an error of the driver means."""
    match error:
        case AuthError():
            return StoreUnavailableError(
                f"{uri} refuses the credentials given: expected those of a user who may read and "
                "write; set NEO4J_USERNAME and NEO4J_PASSWORD"
            )
        case IncompleteCommit():
            return StoreUnavailableError(
                f"the connection to {uri} was lost while a change was being committed, so that it "
                "stands wholly or not at all: run the same again"
            )
        case ServiceUnavailable() | SessionExpired():
            return StoreUnavailableError(
                f"{uri} does not answer, or the connection was lost: expected a running Neo4j; no "
                "half of a change stands, so start it, or check its address, and run the same again"
            )
        case ConfigurationError():
            return StoreUnavailableError(
                f"{uri} cannot be used as the address of a server: expected a URL such as "
                "neo4j://host:7687 or bolt://host:7687"
            )
        case Neo4jError():
            return _of_the_server(error, uri)
        case _:
            return StoreError(f"{uri}: the driver reports {type(error).__name__}; try again")


def _of_the_server(error: Neo4jError, uri: str) -> StoreError:
    code = error.code or ""
    if code in _NO_MEMORY:
        return StoreError(
            f"{uri} has not enough memory for as much at once: expected a smaller document or "
            "fewer hits, or a higher dbms.memory.transaction.total.max or heap on the server"
        )
    if code in _TIMED_OUT:
        return StoreLockedError(
            f"{uri} gave up after waiting: another process is writing, or the change takes longer "
            f"than {TRANSACTION_TIMEOUT_S:.0f} s; expected it to finish: try again"
        )
    if error.is_retryable():
        return TransactionAbortedError(
            f"{uri} could not complete a change for the moment ({code}); nothing of it stands: "
            "try again"
        )
    if code == "Neo.ClientError.Database.DatabaseNotFound":
        return StoreUnavailableError(
            f"{uri} has no database of that name: expected an existing one; set NEO4J_DATABASE"
        )
    if code.startswith("Neo.ClientError.Security."):
        return StoreUnavailableError(
            f"{uri} does not allow this user what a store needs ({code}): expected one who may "
            "read, write and make indexes"
        )
    if code in _NOT_RUN:
        return StoreUnavailableError(
            f"{uri} does not run the queries of a store ({code}): expected a database for data, "
            "which `system` is not, on Neo4j 5.26 or later; set NEO4J_DATABASE to such a one"
        )
    if code == "Neo.ClientError.Schema.ConstraintValidationFailed":
        return StoreFormatError(
            f"{uri}: a constraint of the database refuses a node of the store ({code}); expected "
            "constraints of others on no label that our nodes have, such as Document or Entity, "
            "and no nodes of others labelled Ragspine: drop the constraint, or set NEO4J_DATABASE "
            "to another database"
        )
    return StoreFormatError(f"{uri}: Neo4j reports {code or type(error).__name__}")
