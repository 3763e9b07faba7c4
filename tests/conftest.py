"""What all tests share: settings of hypothesis, a clean environment, stores in both modes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, settings

from tests.backends import STUB_KEY, Place, SQLiteBackend, fresh_backend
from tests.neo4j_server import CALVER, LTS, Server, running_server

AtRest = Literal["stub", "text"]

settings.register_profile(
    "quick", deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.register_profile("repeatable", settings.get_profile("quick"), derandomize=True)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the developer's own reaches a test."""
    for name in [name for name in os.environ if name.upper().startswith("RAGSPINE_")]:
        monkeypatch.delenv(name)


@pytest.fixture(params=["stub", "text"])
def at_rest(request: pytest.FixtureRequest) -> AtRest:
    """What is kept of a RESTRICTED document."""
    return request.param


@pytest.fixture
def backend(tmp_path: Path, at_rest: AtRest) -> Iterator[SQLiteBackend]:
    """An empty place for one store."""
    folder = tmp_path / "store"
    folder.mkdir()
    backend = SQLiteBackend(folder / "kb.db", at_rest)
    yield backend
    backend.close()


@pytest.fixture(scope="session")
def neo4j_lts() -> Iterator[Server]:
    """A Neo4j of the long-term line; whoever writes to it empties it."""
    with running_server(LTS) as server:
        server.clear()
        yield server


@pytest.fixture(scope="session")
def neo4j_calver() -> Iterator[Server]:
    """A Neo4j of the line that is counted by years; whoever writes to it empties it."""
    with running_server(CALVER) as server:
        server.clear()
        yield server


@pytest.fixture(params=["neo4j_lts", "neo4j_calver"])
def neo4j_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A Neo4j of each line, empty of stores."""
    server: Server = request.getfixturevalue(request.param)
    server.clear()
    yield server
    server.clear()


@pytest.fixture(params=["sqlite", "neo4j"])
def each_backend(
    request: pytest.FixtureRequest, at_rest: AtRest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    """An empty place for one store, of each kind; the environment opens its URL."""
    if request.param == "sqlite":
        yield request.getfixturevalue("backend")
        return
    server: Server = request.getfixturevalue("neo4j_lts")
    let_in(monkeypatch, server)
    yield from fresh_backend(server, at_rest)


@pytest.fixture(params=["sqlite", "neo4j"])
def store_url(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The URL of a store that is not made yet, of each kind; the environment has what it needs."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'kb.db'}"
        return
    server: Server = request.getfixturevalue("neo4j_lts")
    let_in(monkeypatch, server)
    server.clear()
    yield server.uri
    server.clear()


def let_in(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    """Give the environment what a store on a server needs."""
    monkeypatch.setenv("NEO4J_USERNAME", server.username)
    monkeypatch.setenv("NEO4J_PASSWORD", server.password)
    monkeypatch.setenv("RAGSPINE_STUB_KEY", STUB_KEY)
