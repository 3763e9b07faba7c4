"""What models proposed, verdicts on it, and what was thrown out."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from ragspine_graph.api.callers import AuditingCaller, Knowledge
from ragspine_graph.api.cursors import parse_cursor
from ragspine_graph.api.problems import problem_responses
from ragspine_graph.api.routes.relations import Cursor, Documents, Kinds, Limit, page_to_dict
from ragspine_graph.api.schemas import (
    Edge,
    EdgesResponse,
    JudgedResponse,
    JudgeRequest,
    LogResponse,
    RejectionsResponse,
)
from ragspine_graph.egress import Json
from ragspine_graph.relations.reads import DEFAULT_LIMIT
from ragspine_graph.relations.results import AuditState, entry_to_dict

router = APIRouter(prefix="/audit", tags=["audit"])

Nodes = Annotated[Sequence[str], Query(alias="node", description="At these nodes.")]


@router.get(
    "/edges",
    response_model=EdgesResponse,
    response_model_exclude_unset=True,
    responses=problem_responses(HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND),
)
def list_edges(
    knowledge: Knowledge,
    caller: AuditingCaller,
    state: AuditState | None = None,
    documents: Documents = (),
    kinds: Kinds = (),
    nodes: Nodes = (),
    models: Annotated[Sequence[str], Query(alias="model", description="By these models.")] = (),
    cursor: Cursor = "",
    limit: Limit = DEFAULT_LIMIT,
) -> Json:
    """Edges that models proposed, with what is held of each, page by page."""
    asked: dict[str, object] = {
        "state": state.value if state else None,
        "document": list(documents),
        "kind": list(kinds),
        "node": list(nodes),
        "model": list(models),
    }
    page = knowledge.audit.list(
        state=state,
        doc_ids=documents,
        kinds=kinds,
        nodes=nodes,
        models=models,
        after=parse_cursor(cursor, asked),
        limit=limit,
        reader=caller.reader,
    )
    return page_to_dict(page, asked)


@router.get(
    "/rules/{rule}/edges",
    response_model=EdgesResponse,
    response_model_exclude_unset=True,
    responses=problem_responses(HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND),
)
def list_edges_of_rule(
    rule: Literal["mentions", "co_occurs_with", "refers_to"],
    knowledge: Knowledge,
    caller: AuditingCaller,
    documents: Documents = (),
    nodes: Nodes = (),
    cursor: Cursor = "",
    limit: Limit = DEFAULT_LIMIT,
) -> Json:
    """Edges that a rule made, page by page."""
    asked: dict[str, object] = {"rule": rule, "document": list(documents), "node": list(nodes)}
    page = knowledge.audit.list(
        doc_ids=documents,
        nodes=nodes,
        rule=rule,
        after=parse_cursor(cursor, asked),
        limit=limit,
        reader=caller.reader,
    )
    return page_to_dict(page, asked)


@router.get(
    "/edges/{edge_id}",
    response_model=Edge,
    response_model_exclude_unset=True,
    responses=problem_responses(HTTPStatus.NOT_FOUND),
)
def show_edge(edge_id: str, knowledge: Knowledge, caller: AuditingCaller) -> Json:
    """An edge with its quotes, each in the text around it."""
    return knowledge.audit.show(edge_id, reader=caller.reader).to_dict()


@router.post(
    "/verify",
    response_model=JudgedResponse,
    response_model_exclude_unset=True,
    responses=problem_responses(HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND),
)
def verify(asked: JudgeRequest, knowledge: Knowledge, caller: AuditingCaller) -> Json:
    """Hold edges to be true; recorded with the name of the key."""
    edges = knowledge.audit.verify(
        asked.edges, reviewer=caller.name, note=asked.note, reader=caller.reader
    )
    return {"edges": [edge.to_dict() for edge in edges]}


@router.post(
    "/reject",
    response_model=JudgedResponse,
    response_model_exclude_unset=True,
    responses=problem_responses(HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND),
)
def reject(asked: JudgeRequest, knowledge: Knowledge, caller: AuditingCaller) -> Json:
    """Hold edges to be wrong; recorded with the name of the key."""
    edges = knowledge.audit.reject(
        asked.edges, reviewer=caller.name, note=asked.note, reader=caller.reader
    )
    return {"edges": [edge.to_dict() for edge in edges]}


@router.get("/log", response_model=LogResponse)
def log(knowledge: Knowledge, caller: AuditingCaller) -> Json:
    """All verdicts on edges that the key may see, oldest first."""
    entries = knowledge.audit.log(reader=caller.reader)
    return {"entries": [entry_to_dict(entry) for entry in entries]}


@router.get("/rejections", response_model=RejectionsResponse, response_model_exclude_unset=True)
def rejections(
    knowledge: Knowledge,
    caller: AuditingCaller,
    documents: Documents = (),
    rules: Annotated[Sequence[str], Query(alias="rule", description="Stopped by these.")] = (),
) -> Json:
    """What the gate and grounding threw out, and why."""
    found = knowledge.audit.rejections(doc_ids=documents, rules=rules, reader=caller.reader)
    return {"rejections": [rejection.to_dict() for rejection in found]}
