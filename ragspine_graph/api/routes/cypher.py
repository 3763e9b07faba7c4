"""Named queries, each a route of its own whose parameters OpenAPI describes."""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, create_model

from ragspine_graph.api.callers import Knowledge, ReadingCaller
from ragspine_graph.api.problems import problem_responses
from ragspine_graph.api.schemas import QueriesResponse, Rows, RowsResponse
from ragspine_graph.cypher.named import list_queries
from ragspine_graph.cypher.results import ShownParameter, ShownQuery
from ragspine_graph.egress import Json

router = APIRouter(prefix="/queries", tags=["queries"])

_TYPES: dict[str, Any] = {"STRING": str, "INTEGER": Rows, "FLOAT": float, "BOOLEAN": bool}


@router.get("", response_model=QueriesResponse)
def show_queries(knowledge: Knowledge, caller: ReadingCaller) -> Json:
    """The named queries that a reader may run, with their parameters."""
    return {"queries": [query.to_dict() for query in knowledge.cypher.queries()]}


def _request_of(query: ShownQuery) -> type[BaseModel]:
    """What a run of a query is asked with."""
    config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)
    title = query.name.title().replace("_", "")
    fields: dict[str, Any] = {p.name: _field_of(p) for p in query.parameters}
    parameters = create_model(f"{title}Parameters", __config__=config, **fields)
    has_required = any(parameter.default is None for parameter in query.parameters)
    return create_model(
        f"{title}Request",
        __config__=config,
        parameters=(parameters, ... if has_required else parameters()),
        max_rows=(Rows, 1_000),
    )


def _field_of(parameter: ShownParameter) -> tuple[Any, Any]:
    name, _, null = parameter.type.partition(" | ")
    kind: Any = _TYPES[name]
    if name == "STRING":
        kind = Annotated[kind, Field(max_length=2_000)]
    elif name != "INTEGER":
        kind = Annotated[kind, Field(strict=True)]
    described = Annotated[
        kind | None if null else kind, Field(description=parameter.meaning or None)
    ]
    return described, ... if parameter.default is None else json.loads(parameter.default)


def _runner(query: ShownQuery) -> Callable[..., Json]:
    def run(asked: Any, knowledge: Knowledge, caller: ReadingCaller) -> Json:
        rows = knowledge.cypher.run(
            query.name,
            asked.parameters.model_dump(),
            max_rows=asked.max_rows,
            reader=caller.reader,
        )
        return rows.to_dict()

    run.__annotations__["asked"] = _request_of(query)
    return run


for _query in list_queries():
    router.add_api_route(
        f"/{_query.name}",
        _runner(_query),
        methods=["POST"],
        name=_query.name,
        description=_query.summary,
        response_model=RowsResponse,
        responses=problem_responses(HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_IMPLEMENTED),
    )
