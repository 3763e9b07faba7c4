"""What a query gives: typed, and the same as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import NamedTuple

from ragspine_graph.egress import Json
from ragspine_graph.security.gate import Refusal
from ragspine_store.cypher_protocols import Rows
from ragspine_store.queries import NamedQuery
from ragspine_store.queries.parameters import SCOPE_PARAMETERS


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


class ShownParameter(NamedTuple):
    """A parameter of a named query; `default` is JSON, None for a required one."""

    name: str
    type: str
    default: str | None
    meaning: str


@dataclass(frozen=True, slots=True)
class ShownQuery:
    """A named query as people read it.

    Attributes:
        name, summary, text: what it is called, what it does, its Cypher.
        parameters: those that a person gives.
        returns: its columns.
        server_only: why it needs a server; '' when it does not.
    """

    name: str
    summary: str
    text: str
    parameters: tuple[ShownParameter, ...]
    returns: tuple[str, ...]
    server_only: str

    @classmethod
    def of(cls, query: NamedQuery) -> ShownQuery:
        """A query without the parameters that are known from who reads."""
        known = query.definition
        return cls(
            name=known.name,
            summary=known.summary,
            text=known.statement,
            parameters=tuple(
                ShownParameter(
                    parameter.name,
                    parameter.declared_type,
                    None if parameter.is_required else json.dumps(parameter.default),
                    parameter.meaning,
                )
                for parameter in known.parameters
                if parameter.name not in SCOPE_PARAMETERS
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
                    "name": parameter.name,
                    "type": parameter.type,
                    "required": parameter.default is None,
                    "default": json.loads(parameter.default or "null"),
                    "meaning": parameter.meaning or None,
                }
                for parameter in self.parameters
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
