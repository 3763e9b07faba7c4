"""One line of the log for each request, with an id that its problem details name too.

It holds the route's template, never the path, the query string or the body: those may hold an id
that is withheld, or words of a document.
"""

from __future__ import annotations

import re
import secrets
import time

import structlog
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ragspine_graph.api.limits import MCP_PATH
from ragspine_graph.api.metrics import UNKNOWN_ROUTE, Metrics
from ragspine_graph.api.templates import Templates

HEADER = "X-Request-ID"

_GIVEN = re.compile(r"[A-Za-z0-9._-]{1,64}")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestLog:
    """Names, times, counts and logs requests.

    Args:
        app: what answers them.
        metrics: counts them.
        templates: the routes by which they are counted.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, templates: Templates) -> None:
        self._app = app
        self._metrics = metrics
        self._templates = templates
        self._log = structlog.get_logger()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        given = request.headers.get(HEADER, "")
        request_id = given if _GIVEN.fullmatch(given) else secrets.token_hex(8)
        request.state.request_id = request_id
        status, start = 500, time.perf_counter()

        async def named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = list(message.get("headers", ()))
                message["headers"] = [*headers, (HEADER.lower().encode(), request_id.encode())]
            await send(message)

        try:
            await self._app(scope, receive, named)
        finally:
            seconds = time.perf_counter() - start
            template = self._templates.find(request.url.path)
            is_tool = request.url.path.startswith(f"{MCP_PATH}/")
            route = template.path if template else MCP_PATH if is_tool else UNKNOWN_ROUTE
            method = request.method if request.method in _METHODS else "OTHER"
            self._metrics.note(method, route, status, seconds)
            caller = getattr(request.state, "caller", None)
            self._log.info(
                "request",
                request_id=request_id,
                method=method,
                route=route,
                status=int(status),
                ms=round(1000 * seconds, 1),
                key=caller.key_id if caller else None,
            )
