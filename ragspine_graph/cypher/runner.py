"""`Cypher`: named queries and ad-hoc ones, each for one reader.

A named query says the exit's predicate itself, so a server answers it. Everything else that a
reader asks is answered by a graph in memory that holds what has passed the exits alone, and is made
anew when the store has changed. An operator's ad-hoc query reads the server's graph as it is, and
is no reader's output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard

from ragspine_graph.cypher.named import check_names, get_readers_query, list_queries
from ragspine_graph.cypher.projections import Projections
from ragspine_graph.cypher.results import CypherResult, ShownQuery
from ragspine_graph.errors import RequestError
from ragspine_graph.security.gate import Refusal, SecurityGate
from ragspine_store.ad_hoc import screen_query
from ragspine_store.cypher_protocols import (
    DEFAULT_MAX_ROWS,
    DEFAULT_TIMEOUT_S,
    Bounds,
    CypherServer,
    QueryEngine,
)
from ragspine_store.errors import CypherError, NamedQueryError
from ragspine_store.protocols import Store
from ragspine_store.queries import NamedQuery
from ragspine_store.sensitivity import Reader

MAX_ROWS = 100_000
MAX_TIMEOUT_S = 3_600.0


class Cypher:
    """Queries of the graph.

    Args:
        store: an open store.
        projections: its graph in memory.
        gate: refuses a query that names a listed competitor; None refuses none.
    """

    def __init__(self, store: Store, projections: Projections, gate: SecurityGate | None) -> None:
        self._store = store
        self._projections = projections
        self._gate = gate

    def queries(self) -> tuple[ShownQuery, ...]:
        """The named queries that a reader may run, in the order of their files."""
        return list_queries()

    def run(
        self,
        name: str,
        parameters: Mapping[str, object] | None = None,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        max_rows: int = MAX_ROWS,
        reader: Reader | None = None,
    ) -> CypherResult:
        """Run a named query.

        Args:
            name: of the query.
            parameters: its own, without those that say who reads.
            timeout_s: how long it may run.
            max_rows: how many rows it may give.
            reader: for whom.

        Raises:
            NamedQueryError: no such query, or other parameters than it takes.
            CypherError: its time was over.
            ConfigError: the extra `cypher` is needed and not installed.
            RequestError: `timeout_s` or `max_rows` is out of range.
        """
        query = get_readers_query(name)
        own = dict(parameters or {})
        check_names(query, own)
        bounds = _bounds(timeout_s, max_rows)
        reader = reader or Reader()
        values = query.bind({**own, **_scope(reader)})
        if refused := self._screen(own.values()):
            return CypherResult(name, query.definition.returns, (), refused=refused)
        return CypherResult.of(name, self._engine_for(query, reader).run(query, values, bounds))

    def query(
        self,
        text: str,
        parameters: Mapping[str, object] | None = None,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        max_rows: int = DEFAULT_MAX_ROWS,
        operator: bool = False,
        reader: Reader | None = None,
    ) -> CypherResult:
        """Run Cypher that a person wrote; it is screened before any engine is called.

        Args:
            text: one statement that reads.
            parameters: values of what it names with a dollar sign.
            timeout_s: how long it may run.
            max_rows: how many rows it may give.
            operator: ask the server's own graph as it is, whatever the labels; not a reader's
                output. Otherwise what the reader may see is asked.
            reader: for whom.

        Raises:
            CypherError: it is refused, its time was over, or the engine does not run it.
            ConfigError: the extra `cypher` is needed and not installed.
            RequestError: an operator asks a store that is no server; or `timeout_s` or
                `max_rows` is out of range.
        """
        bounds = _bounds(timeout_s, max_rows)
        screened = screen_query(text)
        values = dict(parameters or {})
        if missing := sorted(screened.parameters - values.keys()):
            raise CypherError(
                f"the query names ${missing[0]}, and no value for it was given; expected one"
            )
        engine = self._operators_engine() if operator else None
        if engine is None and (refused := self._screen([*screened.strings, *values.values()])):
            return CypherResult("", (), (), refused=refused)
        engine = engine or self._projections.engine(reader or Reader())
        return CypherResult.of("", engine.run(screened, values, bounds))

    def _engine_for(self, query: NamedQuery, reader: Reader) -> QueryEngine:
        if isinstance(self._store, CypherServer):
            return self._store.query_engine()
        if query.definition.server_only:
            raise NamedQueryError(
                f"query {query.definition.name!r} runs on a server alone: "
                f"{query.definition.server_only}; expected a store on Neo4j"
            )
        return self._projections.engine(reader)

    def _operators_engine(self) -> QueryEngine:
        if not isinstance(self._store, CypherServer):
            raise RequestError(
                "an operator's query given, and the store is no server; expected a store on Neo4j, "
                "or a reader's query: leave --operator out"
            )
        return self._store.query_engine()

    def _screen(self, values: Iterable[object]) -> Refusal | None:
        if self._gate is None:
            return None
        return next(filter(None, map(self._gate.screen_question, _strings(values))), None)


def _bounds(timeout_s: float, max_rows: int) -> Bounds:
    if not 0 < timeout_s <= MAX_TIMEOUT_S:
        raise RequestError(f"timeout {timeout_s:g} s given; expected up to {MAX_TIMEOUT_S:g} s")
    if not 1 <= max_rows <= MAX_ROWS:
        raise RequestError(f"{max_rows} rows at most given; expected 1 to {MAX_ROWS}")
    return Bounds(timeout_s, max_rows)


def _scope(reader: Reader) -> dict[str, object]:
    collections = None if reader.collections is None else sorted(reader.collections)
    return {"clearance": int(reader.clearance), "collections": collections}


def _strings(values: Iterable[object]) -> Iterator[str]:
    """Every string among values and inside of them."""
    for value in values:
        if isinstance(value, str):
            yield value
        elif _is_map(value):
            yield from _strings([*value.keys(), *value.values()])
        elif _is_several(value):
            yield from _strings(value)


def _is_map(value: object) -> TypeGuard[Mapping[object, object]]:
    return isinstance(value, Mapping)


def _is_several(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list | tuple)
