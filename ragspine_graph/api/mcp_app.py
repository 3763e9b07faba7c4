"""The tools over HTTP, behind the same keys as the routes."""

from __future__ import annotations

from typing import Any

from anyio import to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from ragspine_graph.api.callers import Caller, get_caller
from ragspine_graph.api.problems import ProblemError, problem
from ragspine_graph.knowledge_base import KnowledgeBase
from ragspine_graph.mcp_server import create_mcp_server
from ragspine_store.sensitivity import Reader


def create_tools(knowledge: KnowledgeBase) -> tuple[MCPServer, ASGIApp]:
    """The tools for whoever holds a key, and the application that serves them at `MCP_PATH`."""
    server = create_mcp_server(knowledge, _reader_of)
    # Who may call is asked of the key; without keys the name of the host is checked there too.
    tools = server.streamable_http_app(
        streamable_http_path="/",
        json_response=True,
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return server, _KeyGate(tools, knowledge)


class _KeyGate:
    """Lets requests pass that carry a key, and notes whose."""

    def __init__(self, app: ASGIApp, knowledge: KnowledgeBase) -> None:
        self._app = app
        self._knowledge = knowledge

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        request = Request(scope)
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        presented = token.strip() if scheme.lower() == "bearer" else None
        try:
            request.state.caller = await to_thread.run_sync(
                get_caller, request, self._knowledge, presented
            )
        except ProblemError as error:
            response = problem(request, error.status, error.detail, error.headers)
            await response(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _reader_of(context: Context[Any]) -> Reader:
    scope: Scope = getattr(context.request_context.request, "scope", {})
    caller = scope["state"]["caller"]
    assert isinstance(caller, Caller)
    return caller.reader
