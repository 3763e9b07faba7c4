"""A canary stands in all that is withheld; no route tells it, to whatever role."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterator
from itertools import product
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_graph.api.permissions import Action
from ragspine_graph.mcp_server import create_mcp_server
from ragspine_store.access import Role
from ragspine_store.sensitivity import Reader
from tests.api_calls import Call, bearer, client_of
from tests.conftest import AtRest

pytestmark = pytest.mark.guarantee("G1")

CANARY = "canaryquartz"
FOREIGN = "foreignopal"
SECRET_NAME = "hiddenfilename"
VISIBLE = "# Rules\n\n## 第1条 Pay\n\n1. The salary is paid monthly.\n2. 給与は第3条による。\n"
QUESTIONS = ("salary", "給与", CANARY, FOREIGN, "第3条", f"salary {CANARY}")
IDS = [
    f"{name}{fragment}"
    for name in (
        "docs/visible.md",
        f"docs/{SECRET_NAME}.md",
        f"docs/{SECRET_NAME}-raised.md",
        "docs/foreign.md",
        "docs/none.md",
    )
    for fragment in ("", "#s1", "#s2", "#c0", "#c1", "#para1-9")
]


def text_with(word: str) -> str:
    return (
        f"# {word}\n\n## 第3条 {word}\n\n1. The salary of {word} is paid. {word}とは第1条をいう。\n"
    )


@pytest.fixture
def knowledge(tmp_path: Path, at_rest: AtRest, store_url: str) -> Generator[KnowledgeBase]:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in {
        "visible": VISIBLE,
        SECRET_NAME: "---\nsensitivity: RESTRICTED\n---\n" + text_with(CANARY),
        f"{SECRET_NAME}-raised": text_with(CANARY),
        "foreign": "---\ncollection: law\n---\n" + text_with(FOREIGN),
    }.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    config = ServiceConfig.load(
        store=store_url,
        chunker="hierarchical",
        restricted_at_rest=at_rest,
        entity_sources="profile,titles,terms",
        relation_extractor="deterministic",
    )
    with KnowledgeBase.open(config=config) as knowledge:
        knowledge.ingest(folder)
        knowledge.build_relations()
        knowledge.relabel(f"docs/{SECRET_NAME}-raised.md", "RESTRICTED")
        yield knowledge


def calls() -> Iterator[Call]:
    for question, expand in product(QUESTIONS, ("none", "window")):
        asked = {"query": question, "k": 50, "expand": expand}
        yield Call("POST", "/v1/search", Action.READ, 200, json=asked)
        yield Call("POST", "/v1/search", Action.READ, 200, json={**asked, "filters": {"x": ["y"]}})
    for question, expand in product(QUESTIONS, ("window", "merge")):
        asked = {"query": question, "expand": expand}
        yield Call("POST", "/v1/context", Action.READ, 200, json=asked)
    for node_id in IDS:
        for method, path in (("GET", "nodes"), ("DELETE", "documents")):
            if method == "GET" or node_id == "docs/none.md":
                yield Call(method, f"/v1/{path}?id={node_id.replace('#', '%23')}", None, 200)
        article = {"parameters": {"article": node_id}}
        yield Call("POST", "/v1/queries/references_out", None, 200, json=article)
    for name in ("salary", "第1条", "第3条", CANARY, f"document:docs/{SECRET_NAME}-raised.md"):
        yield Call(
            "GET", f"/v1/relations/neighbours?name={name}&depth=6&unverified=true", None, 200
        )
        yield Call("GET", f"/v1/relations/path?source={name}&target=第1条", None, 200)
        yield Call("GET", f"/v1/audit/edges/{name}", None, 200)
    for path in (
        *("documents", "documents?limit=1", "status", "relations?unverified=true", "queries"),
        *(
            "relations?limit=1",
            "relations/dangling",
            "audit/edges",
            "audit/rules/co_occurs_with/edges",
        ),
        *("audit/log", "audit/rejections", "jobs", "jobs/none", "status/operator", "openapi.json"),
    ):
        yield Call("GET", f"/v1/{path}", None, 200)
    for body in (b"{", b"[]", f'{{"query": "{CANARY}", "{CANARY}": 1}}'.encode()):
        yield Call("POST", "/v1/search", None, 422, content=body)
    for name in (f"{SECRET_NAME}.md", "visible.md"):
        url = f"/v1/documents?collection=docs&name={name}"
        yield Call("PUT", url, None, 202, content=VISIBLE.encode())


def answers(client: TestClient, headers: dict[str, str]) -> Iterator[tuple[Call, str]]:
    """All that is said to a caller: bodies and headers."""
    for call in calls():
        answer = client.request(
            call.method, call.path, json=call.json, content=call.content, headers=headers
        )
        assert answer.status_code < 500, (call, answer.text)
        yield call, f"{answer.headers} {answer.text}"


def told(call: Call) -> str:
    """What a caller has said himself, and may be told again."""
    return f"{call.path} {call.json} {call.content!r}"


@pytest.mark.parametrize("role", Role)
def test_no_route_tells_what_is_withheld(
    knowledge: KnowledgeBase, role: Role, capsys: pytest.CaptureFixture[str]
) -> None:
    with client_of(knowledge) as client:
        headers = bearer(knowledge, role, collections=["default", "docs"])
        for call, said in answers(client, headers):
            for trace in (CANARY, FOREIGN, SECRET_NAME):
                if trace not in told(call) and not is_operators(call, trace):
                    assert trace not in said, call
                elif trace != SECRET_NAME and trace in told(call):
                    # The question comes back, and nothing besides it.
                    assert said.count(trace) <= told(call).count(trace) + 1, call
        metrics = client.get("/metrics").text
    log = "".join(capsys.readouterr())
    for trace in (CANARY, FOREIGN, SECRET_NAME):
        assert trace not in metrics
        assert trace not in log


def test_a_key_of_all_collections_is_told_of_the_other_one(knowledge: KnowledgeBase) -> None:
    with client_of(knowledge) as client:
        asked = {"query": "salary", "k": 50}
        said = client.post("/v1/search", json=asked, headers=bearer(knowledge)).text
    assert FOREIGN in said
    assert CANARY not in said


def is_operators(call: Call, trace: str) -> bool:
    """Whether an operator is told ids and labels there, which is what it is for."""
    return call.path == "/v1/status/operator" and trace == SECRET_NAME


def test_no_tool_tells_what_is_withheld(knowledge: KnowledgeBase) -> None:
    server = create_mcp_server(knowledge, lambda _: Reader(collections=frozenset({"default"})))

    async def ask() -> str:
        said: list[str] = []
        for question in ("salary", "給与", "第3条"):
            for tool in ("search", "context"):
                said.append(repr(await server.call_tool(tool, {"query": question})))
        for name in ("salary", "第1条", "第3条"):
            for tool, asked in (
                ("neighbours", {"name": name, "depth": 3}),
                ("path", {"source": name, "target": "第1条"}),
                ("run_query", {"name": "references_out", "parameters": {"article": name}}),
            ):
                try:
                    said.append(repr(await server.call_tool(tool, asked)))
                except Exception as error:  # a refusal says something too
                    said.append(repr(error))
        return " ".join(said)

    said = asyncio.run(ask())
    assert "The salary is paid monthly" in said
    for trace in (CANARY, FOREIGN, SECRET_NAME):
        assert trace not in said
