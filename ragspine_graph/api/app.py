"""The HTTP application over one knowledge base; stateless, so that many run side by side."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib.metadata import version

from anyio import to_thread
from fastapi import APIRouter, FastAPI

from ragspine_graph.api.limits import MCP_PATH, UPLOAD_PATH, BodyLimit
from ragspine_graph.api.mcp_app import create_tools
from ragspine_graph.api.metrics import Metrics
from ragspine_graph.api.problems import add_problems, problem_responses
from ragspine_graph.api.requests import RequestLog
from ragspine_graph.api.routes import (
    audit,
    cypher,
    documents,
    relations,
    retrieval,
    service,
    uploads,
)
from ragspine_graph.api.templates import Templates
from ragspine_graph.knowledge_base import KnowledgeBase
from ragspine_graph.uploads import Uploads

PREFIX = "/v1"

_DESCRIPTION = """
Search with citations, contexts to generate from, the relation graph, named queries and the audit
of what models proposed. A key decides what is seen: what it may not see is answered exactly as what
is not there. Errors are problem details (RFC 9457).
"""


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    """While it runs, uploads are written; as it ends, the one under way is."""
    app.state.uploads = uploads = Uploads(app.state.knowledge)
    try:
        async with app.state.tools.session_manager.run():
            yield
    finally:
        await to_thread.run_sync(uploads.close)


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
        lifespan=_lifespan,
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
        uploads.router,
        relations.router,
        cypher.router,
        audit.router,
    ):
        api.include_router(router)
    app.include_router(api)
    app.include_router(service.router)
    app.state.tools, tools = create_tools(knowledge)
    app.mount(MCP_PATH, tools)
    app.state.templates = templates = Templates(app.openapi())
    app.add_middleware(BodyLimit, upload=f"{PREFIX}{UPLOAD_PATH}")
    app.add_middleware(RequestLog, metrics=metrics, templates=templates)
    return app
