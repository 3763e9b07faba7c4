"""What runs Cypher: the rows it gives, its bounds, and what a store on a graph server offers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from ragspine_store.ad_hoc import AdHocQuery
from ragspine_store.queries import NamedQuery

DEFAULT_TIMEOUT_S = 30.0
DEFAULT_MAX_ROWS = 1_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long a query may run and how many rows it may give."""

    timeout_s: float = DEFAULT_TIMEOUT_S
    max_rows: int = DEFAULT_MAX_ROWS


@dataclass(frozen=True, slots=True)
class Rows:
    """What a query gave.

    Attributes:
        columns: their names, in order.
        rows: in the query's order; values are those of JSON, a node as `{"labels", "properties"}`
            and a relationship as `{"type", "properties"}`.
        is_cut: there were more rows than the bound.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...] = field(repr=False)
    is_cut: bool = False


class QueryEngine(Protocol):
    """Runs Cypher that is the project's own or was screened."""

    def run(
        self, query: NamedQuery | AdHocQuery, values: Mapping[str, object], bounds: Bounds
    ) -> Rows:
        """Run a query that reads.

        Raises:
            CypherError: the engine gave it up: its time is over, or it cannot be run.
        """
        ...


@runtime_checkable
class CypherServer(Protocol):
    """A store that is itself a graph that Cypher reads: a server's."""

    def query_engine(self) -> QueryEngine:
        """What reads the server's own graph, in READ mode; an ad-hoc query by its plan first."""
        ...
