"""Health, readiness and metrics: for whoever runs the service; they tell nothing of documents."""

from __future__ import annotations

from http import HTTPStatus
from importlib.metadata import version

from fastapi import APIRouter, Request, Response

from ragspine_graph.api.callers import Knowledge
from ragspine_graph.api.metrics import Metrics
from ragspine_graph.api.problems import problem_responses
from ragspine_graph.api.schemas import HealthResponse

router = APIRouter(tags=["service"])

_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/health", response_model=HealthResponse)
async def health() -> dict[str, str]:
    """Whether the process lives."""
    return {"status": "ok", "version": version("ragspine-graph")}


@router.get(
    "/ready",
    response_model=HealthResponse,
    responses=problem_responses(HTTPStatus.SERVICE_UNAVAILABLE),
)
def ready(knowledge: Knowledge) -> dict[str, str]:
    """Whether the store answers."""
    knowledge.keys.list()
    return {"status": "ok", "version": version("ragspine-graph")}


@router.get("/metrics", response_class=Response)
async def metrics(request: Request) -> Response:
    """Counters for Prometheus."""
    counters = request.app.state.metrics
    assert isinstance(counters, Metrics)
    return Response(counters.render(), media_type=_CONTENT_TYPE)
