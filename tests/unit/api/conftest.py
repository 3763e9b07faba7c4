"""An application over a store of its own, and keys for it."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from ragspine_graph import KnowledgeBase
from ragspine_graph.api import create_app
from ragspine_store.access import Role

BASE_URL = "http://localhost"


@pytest.fixture
def knowledge(tmp_path: Path) -> Generator[KnowledgeBase]:
    with KnowledgeBase.open(tmp_path / "kb.db") as opened:
        yield opened


@pytest.fixture
def client(knowledge: KnowledgeBase) -> Generator[TestClient]:
    with TestClient(create_app(knowledge), base_url=BASE_URL) as client:
        yield client


def bearer(knowledge: KnowledgeBase, role: Role = Role.READER, **more: object) -> dict[str, str]:
    """The header that a fresh key of a role is sent in."""
    collections = more.pop("collections", None)
    clearance = more.pop("clearance", "CONFIDENTIAL")
    assert not more
    assert collections is None or isinstance(collections, list)
    assert isinstance(clearance, str)
    made = knowledge.keys.create(
        role.value, role=role, collections=collections, clearance=clearance
    )
    return {"Authorization": f"Bearer {made.token}"}
