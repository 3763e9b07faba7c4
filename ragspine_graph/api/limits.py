"""The largest body that is read: one that is larger is refused before it is held."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ragspine_graph.api.problems import ProblemError, problem

MAX_BODY_BYTES = 2**20
MAX_UPLOAD_BYTES = 256 * 2**20

# How long a client may send nothing before it is given up.
SILENCE_S = 30.0

UPLOAD_PATH = "/documents"
MCP_PATH = "/mcp"


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
            await self._refuse(_too_large(), scope, receive, send)
            return
        has_body = bool(stated) or "transfer-encoding" in request.headers
        try:
            body = await _read(receive) if has_body else b""
        except ProblemError as error:
            await self._refuse(error, scope, receive, send)
            return
        given = False

        async def whole() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, whole if has_body else receive, send)

    async def _refuse(
        self, error: ProblemError, scope: Scope, receive: Receive, send: Send
    ) -> None:
        headers = {"Connection": "close"}
        response = problem(Request(scope), error.status, error.detail, headers)
        await response(scope, receive, send)


async def _read(receive: Receive) -> bytes:
    """A whole body, before anything is answered.

    Raises:
        ProblemError: it is too large, or stops coming.
    """
    body = bytearray()
    while True:
        try:
            message = await asyncio.wait_for(receive(), SILENCE_S)
        except TimeoutError:
            raise ProblemError(
                HTTPStatus.REQUEST_TIMEOUT,
                f"nothing received for {SILENCE_S:.0f} s; expected the rest of the body",
            ) from None
        if message["type"] != "http.request":
            raise ProblemError(
                HTTPStatus.BAD_REQUEST, "the connection ended; expected the rest of the body"
            )
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            raise _too_large()
        if not message.get("more_body"):
            return bytes(body)


def _too_large() -> ProblemError:
    return ProblemError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"a body of more than {MAX_BODY_BYTES:,} bytes given; expected a smaller one",
    )
