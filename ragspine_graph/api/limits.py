"""The largest body that is read: one that is larger is refused before it is held."""

from __future__ import annotations

from http import HTTPStatus

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ragspine_graph.api.problems import ProblemError, problem

MAX_BODY_BYTES = 2**20
MAX_UPLOAD_BYTES = 256 * 2**20

UPLOAD_PATH = "/documents"


class BodyLimit:
    """Refuses bodies beyond `MAX_BODY_BYTES`, whether they say their length or not.

    Args:
        app: what is served.
        upload: path of the route that counts for itself, since it holds no body in memory.
    """

    def __init__(self, app: ASGIApp, upload: str) -> None:
        self._app = app
        self._upload = upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        is_upload = scope.get("path") == self._upload and scope.get("method") == "PUT"
        if scope["type"] != "http" or is_upload:
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        stated = request.headers.get("content-length", "")
        if stated.isdecimal() and int(stated) > MAX_BODY_BYTES:
            await self._refuse(request, scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > MAX_BODY_BYTES:
                raise _too_large()
            return message

        await self._app(scope, counted, send)

    async def _refuse(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        error = _too_large()
        response = problem(request, error.status, error.detail, {"Connection": "close"})
        await response(scope, receive, send)


def _too_large() -> ProblemError:
    return ProblemError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"a body of more than {MAX_BODY_BYTES:,} bytes given; expected a smaller one",
    )
