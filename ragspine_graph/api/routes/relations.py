"""The relation graph, for readers."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from ragspine_graph.api.callers import Knowledge, ReadingCaller
from ragspine_graph.api.cursors import make_cursor, parse_cursor
from ragspine_graph.api.problems import problem_responses
from ragspine_graph.api.schemas import (
    DanglingResponse,
    EdgesResponse,
    NeighboursResponse,
    PathResponse,
)
from ragspine_graph.egress import Json
from ragspine_graph.relations.reads import DEFAULT_LIMIT, MAX_HOPS
from ragspine_graph.relations.results import EdgeList
from ragspine_store.relations import Provenance

MAX_LIMIT = 1_000

Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Edges at most.")]
Cursor = Annotated[str, Query(max_length=4_000, description="`next` of the page before.")]
Kinds = Annotated[Sequence[str], Query(alias="kind", description="Of one of these kinds.")]
Documents = Annotated[
    Sequence[str], Query(alias="document", description="With evidence in one of these.")
]
Unverified = Annotated[bool, Query(description="Also edges that no person has verified.")]
Name = Annotated[str, Query(min_length=1, max_length=1_000, description="An id or a name.")]

router = APIRouter(prefix="/relations", tags=["relations"])


def page_to_dict(page: EdgeList, asked: dict[str, object]) -> Json:
    """A page of edges whose `next` is a cursor."""
    return {**page.to_dict(), "next": make_cursor(page.next, asked)}


@router.get(
    "",
    response_model=EdgesResponse,
    response_model_exclude_unset=True,
    responses=problem_responses(HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND),
)
def list_edges(
    knowledge: Knowledge,
    caller: ReadingCaller,
    kinds: Kinds = (),
    provenances: Annotated[Sequence[Provenance], Query(alias="provenance")] = (),
    documents: Documents = (),
    unverified: Unverified = False,
    cursor: Cursor = "",
    limit: Limit = DEFAULT_LIMIT,
) -> Json:
    """Edges by kind, source and target, page by page."""
    asked: dict[str, object] = {
        "kind": list(kinds),
        "provenance": list(provenances),
        "document": list(documents),
        "unverified": unverified,
    }
    page = knowledge.relations.list(
        kinds=kinds,
        provenances=provenances,
        doc_ids=documents,
        unverified=unverified,
        after=parse_cursor(cursor, asked),
        limit=limit,
        reader=caller.reader,
    )
    return page_to_dict(page, asked)


@router.get(
    "/neighbours",
    response_model=NeighboursResponse,
    response_model_exclude_unset=True,
    responses=problem_responses(HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND),
)
def neighbours(
    knowledge: Knowledge,
    caller: ReadingCaller,
    name: Name,
    kinds: Kinds = (),
    depth: Annotated[int, Query(ge=1, le=MAX_HOPS, description="Edges away.")] = 1,
    unverified: Unverified = False,
    limit: Limit = DEFAULT_LIMIT,
) -> Json:
    """What stands around a node, nearest first."""
    found = knowledge.relations.neighbours(
        name, kinds=kinds, depth=depth, unverified=unverified, limit=limit, reader=caller.reader
    )
    return found.to_dict()


@router.get(
    "/path",
    response_model=PathResponse,
    response_model_exclude_unset=True,
    responses=problem_responses(HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND),
)
def path(
    knowledge: Knowledge,
    caller: ReadingCaller,
    source: Name,
    target: Name,
    kinds: Kinds = (),
    max_hops: Annotated[int, Query(ge=1, le=MAX_HOPS, description="Edges at most.")] = 4,
    unverified: Unverified = False,
) -> Json:
    """A shortest path between two nodes; edges are walked in either direction."""
    found = knowledge.relations.path(
        source,
        target,
        kinds=kinds,
        max_hops=max_hops,
        unverified=unverified,
        reader=caller.reader,
    )
    return found.to_dict()


@router.get("/dangling", response_model=DanglingResponse, response_model_exclude_unset=True)
def dangling(knowledge: Knowledge, caller: ReadingCaller, documents: Documents = ()) -> Json:
    """References that nothing the key may see answers to."""
    found = knowledge.relations.dangling(doc_ids=documents, reader=caller.reader)
    return {"dangling": [reference.to_dict() for reference in found]}
