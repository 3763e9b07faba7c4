"""The project's own queries: loaded from `cypher/`, checked, and ready to be sent.

The folder is package data under the import name `ragspine_cypher`; in a clone it stands beside the
packages.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import LiteralString, cast

from ragspine_store.errors import NamedQueryError
from ragspine_store.queries.files import QueryDefinition, index_by_name, parse_queries
from ragspine_store.queries.parameters import Parameter


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """A query of the project's own.

    Attributes:
        definition: as its file says.
        text: what is sent: the statement under a comment with its name and where it stands, so that
            a server's query log leads back to it.
    """

    definition: QueryDefinition
    text: LiteralString

    def bind(self, values: Mapping[str, object]) -> dict[str, object]:
        """The parameters to send with the text, defaults filled in.

        Raises:
            NamedQueryError: a required value is missing, or one is unknown or of another type.

        >>> get_query("find_meta").bind({"key": "schema"})
        {'key': 'schema'}
        """
        if values.keys() - {p.name for p in self.definition.parameters}:
            for name in values:
                self._parameter(name)
        return {p.name: self._value(p, values) for p in self.definition.parameters}

    def parse_argument(self, name: str, text: str) -> object:
        """Read the value of a parameter as a person types it: JSON, or a string as it stands.

        Raises:
            NamedQueryError: there is no such parameter, or the text is no value of its type.

        >>> get_query("find_meta").parse_argument("key", "schema")
        'schema'
        """
        parameter = self._parameter(name)
        try:
            value: object = text if parameter.type == "STRING" else json.loads(text)
        except ValueError:
            value = text
        return self._value(parameter, {name: value})

    def _parameter(self, name: str) -> Parameter:
        for parameter in self.definition.parameters:
            if parameter.name == name:
                return parameter
        known = ", ".join(p.name for p in self.definition.parameters)
        raise self._refusal(f"unknown parameter {name!r}", f"one of {known}" if known else "none")

    def _value(self, parameter: Parameter, values: Mapping[str, object]) -> object:
        if parameter.name not in values:
            if parameter.is_required:
                raise self._refusal(f"no {parameter.name!r}", parameter.declared_type)
            return parameter.default
        value = values[parameter.name]
        if not parameter.accepts(value):
            given = f"{parameter.name!r} given as {type(value).__name__}"
            raise self._refusal(given, parameter.declared_type)
        return value

    def _refusal(self, given: str, expected: str) -> NamedQueryError:
        return NamedQueryError(f"query {self.definition.name!r}: {given}; expected {expected}")


@cache
def load_queries() -> Mapping[str, NamedQuery]:
    """All queries by name, by file and in the order in which they stand there.

    Raises:
        QueryFileError: a file is malformed, or a name stands twice.
    """
    folder = _folder()
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".cypher"))
    definitions = index_by_name(
        query
        for name in names
        for query in parse_queries((folder / name).read_text("utf-8"), f"cypher/{name}")
    )
    return MappingProxyType({name: _named(query) for name, query in definitions.items()})


def queries_of(file: str) -> list[NamedQuery]:
    """The queries of one file, such as `schema`, in its order."""
    path = f"cypher/{file}.cypher"
    return [query for query in load_queries().values() if query.definition.file == path]


def get_query(name: str) -> NamedQuery:
    """The query of that name.

    Raises:
        NamedQueryError: there is none.

    >>> get_query("find_meta").definition.returns
    ('value',)
    """
    queries = load_queries()
    if name not in queries:
        near = difflib.get_close_matches(name, queries) or sorted(queries)
        raise NamedQueryError(f"no query {name!r}; expected a name such as {', '.join(near[:3])}")
    return queries[name]


def _folder() -> Traversable:
    """Where the files are: those beside this very code, whatever else is installed."""
    clone = Path(__file__).parents[2] / "cypher"
    if (clone / "schema.cypher").is_file():
        return clone
    return resources.files("ragspine_cypher")


def _named(query: QueryDefinition) -> NamedQuery:
    text = f"// {query.name}, {query.file}:{query.line}\n{query.statement}"
    # The driver takes literals alone, so that no query is built from data. What this package ships
    # is as literal as its code; a file is the one thing that the type checker cannot see so.
    return NamedQuery(query, cast(LiteralString, text))
