"""Cypher that people run on the server's own graph: it only reads, within bounds.

A named query says who reads. An ad-hoc one was screened by its words; here the server's plan of it
is screened too, before it runs in READ mode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Protocol, TypeGuard

from neo4j import Session
from neo4j.exceptions import ClientError
from neo4j.graph import Node, Path, Relationship
from neo4j.time import Date, DateTime, Duration, Time

from ragspine_store.ad_hoc import AdHocQuery, PlanStep, refuse_plan
from ragspine_store.cypher_protocols import Bounds, Rows
from ragspine_store.errors import CypherError
from ragspine_store.neo4j_store.faults import translating
from ragspine_store.queries import NamedQuery

_SYNTAX = "Neo.ClientError.Statement.SyntaxError"
_STATEMENT = "Neo.ClientError.Statement."
_TIMED_OUT = "Neo.ClientError.Transaction.TransactionTimedOut"


class ServerEngine:
    """Runs Cypher on a server.

    Args:
        uri: of the server, without credentials.
        read_session: opens a session in READ mode.
    """

    def __init__(
        self, uri: str, read_session: Callable[[], AbstractContextManager[Session]]
    ) -> None:
        self._uri = uri
        self._read_session = read_session

    def run(
        self, query: NamedQuery | AdHocQuery, values: Mapping[str, object], bounds: Bounds
    ) -> Rows:
        """Run a query; see `QueryEngine.run`.

        Raises:
            CypherError: its plan is refused, its time was over, or the server cannot read it.
            StoreUnavailableError: the server does not answer.
        """
        with translating(self._uri), self._read_session() as session:
            try:
                return _run(session, query, dict(values), bounds)
            except ClientError as error:
                code = error.code or ""
                if code == _SYNTAX:  # tells of the query's own words alone
                    reason = (error.message or "").partition("\n")[0]
                    raise CypherError(f"the server does not run the query: {reason}") from None
                if code.startswith(_TIMED_OUT):
                    raise CypherError(
                        f"the query was stopped after {bounds.timeout_s:g} s; expected one that "
                        "takes less: narrow it, or allow more time"
                    ) from None
                if code.startswith(_STATEMENT):
                    raise CypherError(
                        f"the server cannot answer the query ({code.removeprefix(_STATEMENT)}); "
                        "expected one that it can: check what it computes, and its parameters"
                    ) from None
                raise


def _run(
    session: Session,
    query: NamedQuery | AdHocQuery,
    values: dict[str, object],
    bounds: Bounds,
) -> Rows:
    with session.begin_transaction(timeout=bounds.timeout_s) as transaction:
        if isinstance(query, AdHocQuery):
            summary = transaction.run("EXPLAIN " + query.text, values).consume()
            refuse_plan(_steps(_plan_of(summary)), summary.query_type or "")
        result = transaction.run(query.text, values)
        columns = tuple(result.keys())
        rows = [
            tuple(map(_plain, record.values())) for record in islice(result, bounds.max_rows + 1)
        ]
    return Rows(columns, tuple(rows[: bounds.max_rows]), is_cut=len(rows) > bounds.max_rows)


class _Planned(Protocol):
    """What is used of a summary, with the type that it leaves open."""

    @property
    def plan(self) -> object: ...


def _plan_of(summary: _Planned) -> object:
    return summary.plan


def _steps(plan: object) -> Iterator[PlanStep]:
    """Every operator of a plan, as the driver gives it."""
    if not _is_map(plan):
        return
    args = plan.get("args")
    details = args.get("Details") if _is_map(args) else None
    yield PlanStep(str(plan.get("operatorType")), str(details or ""))
    children = plan.get("children")
    for child in children if _is_list(children) else ():
        yield from _steps(child)


def _plain(value: object) -> object:
    """A value of the driver as a value of JSON."""
    match value:
        case Node():
            return {"labels": sorted(value.labels), "properties": _plain(dict(value))}
        case Relationship():
            return {"type": value.type, "properties": _plain(dict(value))}
        case Path():
            return {
                "nodes": [_plain(node) for node in value.nodes],
                "relationships": [_plain(one) for one in value.relationships],
            }
        case Date() | DateTime() | Time() | Duration():
            return value.iso_format()
        case str() | bool() | int() | float() | None:
            return value
        case _ if _is_list(value):
            return [_plain(element) for element in value]
        case _ if _is_map(value):
            return {str(key): _plain(element) for key, element in value.items()}
        case _:
            return str(value)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list | tuple)


def _is_map(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, dict)
