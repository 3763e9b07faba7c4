"""The named queries that a reader may run."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from ragspine_graph.cypher.results import ShownQuery
from ragspine_store.errors import NamedQueryError
from ragspine_store.queries import NamedQuery, queries_of

READERS_FILES = ("explore", "audit")
"""Files of `cypher/` whose queries a reader may run; all others are the store's own.

Every query in them reads, and takes the reader's scope.
"""


def get_readers_query(name: str) -> NamedQuery:
    """The query of that name that a reader may run.

    Raises:
        NamedQueryError: there is none.
    """
    queries = _readers_queries()
    if name not in queries:
        near = difflib.get_close_matches(name, queries) or list(queries)
        raise NamedQueryError(
            f"no query {name!r}; expected one that `cypher list` shows, such as "
            f"{', '.join(near[:3])}"
        )
    return queries[name]


def list_queries() -> tuple[ShownQuery, ...]:
    """The queries that a reader may run, in the order of their files."""
    return tuple(map(ShownQuery.of, _readers_queries().values()))


def show_query(name: str) -> ShownQuery:
    """One of them.

    Raises:
        NamedQueryError: there is none of that name.
    """
    return ShownQuery.of(get_readers_query(name))


def parse_parameters(name: str, given: Iterable[tuple[str, str]]) -> dict[str, object]:
    """Values of a query's parameters as a person types them.

    Raises:
        NamedQueryError: there is no such query or parameter, or a text is no value of its type.
    """
    query = get_readers_query(name)
    pairs = list(given)
    check_names(query, [parameter for parameter, _ in pairs])
    return {parameter: query.parse_argument(parameter, text) for parameter, text in pairs}


def check_names(query: NamedQuery, given: Iterable[str]) -> None:
    """Refuse parameters that a reader does not give: unknown ones, and those that say who reads.

    Raises:
        NamedQueryError: one is not the query's own.
    """
    known = [parameter.name for parameter in ShownQuery.of(query).parameters]
    for name in given:
        if name not in known:
            raise NamedQueryError(
                f"query {query.definition.name!r}: unknown parameter {name!r}; expected "
                f"{'one of ' + ', '.join(known) if known else 'none'}"
            )


def _readers_queries() -> dict[str, NamedQuery]:
    return {query.definition.name: query for file in READERS_FILES for query in queries_of(file)}
