"""What each role may do: one table, which the routes ask and a test goes through."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from ragspine_store.access import Role


class Action(StrEnum):
    """What a route does, as far as roles differ in it."""

    READ = "read"
    """Search, context, documents, relations, named queries: what the key may see."""
    AUDIT = "audit"
    """See what models proposed and what was thrown out, and give verdicts."""
    WRITE = "write"
    """Upload, relabel and delete documents of the key's collections."""
    OPERATE = "operate"
    """See what is withheld, as counts and labels; every collection and every id."""


ROLE_ACTIONS: Mapping[Role, frozenset[Action]] = {
    Role.READER: frozenset({Action.READ}),
    Role.AUDITOR: frozenset({Action.READ, Action.AUDIT}),
    Role.EDITOR: frozenset({Action.READ, Action.WRITE}),
    Role.ADMIN: frozenset(Action),
}


def may(role: Role, action: Action) -> bool:
    """Whether a role may do something.

    >>> may(Role.AUDITOR, Action.AUDIT), may(Role.READER, Action.WRITE)
    (True, False)
    """
    return action in ROLE_ACTIONS[role]
