"""Neo4j servers for the tests: of each line that the project is tested against, one a session.

A server is, in this order:

1. the one at `NEO4J_TEST_URI` (with `NEO4J_USERNAME`, `NEO4J_PASSWORD`), when it is of that line;
2. a container, when Docker answers;
3. a process of this machine, with jars from Maven and a JDK.

Otherwise the tests that need it are skipped, and say what to do; with `NEO4J_TEST_REQUIRED` set, as
in continuous integration, they fail.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import LiteralString, NoReturn

import pytest
from neo4j import Session

from ragspine_store.neo4j_store.schema import SCHEMA_VERSION
from ragspine_store.tokenizer import TOKENIZER_VERSION
from tests.neo4j_driver import open_driver, session_of
from tests.neo4j_local import LocalServer, ServerUnavailableError

LTS = "5.26.30"
CALVER = "2026.08.1"
REQUIRED = "NEO4J_TEST_REQUIRED"
_URI = "NEO4J_TEST_URI"
_REMEDY = (
    "start Docker, or install Maven and a JDK, or set NEO4J_TEST_URI, NEO4J_USERNAME and "
    "NEO4J_PASSWORD to a server whose nodes labelled Ragspine may be deleted"
)


@dataclass(frozen=True, slots=True)
class Server:
    """A running server that tests may write to.

    Attributes:
        version: as it says itself.
        uri, username, password: how to reach it.
    """

    version: str
    uri: str
    username: str
    password: str = field(repr=False)

    @contextmanager
    def session(self) -> Generator[Session]:
        """A session of one's own, for a look that uses no store."""
        with _opened(self.uri, self.username, self.password) as open_session, open_session() as one:
            yield one

    def clear(self) -> None:
        """Remove all that stores keep, and nothing else; constraints and indexes stay.

        A change of schema would make the server plan all queries anew, which takes most of a test.
        The full-text index forgets its statistics with the last of its nodes.
        """
        self._delete("MATCH (n:Ragspine) RETURN n")

    def empty(self) -> None:
        """Leave a store without content; what it says of its form stays when that is today's."""
        self._delete(
            "MATCH (n:Ragspine) WHERE NOT (n:StoreMeta"
            " AND (n.id = 'meta:changes' OR [n.id, n.value] IN $form)) RETURN n",
            form=[["meta:schema", str(SCHEMA_VERSION)], ["meta:tokenizer", TOKENIZER_VERSION]],
        )

    def _delete(self, nodes: LiteralString, **values: object) -> None:
        with self.session() as session:
            session.run(
                f"CALL () {{ {nodes} }} CALL (n) {{ DETACH DELETE n }}"
                " IN TRANSACTIONS OF 10000 ROWS",
                values,
            ).consume()


@contextmanager
def running_server(version: str) -> Generator[Server]:
    """A server of the same line as a version, and of that very version where one is started.

    Skips the test, or fails it where servers are required, when none can be had.
    """
    reasons: list[str] = []
    with ExitStack() as stack:
        for source in (_named_server, _container, _local_server):
            try:
                server = stack.enter_context(source(version))
            except ServerUnavailableError as error:
                reasons.append(str(error))
            else:
                break
        else:
            missing(f"no Neo4j {version} to test with ({'; '.join(reasons)}): {_REMEDY}")
        yield server


@contextmanager
def killable_server(version: str) -> Generator[tuple[LocalServer, Server]]:
    """A server of the test's own, as a process of this machine, to be killed and started again.

    Skips the test, or fails it where servers are required, when Maven or a JDK is missing.
    """
    try:
        local = _brief_server(version)
    except ServerUnavailableError as error:
        missing(f"no Neo4j {version} to kill ({error}): install Maven and a JDK")
    with closing(local):
        local.start()
        yield local, Server(version, local.uri, "neo4j", local.password)


def missing(problem: str) -> NoReturn:
    """Skip the test, or fail it where servers are required."""
    if os.environ.get(REQUIRED):
        pytest.fail(problem, pytrace=False)
    pytest.skip(problem)  # whoever has no Docker, Maven or server still runs all other tests


@contextmanager
def _named_server(version: str) -> Generator[Server]:
    uri = os.environ.get(_URI)
    if not uri:
        raise ServerUnavailableError(f"{_URI} is not set")
    username = os.environ.get("NEO4J_USERNAME") or "neo4j"
    password = os.environ.get("NEO4J_PASSWORD") or ""
    with _opened(uri, username, password) as open_session:
        with open_session() as session:
            row = session.run(
                "CALL dbms.components() YIELD name, versions"
                " WHERE name = 'Neo4j Kernel' RETURN versions[0] AS version"
            ).single(strict=True)
        found: str = row["version"]
        if _line(found) != _line(version):
            raise ServerUnavailableError(f"{_URI} names a server of version {found}")
        with _claimed(open_session):
            yield Server(found, uri, username, password)


@contextmanager
def _claimed(open_session: Callable[[], Session]) -> Generator[None]:
    """Hold a server for this session alone, and see that no store of anybody's is deleted.

    A node marks a server as one for tests; its lock goes with the connection.
    """
    with open_session() as session:
        row = session.run(
            "RETURN EXISTS { (:RagspineTests) } OR NOT EXISTS { (:Ragspine) } AS is_for_tests"
        ).single(strict=True)
        if not row["is_for_tests"]:
            pytest.fail(
                f"{_URI} names a server that keeps a store; expected an empty one: tests delete "
                "every node labelled Ragspine",
                pytrace=False,
            )
        session.run("MERGE (:RagspineTests)").consume()
    with open_session() as session, closing(session.begin_transaction()) as transaction:
        # Waits for another session of tests to end.
        transaction.run("MATCH (n:RagspineTests) SET n.held = true").consume()
        yield


@contextmanager
def _container(version: str) -> Generator[Server]:
    docker = shutil.which("docker")
    if docker is None or _fails(docker, "info"):
        raise ServerUnavailableError("Docker does not answer")
    # Heavy to import, and most runs need none.
    from testcontainers.community.neo4j import Neo4jContainer  # noqa: PLC0415

    password = secrets.token_hex(16)
    container = Neo4jContainer(f"neo4j:{version}-community", password=password, username="neo4j")
    container.with_env("NEO4J_dbms_usage__report_enabled", "false")
    try:
        container.start()
    except Exception as error:  # Whatever Docker's client raises: the image, the network, the disk.
        raise ServerUnavailableError(f"Docker starts no container: {error}") from error
    try:
        yield Server(version, container.get_connection_url(), "neo4j", password)
    finally:
        container.stop()


@contextmanager
def _local_server(version: str) -> Generator[Server]:
    with closing(_brief_server(version)) as local:
        local.start()
        yield Server(version, local.uri, "neo4j", local.password)


def _brief_server(version: str) -> LocalServer:
    """A server that costs little for as long as tests run.

    Its code is compiled lightly, and it does not plan a query anew because the content, which each
    test makes, has changed: both would take more than the tests.
    """
    return LocalServer(
        version,
        {"dbms.cypher.min_replan_interval": "1h"},
        java_options=["-XX:TieredStopAtLevel=1"],
    )


def _fails(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode != 0


@contextmanager
def _opened(uri: str, username: str, password: str) -> Generator[Callable[[], Session]]:
    """How to open a session at a server."""
    with open_driver(uri, username, password) as driver:
        yield partial(session_of, driver)


def _line(version: str) -> bool:
    """Which of the two lines a version belongs to: whether it is counted by years."""
    return int(version.partition(".")[0]) > 2000
