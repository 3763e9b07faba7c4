"""What a query gives: typed, and the same as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from ragspine_graph.security.gate import Refusal
from ragspine_store.cypher_protocols import Rows
from ragspine_store.queries import NamedQuery

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class CypherResult:
    """Rows for one reader, or for an operator who asked as one.

    Attributes:
        query: the name of a named query; '' for an ad-hoc one.
        columns: their names, in order.
        rows: values are those of JSON.
        is_cut: there were more rows than asked for.
        refused: why the query was refused; None when it was not.
    """

    query: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...] = field(repr=False)
    is_cut: bool = False
    refused: Refusal | None = None

    @classmethod
    def of(cls, query: str, rows: Rows) -> CypherResult:
        """What an engine gave."""
        return cls(query, rows.columns, rows.rows, rows.is_cut)

    def to_dict(self) -> Json:
        """As a JSON object."""
        return {
            "query": self.query or None,
            "columns": list(self.columns),
            "rows": [dict(zip(self.columns, row, strict=True)) for row in self.rows],
            "cut": self.is_cut,
            "refused": self.refused.to_dict() if self.refused else None,
        }


@dataclass(frozen=True, slots=True)
class ShownQuery:
    """A named query as people read it.

    Attributes:
        name, summary, text: what it is called, what it does, its Cypher.
        parameters: name, type, default (None for a required one) and meaning of each.
        returns: its columns.
        server_only: why it needs a server; '' when it does not.
    """

    name: str
    summary: str
    text: str
    parameters: tuple[tuple[str, str, str | None, str], ...]
    returns: tuple[str, ...]
    server_only: str

    @classmethod
    def of(cls, query: NamedQuery, given: frozenset[str]) -> ShownQuery:
        """A query without the parameters that are given by who reads."""
        known = query.definition
        return cls(
            name=known.name,
            summary=known.summary,
            text=known.statement,
            parameters=tuple(
                (
                    parameter.name,
                    parameter.declared_type,
                    None if parameter.is_required else json.dumps(parameter.default),
                    parameter.meaning,
                )
                for parameter in known.parameters
                if parameter.name not in given
            ),
            returns=known.returns,
            server_only=known.server_only,
        )

    def to_dict(self) -> Json:
        """As a JSON object."""
        return {
            "name": self.name,
            "summary": self.summary,
            "parameters": [
                {
                    "name": name,
                    "type": type_,
                    "required": default is None,
                    "default": None if default is None else json.loads(default),
                    "meaning": meaning,
                }
                for name, type_, default, meaning in self.parameters
            ],
            "returns": list(self.returns),
            "server_only": self.server_only or None,
            "text": self.text,
        }


def cell(value: object) -> str:
    """A value as one cell of a table: text as it is, all else as JSON.

    >>> cell("a"), cell(None), cell(["a", 1])
    ('a', '', '["a", 1]')
    """
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
