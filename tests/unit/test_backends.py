"""Which backend a place gets, and what is said when there is none."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from ragspine_graph.backends import has_store, open_backend
from ragspine_graph.config import ServiceConfig
from ragspine_graph.config.store_url import ServerAddress
from ragspine_graph.errors import ConfigError
from ragspine_store.errors import StoreUnavailableError
from ragspine_store.sensitivity import Reader
from ragspine_store.sqlite_store import ChunkStore
from tests.neo4j_server import Server

CONFIG = ServiceConfig()


def test_a_file_gets_the_embedded_store_once_it_may_be_made(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    with pytest.raises(ConfigError, match=r"no store at '.*store\.db'"):
        open_backend(file, CONFIG, create=False)
    assert not has_store(file, CONFIG)
    assert list(tmp_path.iterdir()) == []
    for create in (True, False):
        with closing(open_backend(file, CONFIG, create=create)) as store:
            assert isinstance(store, ChunkStore)
    assert has_store(file, CONFIG)


def test_an_empty_file_is_no_store(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    file.touch()
    assert not has_store(file, CONFIG)
    with pytest.raises(ConfigError, match="no store at"):
        open_backend(file, CONFIG, create=False)


def test_a_server_gets_its_store_with_the_credentials_of_the_environment(
    neo4j_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEO4J_USERNAME", neo4j_server.username)
    monkeypatch.setenv("NEO4J_PASSWORD", neo4j_server.password)
    monkeypatch.delenv("NEO4J_DATABASE", raising=False)
    address = ServerAddress(neo4j_server.uri)
    with pytest.raises(ConfigError, match=f"no store at '{address.uri}'"):
        open_backend(address, CONFIG, create=False)
    assert not has_store(address, CONFIG)
    with closing(open_backend(address, CONFIG)) as store, store.reading() as transaction:
        assert transaction.visible_counts(Reader()) == (0, 0)
    assert has_store(address, CONFIG)
    open_backend(address, CONFIG, create=False).close()


def test_wrong_credentials_are_refused_and_not_shown(
    neo4j_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEO4J_USERNAME", neo4j_server.username)
    monkeypatch.setenv("NEO4J_PASSWORD", "sesame4711")
    with pytest.raises(StoreUnavailableError, match="NEO4J_PASSWORD") as caught:
        open_backend(ServerAddress(neo4j_server.uri), CONFIG)
    assert "4711" not in str(caught.value)


def test_a_server_that_is_not_there_is_an_error_that_names_it() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        uri = f"bolt://127.0.0.1:{bound.getsockname()[1]}"
        with pytest.raises(StoreUnavailableError, match=uri):
            open_backend(ServerAddress(uri), CONFIG)


def test_without_the_extra_the_error_names_it(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['neo4j'] = None\n"
        "from ragspine_graph import KnowledgeBase\n"
        "from ragspine_graph.errors import ConfigError\n"
        "try: KnowledgeBase.open('neo4j://localhost')\n"
        "except ConfigError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert 'pip install "ragspine-graph[neo4j]"' in done.stdout
