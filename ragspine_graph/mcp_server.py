"""The same reads as tools of the Model Context Protocol, for agents.

Who asks is known from outside of the conversation: by the key of an HTTP request, or by whoever
started the server on stdio. Results are cut to a budget of tokens, whole items from the end, and
say how many were left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Annotated, Any, TypeVar

from anyio import to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from ragspine_graph.errors import GraphError
from ragspine_graph.knowledge_base import KnowledgeBase
from ragspine_graph.retrieval import Expand, Shape
from ragspine_graph.retrieval.context import DEFAULT_BUDGET_TOKENS
from ragspine_store.errors import StoreError
from ragspine_store.sensitivity import Reader
from ragspine_store.tokens import EstimatedTokenCounter

T = TypeVar("T")
Json = dict[str, Any]
ReaderOf = Callable[[Context[Any]], Reader]

_INSTRUCTIONS = (
    "Documents with cited search. Call search or context with a question; cite source_locator. "
    "neighbours and path walk the relations between terms, documents and articles."
)
MAX_BUDGET = 50_000

Budget = Annotated[int, Field(ge=200, le=MAX_BUDGET, description="Tokens of the result at most.")]
Question = Annotated[str, Field(min_length=1, max_length=4_000)]
Name = Annotated[str, Field(min_length=1, max_length=1_000, description="A node: an id or a name.")]
Kinds = Annotated[list[str], Field(max_length=50, description="Only edges of these kinds.")]


def create_mcp_server(knowledge: KnowledgeBase, reader_of: ReaderOf) -> MCPServer:
    """The tools over one knowledge base.

    Args:
        knowledge: what is asked.
        reader_of: for whom a call reads.
    """
    server = MCPServer(
        "ragspine-graph", version=version("ragspine-graph"), instructions=_INSTRUCTIONS
    )

    @server.tool()
    async def search(
        context: Context[Any],
        query: Question,
        k: Annotated[int, Field(ge=1, le=50)] = 10,
        filters: dict[str, list[str]] | None = None,
        expand: Expand = "none",
        budget: Budget = DEFAULT_BUDGET_TOKENS,
    ) -> Json:
        """Find passages that answer a question; cite their source_locator.

        Filters: topic, entity, geography, period, language, doc_id, section, collection.
        """
        reader = reader_of(context)
        found = await _call(
            lambda: knowledge.search(query, k=k, filters=filters, expand=expand, reader=reader)
        )
        return _fit(found.to_dict(), ("snippets", "locators"), budget)

    @server.tool(name="context")
    async def get_context(
        context: Context[Any],
        query: Question,
        filters: dict[str, list[str]] | None = None,
        expand: Shape = "merge",
        budget: Budget = DEFAULT_BUDGET_TOKENS,
    ) -> Json:
        """Give whole articles and sections to answer a question from; cite their citations."""
        reader = reader_of(context)
        found = await _call(
            lambda: knowledge.context(
                query, budget=budget, filters=filters, expand=expand, reader=reader
            )
        )
        return _fit(found.to_dict(), ("blocks",), budget)

    @server.tool()
    async def neighbours(
        context: Context[Any],
        name: Name,
        kinds: Kinds | None = None,
        depth: Annotated[int, Field(ge=1, le=3)] = 1,
        budget: Budget = DEFAULT_BUDGET_TOKENS,
    ) -> Json:
        """Give what stands around a term, document or article in the relation graph."""
        reader = reader_of(context)
        found = await _call(
            lambda: knowledge.relations.neighbours(
                name, kinds=kinds or (), depth=depth, reader=reader
            )
        )
        return _fit(found.to_dict(), ("edges",), budget)

    @server.tool()
    async def path(
        context: Context[Any],
        source: Name,
        target: Name,
        kinds: Kinds | None = None,
    ) -> Json:
        """Give a shortest path of relations between two nodes."""
        reader = reader_of(context)
        found = await _call(
            lambda: knowledge.relations.path(source, target, kinds=kinds or (), reader=reader)
        )
        return found.to_dict()

    @server.tool()
    async def list_queries() -> Json:
        """List the named queries of the graph, with their parameters."""
        queries = [query.to_dict() for query in knowledge.cypher.queries()]
        return {"queries": [{k: v for k, v in q.items() if k != "text"} for q in queries]}

    @server.tool()
    async def run_query(
        context: Context[Any],
        name: Annotated[str, Field(max_length=100, description="As list_queries names it.")],
        parameters: dict[str, Any] | None = None,
        budget: Budget = DEFAULT_BUDGET_TOKENS,
    ) -> Json:
        """Run a named query of the graph."""
        reader = reader_of(context)
        found = await _call(
            lambda: knowledge.cypher.run(name, parameters, max_rows=1_000, reader=reader)
        )
        return _fit(found.to_dict(), ("rows",), budget)

    return server


async def _call(ask: Callable[[], T]) -> T:
    """Ask in a thread: the store's calls wait."""
    try:
        return await to_thread.run_sync(ask)
    except (StoreError, GraphError) as error:
        raise ToolError(str(error)) from None


def _fit(result: Json, lists: Sequence[str], budget: int) -> Json:
    """A result whose lists, which run parallel, are cut until it is within a budget."""
    count = EstimatedTokenCounter().count
    rest = {key: value for key, value in result.items() if key not in lists}
    room = budget - count(json.dumps(rest, ensure_ascii=False))
    kept = 0
    items = list(zip(*(result[key] for key in lists), strict=False))
    for item in items:
        room -= count(json.dumps(item, ensure_ascii=False))
        if room < 0:
            break
        kept += 1
    cut = {key: result[key][:kept] for key in lists}
    return {**result, **cut, "left_out": result.get("left_out", 0) + len(items) - kept}
