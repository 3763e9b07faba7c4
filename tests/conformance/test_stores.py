"""One suite over every backend."""

from __future__ import annotations

import inspect

import pytest

from ragspine_store.testing import StoreSuite
from tests.backends import SQLiteBackend


class TestSQLiteStore(StoreSuite):
    @pytest.fixture
    def backend(self, backend: SQLiteBackend) -> SQLiteBackend:
        return backend


@pytest.mark.parametrize("backend_tests", [TestSQLiteStore])
def test_a_backend_overrides_no_test(backend_tests: type[StoreSuite]) -> None:
    inherited = dict(inspect.getmembers(StoreSuite, inspect.isfunction))
    tests = [name for name in inherited if name.startswith("test_")]
    assert tests
    for name in tests:
        assert getattr(backend_tests, name) is inherited[name]
