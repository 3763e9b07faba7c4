"""Every route, called as every role."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from ragspine_graph import KnowledgeBase
from ragspine_graph.api.permissions import may
from ragspine_store.access import Role
from tests.api_calls import CALLS, OPEN, Call, bearer, send, upload_of_pay, wait_for_jobs


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
        is_allowed = call.action is None or may(role, call.action)
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
