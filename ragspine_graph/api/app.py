"""The HTTP application over one knowledge base; stateless, so that many run side by side."""

from __future__ import annotations

from http import HTTPStatus
from importlib.metadata import version

from fastapi import APIRouter, FastAPI

from ragspine_graph.api.limits import BodyLimit
from ragspine_graph.api.metrics import Metrics
from ragspine_graph.api.problems import add_problems, problem_responses
from ragspine_graph.api.requests import RequestLog
from ragspine_graph.api.routes import audit, cypher, documents, relations, retrieval, service
from ragspine_graph.knowledge_base import KnowledgeBase

PREFIX = "/v1"

_DESCRIPTION = """
Search with citations, contexts to generate from, the relation graph, named queries and the audit
of what models proposed. A key decides what is seen: what it may not see is answered exactly as what
is not there. Errors are problem details (RFC 9457).
"""


def create_app(knowledge: KnowledgeBase) -> FastAPI:
    """The application.

    Args:
        knowledge: what it serves; closed by whoever opened it.
    """
    app = FastAPI(
        title="ragspine-graph",
        version=version("ragspine-graph"),
        description=_DESCRIPTION.strip(),
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.state.knowledge = knowledge
    app.state.metrics = metrics = Metrics()
    add_problems(app)
    common = problem_responses(
        HTTPStatus.UNAUTHORIZED,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.SERVICE_UNAVAILABLE,
    )
    api = APIRouter(prefix=PREFIX, responses=common)
    for router in (
        retrieval.router,
        documents.router,
        relations.router,
        cypher.router,
        audit.router,
    ):
        api.include_router(router)
    app.include_router(api)
    app.include_router(service.router)
    app.add_middleware(BodyLimit)
    app.add_middleware(RequestLog, metrics=metrics)
    return app
