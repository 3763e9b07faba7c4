"""Documents: what the key may see of them, and their labels."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from ragspine_graph.api.callers import Knowledge, OperatingCaller, ReadingCaller
from ragspine_graph.api.cursors import make_cursor, parse_cursor
from ragspine_graph.api.problems import problem_responses
from ragspine_graph.api.routes.relations import Cursor
from ragspine_graph.api.schemas import (
    DocumentsResponse,
    Node,
    RelabelledResponse,
    RelabelRequest,
    RemovedResponse,
    StatusResponse,
)
from ragspine_graph.egress import Json

router = APIRouter()

NodeId = Annotated[
    str,
    Query(alias="id", min_length=1, max_length=2_000, description="Any id or locator."),
]


@router.get(
    "/nodes",
    tags=["documents"],
    response_model=Node,
    responses=problem_responses(HTTPStatus.NOT_FOUND),
)
def show(node_id: NodeId, knowledge: Knowledge, caller: ReadingCaller) -> Json:
    """What any id or locator names: text, outline, children, as far as the key may see them."""
    return knowledge.show(node_id, reader=caller.reader).to_dict()


@router.get(
    "/documents",
    tags=["documents"],
    response_model=DocumentsResponse,
    responses=problem_responses(HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND),
)
def list_documents(
    knowledge: Knowledge,
    caller: ReadingCaller,
    cursor: Cursor = "",
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> Json:
    """Documents that the key may see, by id, page by page."""
    found = knowledge.documents(after=parse_cursor(cursor, {}), limit=limit, reader=caller.reader)
    last = found[-1].doc_id if len(found) == limit else ""
    return {
        "documents": [document.to_dict() for document in found],
        "next": make_cursor(last, {}),
    }


@router.put(
    "/labels",
    tags=["documents"],
    response_model=RelabelledResponse,
    responses=problem_responses(HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND),
)
def relabel(
    node_id: NodeId, asked: RelabelRequest, knowledge: Knowledge, caller: OperatingCaller
) -> Json:
    """Change the label of a document, section or child at once."""
    changed = knowledge.relabel(node_id, asked.sensitivity, allow_lower=asked.allow_lower)
    return changed.to_dict()


@router.delete(
    "/documents",
    tags=["documents"],
    response_model=RemovedResponse,
    responses=problem_responses(HTTPStatus.NOT_FOUND),
)
def delete(node_id: NodeId, knowledge: Knowledge, caller: OperatingCaller) -> Json:
    """Remove a document with all that was made of it."""
    return knowledge.delete(node_id).to_dict()


@router.get(
    "/status", tags=["service"], response_model=StatusResponse, response_model_exclude_unset=True
)
def status(knowledge: Knowledge, caller: ReadingCaller) -> Json:
    """How much the key may see."""
    return knowledge.status(reader=caller.reader).to_dict()


@router.get("/status/operator", tags=["service"], response_model=StatusResponse)
def operator_status(knowledge: Knowledge, caller: OperatingCaller) -> Json:
    """What is withheld besides, and what an operator should look at."""
    return knowledge.status(reader=caller.reader, operator=True).to_dict()
