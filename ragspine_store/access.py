"""Keys of the service: who may call it, for what, and what each call may see.

A key's secret is shown once, when it is made; a store keeps its SHA-256, which is enough for 256
random bits. Keys belong to the service that stands before a store: a copy does not carry them.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Protocol

from ragspine_store.sensitivity import Reader, Sensitivity

_PREFIX = "rsg"
_KEY = re.compile(rf"{_PREFIX}_([0-9a-f]{{12}})_([A-Za-z0-9_-]{{43}})")


class Role(StrEnum):
    """What the holder of a key may do; see `ragspine_graph.api.permissions`."""

    READER = "reader"
    AUDITOR = "auditor"
    EDITOR = "editor"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class AccessKey:
    """A key as a store keeps it.

    Attributes:
        key_id: names it in lists and logs; public.
        secret_hash: SHA-256 of the secret, as hexadecimal digits.
        name: whose or what for, as its maker wrote it.
        role: what it may do.
        clearance: the highest label it may see.
        collections: those it may see and write; None for all.
        created_at: ISO 8601, UTC, like the next two.
        expires_at: from when on it is refused; '' for never.
        revoked_at: since when it is refused; '' while it is not.
    """

    key_id: str
    secret_hash: str = field(repr=False)
    name: str
    role: Role
    clearance: Sensitivity
    collections: tuple[str, ...] | None
    created_at: str
    expires_at: str = ""
    revoked_at: str = ""

    @property
    def reader(self) -> Reader:
        """For whom its calls read."""
        return Reader(
            self.clearance, None if self.collections is None else frozenset(self.collections)
        )

    def is_valid(self, now: datetime) -> bool:
        """Whether it is neither revoked nor expired at a time, which carries its zone."""
        if self.revoked_at:
            return False
        return not self.expires_at or now < datetime.fromisoformat(self.expires_at)


class Presented(NamedTuple):
    """A key as a caller gives it, taken apart."""

    key_id: str
    secret: str


def new_secret() -> tuple[Presented, str]:
    """A fresh id and secret, and the text that a caller presents: the only time it is known."""
    presented = Presented(secrets.token_hex(6), secrets.token_urlsafe(32))
    return presented, f"{_PREFIX}_{presented.key_id}_{presented.secret}"


def parse_key(text: str) -> Presented | None:
    """The parts of a presented key; None when it is none of ours.

    >>> parse_key("secret") is None
    True
    """
    match = _KEY.fullmatch(text)
    return Presented(match[1], match[2]) if match else None


def hash_secret(secret: str) -> str:
    """What a store keeps of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def is_secret_of(secret: str, key: AccessKey) -> bool:
    """Whether a secret is that of a key; takes as long when it is not."""
    return hmac.compare_digest(hash_secret(secret), key.secret_hash)


class AccessReader(Protocol):
    """Reads of the keys."""

    def find_key(self, key_id: str) -> AccessKey | None:
        """A key, revoked and expired ones too."""
        ...

    def keys(self) -> list[AccessKey]:
        """All keys, oldest first, then by id."""
        ...


class AccessWriter(Protocol):
    """Changes of the keys."""

    def add_key(self, key: AccessKey) -> None:
        """Keep a new key."""
        ...

    def revoke_key(self, key_id: str, at: str) -> bool:
        """Refuse a key from now on; whether there is one that was not revoked before."""
        ...
