"""The one place that picks a backend: from a file or a server's address to an open store."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ragspine_graph.config import ServiceConfig
from ragspine_graph.config.store_url import ServerAddress
from ragspine_graph.errors import ConfigError
from ragspine_store.protocols import Store
from ragspine_store.sqlite_store import ChunkStore

if TYPE_CHECKING:
    from ragspine_store.neo4j_store import Neo4jStore


def open_backend(
    place: Path | ServerAddress, config: ServiceConfig, *, create: bool = True
) -> Store:
    """Open a store, its schema in place.

    The credentials of a server are those of the environment: `NEO4J_USERNAME`, `NEO4J_PASSWORD`
    and `NEO4J_DATABASE`, as Neo4j's own tools name them.

    Args:
        place: where the store is.
        config: what is kept of a RESTRICTED document, and the key of stubs.
        create: False refuses a store that does not exist.

    Raises:
        ConfigError: there is no store and `create` is False, or the extra `neo4j` is missing.
        StoreFormatError: what is there is no store.
        StoreLockedError: another process kept the write lock.
        StoreUnavailableError: the server does not answer, or refuses the credentials.
    """
    if isinstance(place, Path):
        if not create and not has_store(place, config):
            raise _no_store(str(place))
        file = _open_file(place, config)
        with _closing_on_failure(file):
            file.init_schema()
        return file
    store = _open_server(place, config)
    with _closing_on_failure(store):
        if not create and not store.exists():
            raise _no_store(place.uri)
        store.init_schema()
    return store


def has_store(place: Path | ServerAddress, config: ServiceConfig) -> bool:
    """Whether there is a store at a place; nothing is created.

    Raises:
        ConfigError: the extra `neo4j` is missing.
        StoreUnavailableError: the server does not answer, or refuses the credentials.
    """
    if isinstance(place, Path):
        return place.exists() and place.stat().st_size > 0
    with closing(_open_server(place, config)) as store:
        return store.exists()


@contextmanager
def _closing_on_failure(store: Store) -> Generator[None]:
    try:
        yield
    except BaseException:
        store.close()
        raise


def _open_file(path: Path, config: ServiceConfig) -> ChunkStore:
    return ChunkStore(
        path,
        restricted_at_rest=config.restricted_at_rest,
        stub_key=stub_key(config),
        words=config.words,
    )


def _open_server(address: ServerAddress, config: ServiceConfig) -> Neo4jStore:
    try:
        from ragspine_store.neo4j_store import Neo4jStore  # noqa: PLC0415 the extra neo4j
    except ModuleNotFoundError as error:
        if error.name != "neo4j":
            raise
        raise ConfigError(
            f"store {address.uri!r} given, and what talks to Neo4j is not installed; expected the "
            'extra neo4j: run pip install "ragspine-graph[neo4j]"'
        ) from None
    return Neo4jStore(
        address.uri,
        username=os.environ.get("NEO4J_USERNAME") or None,
        password=os.environ.get("NEO4J_PASSWORD") or None,
        database=os.environ.get("NEO4J_DATABASE") or None,
        restricted_at_rest=config.restricted_at_rest,
        stub_key=stub_key(config),
        words=config.words,
    )


def stub_key(config: ServiceConfig) -> bytes | None:
    """The key of stubs that the settings state."""
    return config.stub_key.get_secret_value().encode() if config.stub_key else None


def _no_store(where: str) -> ConfigError:
    return ConfigError(
        f"no store at {where!r}: expected one that was ingested into; run ingest first, or name "
        "another with --store"
    )
