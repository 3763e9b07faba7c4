"""`Keys`: who may call the service; made, listed and revoked by an operator."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ragspine_graph.egress import Json
from ragspine_graph.errors import RequestError
from ragspine_store.access import (
    AccessKey,
    Role,
    hash_secret,
    is_secret_of,
    new_secret,
    parse_key,
)
from ragspine_store.errors import NotFoundError
from ragspine_store.protocols import Store
from ragspine_store.retrying import retried
from ragspine_store.sensitivity import Reader, Sensitivity, parse_label

MAX_NAME = 200


def key_to_dict(key: AccessKey) -> Json:
    """A key as a JSON object, without what is kept of its secret."""
    return {
        "key_id": key.key_id,
        "name": key.name,
        "role": key.role.value,
        "clearance": key.clearance.name,
        "collections": None if key.collections is None else list(key.collections),
        "created_at": key.created_at,
        "expires_at": key.expires_at or None,
        "revoked_at": key.revoked_at or None,
    }


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key as it is made.

    Attributes:
        key: as the store keeps it.
        token: what its holder presents; it is shown this once and kept nowhere.
    """

    key: AccessKey
    token: str = field(repr=False)

    def to_dict(self) -> Json:
        """As a JSON object."""
        return {**key_to_dict(self.key), "token": self.token}


class Keys:
    """The keys of one store.

    Args:
        store: an open store.
        clock: the time, with its zone.
    """

    def __init__(
        self, store: Store, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._store = store
        self._clock = clock

    def create(
        self,
        name: str,
        *,
        role: Role | str = Role.READER,
        clearance: Sensitivity | str = Sensitivity.CONFIDENTIAL,
        collections: Iterable[str] | None = None,
        expires: datetime | None = None,
    ) -> NewKey:
        """Make a key.

        Args:
            name: whose or what for; kept, listed and logged.
            role: what it may do, or its name.
            clearance: the highest label it may see.
            collections: those it may see and write; None for all.
            expires: from when on it is refused, with its zone; None for never.

        Raises:
            RequestError: the name is blank or too long, there is no such role, or the key would
                have expired already.
            LabelError: the clearance is RESTRICTED.
            FilterError: a collection is blank.
        """
        name = name.strip()
        if not 1 <= len(name) <= MAX_NAME or not name.isprintable():
            raise RequestError(
                f"a name of {len(name)} characters given; expected 1 to {MAX_NAME} printable ones "
                "that say whose the key is"
            )
        if role not in tuple(Role):
            raise RequestError(f"role = {role!r} given; expected one of {', '.join(Role)}")
        now = self._clock()
        if expires is not None and expires <= now:
            raise RequestError(
                f"expires = {expires.isoformat()} given, which is over; expected a time to come"
            )
        level = parse_label(clearance, source="the clearance")
        reader = Reader(level, None if collections is None else frozenset(collections))
        presented, token = new_secret()
        key = AccessKey(
            presented.key_id,
            hash_secret(presented.secret),
            name,
            Role(role),
            reader.clearance,
            None if reader.collections is None else tuple(sorted(reader.collections)),
            _written(now),
            "" if expires is None else _written(expires),
        )
        self._add(key)
        return NewKey(key, token)

    @retried
    def _add(self, key: AccessKey) -> None:
        with self._store.writing() as transaction:
            transaction.add_key(key)

    def list(self) -> list[AccessKey]:
        """All keys, oldest first; revoked and expired ones too."""
        with self._store.reading() as transaction:
            return transaction.keys()

    @retried
    def revoke(self, key_id: str) -> None:
        """Refuse a key from now on.

        Raises:
            NotFoundError: no key of that id, or it is revoked already.
        """
        with self._store.writing() as transaction:
            if not transaction.revoke_key(key_id, _written(self._clock())):
                raise NotFoundError(
                    f"no key {key_id!r} that could be revoked: expected an id as keys list gives it"
                )

    def find(self, token: str) -> AccessKey | None:
        """The key that a token presents; None when it is unknown, wrong, expired or revoked."""
        presented = parse_key(token)
        if presented is None:
            return None
        with self._store.reading() as transaction:
            key = transaction.find_key(presented.key_id)
        if key is None or not is_secret_of(presented.secret, key):
            return None
        return key if key.is_valid(self._clock()) else None


def _written(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds")
