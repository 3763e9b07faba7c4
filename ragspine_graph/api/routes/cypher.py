"""Named queries."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter

from ragspine_graph.api.callers import Knowledge, ReadingCaller
from ragspine_graph.api.problems import problem_responses
from ragspine_graph.api.schemas import QueriesResponse, RowsResponse, RunRequest
from ragspine_graph.egress import Json

router = APIRouter(prefix="/queries", tags=["queries"])


@router.get("", response_model=QueriesResponse)
def list_queries(knowledge: Knowledge, caller: ReadingCaller) -> Json:
    """The named queries that a reader may run, with their parameters."""
    return {"queries": [query.to_dict() for query in knowledge.cypher.queries()]}


@router.post(
    "/{name}",
    response_model=RowsResponse,
    responses=problem_responses(HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_IMPLEMENTED),
)
def run_query(name: str, asked: RunRequest, knowledge: Knowledge, caller: ReadingCaller) -> Json:
    """Run a named query for what the key may see."""
    rows = knowledge.cypher.run(
        name, asked.parameters, max_rows=asked.max_rows, reader=caller.reader
    )
    return rows.to_dict()
