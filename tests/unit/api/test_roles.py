"""Every route, called as every role."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from fastapi.testclient import TestClient

from ragspine_graph import KnowledgeBase
from ragspine_graph.api.permissions import Action, may
from ragspine_store.access import Role
from tests.unit.api.conftest import bearer

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
    Call("POST", "/v1/queries/{name}", Action.READ, 400, url="/v1/queries/none", json={}),
    Call("GET", "/v1/audit/edges", Action.AUDIT, 200),
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


def test_every_route_stands_in_the_table(client: TestClient) -> None:
    described = client.get("/v1/openapi.json").json()["paths"]
    routes = {(method.upper(), path) for path, methods in described.items() for method in methods}
    assert routes == {(call.method, call.path) for call in CALLS}


@pytest.mark.parametrize("role", Role)
def test_a_role_may_do_what_its_table_says_and_no_more(
    client: TestClient, knowledge: KnowledgeBase, role: Role
) -> None:
    operator = bearer(knowledge, Role.ADMIN)
    assert send(client, upload_of_pay(), operator) == 202
    wait_for_jobs(client, operator)
    headers = bearer(knowledge, role)
    for call in CALLS:
        is_allowed = call.action is OPEN or may(role, call.action)
        assert send(client, call, headers) == (call.status if is_allowed else 403), call


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.method} {call.path}")
def test_without_a_key_nothing_but_health_is_answered_once_there_are_keys(
    client: TestClient, knowledge: KnowledgeBase, call: Call
) -> None:
    bearer(knowledge)
    status = send(client, call, {})
    assert status == (call.status if call.action is OPEN else 401)


@pytest.mark.parametrize(
    "token", ["x", "rsg_0123456789ab_" + "A" * 43, ""], ids=["no key", "an unknown key", "empty"]
)
def test_a_wrong_key_is_no_key(client: TestClient, knowledge: KnowledgeBase, token: str) -> None:
    bearer(knowledge)
    answer = client.get("/v1/status", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_revoked_key_is_refused_at_once(client: TestClient, knowledge: KnowledgeBase) -> None:
    headers = bearer(knowledge)
    assert client.get("/v1/status", headers=headers).status_code == 200
    (key,) = knowledge.keys.list()
    knowledge.keys.revoke(key.key_id)
    assert client.get("/v1/status", headers=headers).status_code == 401


def test_a_page_in_a_browser_cannot_use_a_service_without_keys(client: TestClient) -> None:
    answer = client.get("/v1/status", headers={"Host": "attacker.example"})
    assert answer.status_code == 421


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
