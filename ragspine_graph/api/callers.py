"""Who calls: a key as a bearer token becomes a role and a reader.

Without any key in the store everybody who reaches the loopback address is its administrator; a page
in a browser there is kept out by the name of the host that it has to send.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from ragspine_graph.api.permissions import Action, may
from ragspine_graph.api.problems import ProblemError
from ragspine_graph.knowledge_base import KnowledgeBase
from ragspine_store.access import AccessKey, Role
from ragspine_store.sensitivity import Reader

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
LOCAL = "local"

_bearer = HTTPBearer(auto_error=False, description="A key as `ragspine-graph keys create` gives it")
_CHALLENGE = {"WWW-Authenticate": "Bearer"}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls.

    Attributes:
        key_id: of the key; `local` without one.
        name: whose it is, as verdicts record it.
        role: what it may do.
        reader: for whom it reads.
    """

    key_id: str
    name: str
    role: Role
    reader: Reader

    @classmethod
    def of(cls, key: AccessKey) -> Caller:
        """The holder of a key."""
        return cls(key.key_id, key.name, key.role, key.reader)

    def may_write(self, collection: str) -> bool:
        """Whether documents of a collection are this caller's to change."""
        return self.reader.collections is None or collection in self.reader.collections


def get_knowledge(request: Request) -> KnowledgeBase:
    """The knowledge base that the application serves."""
    knowledge = request.app.state.knowledge
    assert isinstance(knowledge, KnowledgeBase)
    return knowledge


Knowledge = Annotated[KnowledgeBase, Depends(get_knowledge)]


def identify(
    request: Request,
    knowledge: Knowledge,
    presented: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Caller:
    """Who calls; noted for the log.

    Raises:
        ProblemError: no valid key, where one is needed.
    """
    token = None if presented is None else presented.credentials
    caller = get_caller(request, knowledge, token)
    request.state.caller = caller
    return caller


def allowed(action: Action) -> Callable[[Caller], Caller]:
    """A dependency that lets a caller pass who may do something."""

    def check(caller: Annotated[Caller, Depends(identify)]) -> Caller:
        if not may(caller.role, action):
            raise ProblemError(
                HTTPStatus.FORBIDDEN,
                f"a key with the role {caller.role.value} given; expected one that may "
                f"{action.value}: ask for another key",
            )
        return caller

    return check


ReadingCaller = Annotated[Caller, Depends(allowed(Action.READ))]
AuditingCaller = Annotated[Caller, Depends(allowed(Action.AUDIT))]
WritingCaller = Annotated[Caller, Depends(allowed(Action.WRITE))]
OperatingCaller = Annotated[Caller, Depends(allowed(Action.OPERATE))]


def get_caller(request: Request, knowledge: KnowledgeBase, token: str | None) -> Caller:
    """Who sends a request with a token, or without one.

    Raises:
        ProblemError: no valid key, where one is needed.
    """
    if token is not None:
        key = knowledge.keys.find(token)
        if key is None:
            raise ProblemError(
                HTTPStatus.UNAUTHORIZED,
                "a key that is unknown, expired or revoked given; expected a valid one",
                _CHALLENGE,
            )
        return Caller.of(key)
    if knowledge.keys.list():
        raise ProblemError(
            HTTPStatus.UNAUTHORIZED,
            "no key given; expected one in the header Authorization, as a bearer token",
            _CHALLENGE,
        )
    host = request.headers.get("host", "").rsplit(":", 1)[0].lower()
    if host not in LOOPBACK_HOSTS:
        raise ProblemError(
            HTTPStatus.MISDIRECTED_REQUEST,
            "a host other than localhost given, and the store has no keys; expected localhost: "
            "make a key with ragspine-graph keys create",
        )
    return Caller(LOCAL, LOCAL, Role.ADMIN, Reader())
