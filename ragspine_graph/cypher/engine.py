"""The embedded engine: kglite over one projection, in memory and frozen. Its only importer.

It runs what is the project's own or was screened, and nothing else: left to itself the engine
executes LOAD CSV on local files, frozen or not, so `run` takes no bare text. Nothing is ever saved
to disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, TypeGuard

from ragspine_graph.cypher.projection import NodeRow, RelationshipRow
from ragspine_graph.errors import ConfigError
from ragspine_store.ad_hoc import AdHocQuery
from ragspine_store.cypher_protocols import Bounds, Rows
from ragspine_store.errors import CypherError
from ragspine_store.graph_scheme import Properties
from ragspine_store.queries import NamedQuery

if TYPE_CHECKING:
    import kglite

_BATCH = 5_000
# Properties that the engine adds to every node as it gives it back.
_ADDED = ("title", "type")


class EmbeddedEngine:
    """A frozen graph that Cypher reads, for any number of threads at once.

    Args:
        rows: the graph; nodes before their relationships.

    Raises:
        ConfigError: the extra `cypher` is not installed.
    """

    def __init__(self, rows: Iterable[NodeRow | RelationshipRow]) -> None:
        require_engine()
        loader = _Loader()
        for row in rows:
            loader.add(row)
        self._graph = loader.freeze()

    def run(
        self, query: NamedQuery | AdHocQuery, values: Mapping[str, object], bounds: Bounds
    ) -> Rows:
        """Run a query; see `QueryEngine.run`."""
        from kglite import CypherTimeoutError, KgError  # noqa: PLC0415 the extra cypher

        try:
            found = self._graph.cypher(
                query.text,
                params=dict(values),
                timeout_ms=max(1, int(bounds.timeout_s * 1_000)),
                row_limit=bounds.max_rows + 1,
            )
        except CypherTimeoutError:
            raise CypherError(
                f"the query was stopped after {bounds.timeout_s:g} s; expected one that takes "
                "less: narrow it, or allow more time"
            ) from None
        except KgError as error:
            reason = str(error).partition("\n")[0]
            raise CypherError(
                f"the engine does not run the query: {reason}; expected Cypher as docs/cypher.md "
                "describes it"
            ) from None
        columns = tuple(map(str, found.columns))
        rows = [tuple(_plain(row[name]) for name in columns) for row in found]
        return Rows(columns, tuple(rows[: bounds.max_rows]), is_cut=len(rows) > bounds.max_rows)


def require_engine() -> None:
    """Refuse to go on without the engine.

    Raises:
        ConfigError: the extra `cypher` is not installed.
    """
    try:
        from kglite import set_query_warning_policy  # noqa: PLC0415 the extra cypher
    except ModuleNotFoundError:
        raise ConfigError(
            "a reader's Cypher is answered in memory, and the engine for it is not installed; "
            'expected the extra cypher: run pip install "ragspine-graph[cypher]"'
        ) from None
    # It would print on stderr that a type has no relationships yet.
    set_query_warning_policy("silent")


class _Loader:
    """Fills a graph in batches, relationships after the nodes that came before them."""

    def __init__(self) -> None:
        from kglite import KnowledgeGraph  # noqa: PLC0415 the extra cypher

        self._graph = KnowledgeGraph()
        self._nodes: dict[str, list[Properties]] = {}
        self._relationships: dict[tuple[str, str, str], list[Properties]] = {}
        self._waiting = 0

    def add(self, row: NodeRow | RelationshipRow) -> None:
        if isinstance(row, NodeRow):
            self._nodes.setdefault(row.label, []).append(row.properties)
        else:
            kind = (row.type, row.source_label, row.target_label)
            self._relationships.setdefault(kind, []).append(
                {"source": row.source, "target": row.target, "properties": row.properties}
            )
        self._waiting += 1
        if self._waiting >= _BATCH:
            self._flush()

    def freeze(self) -> kglite.FrozenGraph:
        self._flush()
        return self._graph.freeze()

    def _flush(self) -> None:
        # Labels and types are the scheme's own; all that comes from documents is a value.
        for label, rows in self._nodes.items():
            self._graph.cypher(
                f"UNWIND $rows AS row CREATE (n:{label}:Ragspine) SET n = row",
                params={"rows": rows},
            )
        for (type_, source, target), rows in self._relationships.items():
            self._graph.cypher(
                f"UNWIND $rows AS row MATCH (a:{source} {{id: row.source}})"
                f" MATCH (b:{target} {{id: row.target}})"
                f" CREATE (a)-[r:{type_}]->(b) SET r = row.properties",
                params={"rows": rows},
            )
        self._nodes.clear()
        self._relationships.clear()
        self._waiting = 0


def _plain(value: object) -> object:
    """A value of the engine as a value of JSON."""
    if isinstance(value, date):
        return value.isoformat()
    if _is_list(value):
        return [_plain(element) for element in value]
    if not _is_map(value):
        return value
    keys = set(map(str, value))
    if keys == {"id", "labels", "properties"}:
        labels, properties = value["labels"], value["properties"]
        kept = _without_added(properties, labels) if _is_map(properties) else {}
        return {"labels": _plain(labels), "properties": _plain(kept)}
    if keys == {"id", "start", "end", "type", "properties"}:
        return {"type": value["type"], "properties": _plain(value["properties"])}
    return {str(key): _plain(element) for key, element in value.items()}


def _without_added(properties: Mapping[object, object], labels: object) -> dict[object, object]:
    is_titled = _is_list(labels) and ("Document" in labels or "Reference" in labels)
    added = ("type",) if is_titled else _ADDED
    return {key: value for key, value in properties.items() if key not in added}


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list | tuple)


def _is_map(value: object) -> TypeGuard[Mapping[object, object]]:
    return isinstance(value, dict)
