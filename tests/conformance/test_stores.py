"""One suite over every backend."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest

from ragspine_store.testing import StoreSuite
from tests.backends import Neo4jBackend, SQLiteBackend, fresh_backend
from tests.conftest import AtRest
from tests.neo4j_server import Server


class TestSQLiteStore(StoreSuite):
    @pytest.fixture
    def backend(self, backend: SQLiteBackend) -> SQLiteBackend:
        return backend


class TestNeo4jLongTermStore(StoreSuite):
    @pytest.fixture
    def backend(self, neo4j_lts: Server, at_rest: AtRest) -> Iterator[Neo4jBackend]:
        yield from fresh_backend(neo4j_lts, at_rest)


class TestNeo4jCurrentStore(StoreSuite):
    @pytest.fixture
    def backend(self, neo4j_calver: Server, at_rest: AtRest) -> Iterator[Neo4jBackend]:
        yield from fresh_backend(neo4j_calver, at_rest)


@pytest.mark.parametrize(
    "backend_tests", [TestSQLiteStore, TestNeo4jLongTermStore, TestNeo4jCurrentStore]
)
def test_a_backend_overrides_no_test(backend_tests: type[StoreSuite]) -> None:
    inherited = dict(inspect.getmembers(StoreSuite, inspect.isfunction))
    tests = [name for name in inherited if name.startswith("test_")]
    assert tests
    for name in tests:
        assert getattr(backend_tests, name) is inherited[name]
