"""Calls of the HTTP API: one of every route, and whoever sends them."""

from __future__ import annotations

from typing import NamedTuple

from fastapi.testclient import TestClient

from ragspine_graph import KnowledgeBase
from ragspine_graph.api import create_app
from ragspine_graph.api.permissions import Action
from ragspine_graph.cypher.named import list_queries
from ragspine_store.access import Role

OPEN = None


class Call(NamedTuple):
    """A route, what it takes, what it needs, and how it answers who may."""

    method: str
    path: str
    action: Action | None
    status: int
    url: str = ""
    json: object = None
    content: bytes | None = None


CALLS = [
    Call("POST", "/v1/search", Action.READ, 200, json={"query": "salary"}),
    Call("POST", "/v1/context", Action.READ, 200, json={"query": "salary"}),
    Call("GET", "/v1/nodes", Action.READ, 200, url="/v1/nodes?id=hr/pay.md"),
    Call("GET", "/v1/documents", Action.READ, 200),
    Call(
        *("PUT", "/v1/documents", Action.WRITE, 202),
        url="/v1/documents?collection=hr&name=new.md",
        content=b"# New\n\ntea\n",
    ),
    Call("DELETE", "/v1/documents", Action.OPERATE, 404, url="/v1/documents?id=none.md"),
    Call(
        *("PUT", "/v1/labels", Action.OPERATE, 404),
        url="/v1/labels?id=none.md",
        json={"sensitivity": "PUBLIC"},
    ),
    Call("GET", "/v1/jobs", Action.OPERATE, 200),
    Call("GET", "/v1/jobs/{job_id}", Action.WRITE, 404, url="/v1/jobs/none"),
    Call("DELETE", "/v1/jobs/{job_id}", Action.WRITE, 404, url="/v1/jobs/none"),
    Call("GET", "/v1/jobs/{job_id}/events", Action.WRITE, 404, url="/v1/jobs/none/events"),
    Call("GET", "/v1/status", Action.READ, 200),
    Call("GET", "/v1/status/operator", Action.OPERATE, 200),
    Call("GET", "/v1/relations", Action.READ, 200),
    Call(
        "GET", "/v1/relations/neighbours", Action.READ, 404, url="/v1/relations/neighbours?name=x"
    ),
    Call("GET", "/v1/relations/path", Action.READ, 404, url="/v1/relations/path?source=x&target=y"),
    Call("GET", "/v1/relations/dangling", Action.READ, 200),
    Call("GET", "/v1/queries", Action.READ, 200),
    *(
        Call(
            *("POST", f"/v1/queries/{query.name}", Action.READ, 200),
            json={"parameters": {p.name: "2026" for p in query.parameters if p.default is None}},
        )
        for query in list_queries()
    ),
    Call("GET", "/v1/audit/edges", Action.AUDIT, 200),
    Call(
        *("GET", "/v1/audit/rules/{rule}/edges", Action.AUDIT, 200),
        url="/v1/audit/rules/mentions/edges",
    ),
    Call("GET", "/v1/audit/edges/{edge_id}", Action.AUDIT, 404, url="/v1/audit/edges/none"),
    Call("POST", "/v1/audit/verify", Action.AUDIT, 404, json={"edges": ["none"]}),
    Call("POST", "/v1/audit/reject", Action.AUDIT, 404, json={"edges": ["none"]}),
    Call("GET", "/v1/audit/log", Action.AUDIT, 200),
    Call("GET", "/v1/audit/rejections", Action.AUDIT, 200),
    Call("GET", "/health", OPEN, 200),
    Call("GET", "/ready", OPEN, 200),
    Call("GET", "/metrics", OPEN, 200),
]


def send(client: TestClient, call: Call, headers: dict[str, str]) -> int:
    """How a call is answered."""
    answer = client.request(
        call.method,
        call.url or call.path,
        json=call.json,
        content=call.content,
        headers=headers,
    )
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == answer.status_code
    return answer.status_code


def client_of(knowledge: KnowledgeBase) -> TestClient:
    """A client of an application over a knowledge base; enter it."""
    return TestClient(create_app(knowledge), base_url="http://localhost")


def bearer(
    knowledge: KnowledgeBase,
    role: Role = Role.READER,
    *,
    collections: list[str] | None = None,
    clearance: str = "CONFIDENTIAL",
) -> dict[str, str]:
    """The header that a fresh key of a role is sent in."""
    made = knowledge.keys.create(
        role.value, role=role, collections=collections, clearance=clearance
    )
    return {"Authorization": f"Bearer {made.token}"}


def upload_of_pay() -> Call:
    """A document that the calls of the table ask for."""
    return Call(
        *("PUT", "/v1/documents", Action.WRITE, 202),
        url="/v1/documents?collection=hr&name=pay.md",
        content=b"# Pay\n\n1. The salary is paid monthly.\n",
    )


def wait_for_jobs(client: TestClient, headers: dict[str, str]) -> None:
    """Return when every job is over: its events end then."""
    for job in client.get("/v1/jobs", headers=headers).json()["jobs"]:
        client.get(f"/v1/jobs/{job['job_id']}/events", headers=headers)
