"""What goes wrong, as problem details (RFC 9457): never a trace, never text of a document."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from ragspine_graph.errors import (
    ConfigError,
    GraphError,
    NotEmbeddedError,
    QuestionRefusedError,
    RequestError,
)
from ragspine_store.errors import (
    CypherError,
    DocumentIdError,
    EmbeddingError,
    FilterError,
    LabelError,
    LoadError,
    NamedQueryError,
    NotFoundError,
    QueryError,
    RelationError,
    StoreError,
    StoreLockedError,
    StoreUnavailableError,
    VectorError,
    WordsError,
)

MEDIA_TYPE = "application/problem+json"

_STATUS: tuple[tuple[type[Exception], HTTPStatus], ...] = (
    (NotFoundError, HTTPStatus.NOT_FOUND),
    (QuestionRefusedError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (StoreLockedError, HTTPStatus.SERVICE_UNAVAILABLE),
    (StoreUnavailableError, HTTPStatus.SERVICE_UNAVAILABLE),
    (ConfigError, HTTPStatus.NOT_IMPLEMENTED),
    *(
        (error, HTTPStatus.SERVICE_UNAVAILABLE)
        for error in (EmbeddingError, NotEmbeddedError, VectorError, WordsError)
    ),
    *(
        (error, HTTPStatus.BAD_REQUEST)
        for error in (
            DocumentIdError,
            QueryError,
            FilterError,
            LabelError,
            LoadError,
            RelationError,
            NamedQueryError,
            CypherError,
            RequestError,
        )
    ),
)
_RETRY_AFTER_S = "1"


class Problem(BaseModel):
    """Problem details.

    Attributes:
        type: always `about:blank`: the status says what kind it is.
        title: of the status.
        status: as in the response.
        detail: what was given, what was expected, what to do.
        instance: the request, by its id in the log.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "about:blank",
                "title": "Bad Request",
                "status": 400,
                "detail": "k = 0 given; expected 1 to 10,000, a whole number",
                "instance": "urn:request:5f0c8a3e9b1d4c7f",
            }
        }
    )

    type: str = "about:blank"
    title: str
    status: int = Field(ge=400, le=599)
    detail: str
    instance: str


class ProblemError(Exception):
    """A request that is answered with a problem.

    Args:
        status: of the response.
        detail: what was given, what was expected, what to do.
        headers: to send besides.
    """

    def __init__(
        self, status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers or {}


def problem(
    request: Request, status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """A response that says what went wrong."""
    body = Problem(
        title=status.phrase,
        status=status,
        detail=detail,
        instance=f"urn:request:{request.state.request_id}",
    )
    return JSONResponse(
        body.model_dump(), status_code=status, media_type=MEDIA_TYPE, headers=dict(headers or {})
    )


def add_problems(app: FastAPI) -> None:
    """Answer every error of an application with problem details."""
    app.add_exception_handler(ProblemError, _on_problem)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(StoreError, _on_raised)
    app.add_exception_handler(GraphError, _on_raised)
    app.add_exception_handler(Exception, _on_unexpected)


def problem_responses(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    """What OpenAPI says of a route that may answer with these."""
    return {
        int(status): {"model": Problem, "description": status.phrase, "content": {MEDIA_TYPE: {}}}
        for status in statuses
    }


async def _on_problem(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ProblemError)
    return problem(request, error.status, error.detail, error.headers)


async def _on_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    status, headers = HTTPStatus(error.status_code), error.headers
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        template = request.app.state.templates.find(request.url.path)
        headers = {"Allow": ", ".join(template.methods)} if template else headers
    detail = f"{status.phrase}: {status.description}"
    if status is HTTPStatus.BAD_REQUEST:
        detail = "the body is no JSON in UTF-8; expected one JSON object"
    return problem(request, status, detail, headers)


async def _on_invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    # What was sent is left out: it may be text of a document.
    faults = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()[:5]]
    return problem(request, HTTPStatus.UNPROCESSABLE_ENTITY, "; ".join(faults))


async def _on_raised(request: Request, error: Exception) -> JSONResponse:
    for kind, status in _STATUS:
        if isinstance(error, kind):
            is_busy = status is HTTPStatus.SERVICE_UNAVAILABLE
            return problem(
                request, status, str(error), {"Retry-After": _RETRY_AFTER_S} if is_busy else None
            )
    return await _on_unexpected(request, error)


async def _on_unexpected(request: Request, error: Exception) -> JSONResponse:
    structlog.get_logger().error("unexpected", error=type(error).__name__)
    return problem(
        request,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        f"unexpected {type(error).__name__}; expected none: look for this request in the log",
    )
