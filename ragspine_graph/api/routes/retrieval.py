"""Search and context."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter

from ragspine_graph.api.callers import Knowledge, ReadingCaller
from ragspine_graph.api.problems import problem_responses
from ragspine_graph.api.schemas import (
    ContextRequest,
    ContextResponse,
    SearchRequest,
    SearchResponse,
)
from ragspine_graph.egress import Json

router = APIRouter(tags=["retrieval"])


@router.post(
    "/search",
    response_model=SearchResponse,
    response_model_exclude_unset=True,
    responses=problem_responses(HTTPStatus.BAD_REQUEST),
)
def search(asked: SearchRequest, knowledge: Knowledge, caller: ReadingCaller) -> Json:
    """The best hits that the key may see, best first."""
    found = knowledge.search(
        asked.query,
        k=asked.k,
        filters={**asked.filters},
        expand=asked.expand,
        reader=caller.reader,
    )
    return found.to_dict()


@router.post(
    "/context",
    response_model=ContextResponse,
    response_model_exclude_unset=True,
    responses=problem_responses(HTTPStatus.BAD_REQUEST),
)
def context(asked: ContextRequest, knowledge: Knowledge, caller: ReadingCaller) -> Json:
    """Whole texts to generate an answer from, within a budget, each with its citations."""
    found = knowledge.context(
        asked.query,
        budget=asked.budget,
        expand=asked.expand,
        filters={**asked.filters},
        reader=caller.reader,
    )
    return found.to_dict()
