from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragspine_store.sqlite_store import ChunkStore
from tests.conftest import AtRest
from tests.synced import write


@pytest.fixture
def store(at_rest: AtRest) -> Iterator[ChunkStore]:
    with ChunkStore(":memory:", restricted_at_rest=at_rest) as store:
        store.init_schema()
        yield store


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with two documents."""
    docs = tmp_path / "docs"
    write(docs, {"hr/pay.md": "# Pay\n\nsalary\n", "hr/leave.md": "# Leave\n\nvacation\n"})
    return docs
