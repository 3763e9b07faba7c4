"""The same question gets the same snippets from every surface, on every store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp.types import CallToolResult, InputRequiredResult
from typer.testing import CliRunner

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_graph.cli import app
from ragspine_graph.mcp_server import create_mcp_server
from ragspine_store.sensitivity import Reader
from tests.api_calls import bearer, client_of

TEXT = """# 就業規則

## 第1条 給与

1. 給与は毎月25日に払う。
2. 賞与は第2条による。

## 第2条 賞与

1. 賞与は年2回払う。
"""


@pytest.mark.parametrize("query", ["給与", "第2条 賞与", "無い言葉"])
def test_library_command_route_and_tool_give_the_same(
    tmp_path: Path, store_url: str, query: str
) -> None:
    file = tmp_path / "docs" / "rules.md"
    file.parent.mkdir()
    file.write_text(TEXT, encoding="utf-8")
    config = ServiceConfig.load(store=store_url, chunker="hierarchical")
    with KnowledgeBase.open(config=config) as knowledge:
        knowledge.ingest(file)
        searched: Mapping[str, Any] = knowledge.search(query, k=5).to_dict()
        context: Mapping[str, Any] = knowledge.context(query, expand="merge").to_dict()
        with client_of(knowledge) as client:
            headers = bearer(knowledge)
            by_http = client.post("/v1/search", json={"query": query, "k": 5}, headers=headers)
            context_by_http = client.post(
                "/v1/context", json={"query": query, "expand": "merge"}, headers=headers
            )
        server = create_mcp_server(knowledge, lambda _: Reader())
        tool_asked = {"query": query, "k": 5, "expand": "window", "budget": 50_000}
        by_tool = asyncio.run(server.call_tool("search", tool_asked))
        context_by_tool = asyncio.run(server.call_tool("context", {"query": query}))
    store = ["--store", store_url]
    by_command = command("search", query, "-k", "5", "--json", *store)
    context_by_command = command("context", query, "--expand", "merge", "--json", *store)
    assert by_http.json() == by_command == searched
    assert context_by_http.json() == context_by_command == context
    assert structured(by_tool) == {**searched, "left_out": 0}
    assert structured(context_by_tool) == context


def command(*arguments: str) -> object:
    """What a command prints as JSON."""
    ran = CliRunner().invoke(app, list(arguments))
    assert ran.exit_code == 0, ran.output
    return json.loads(ran.stdout)


def structured(result: CallToolResult | InputRequiredResult) -> object:
    """A tool's result as the object it stands for."""
    assert isinstance(result, CallToolResult)
    return result.structured_content
