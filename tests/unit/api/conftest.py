"""An application over a store of its own."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from ragspine_graph import KnowledgeBase
from tests.api_calls import client_of


@pytest.fixture
def knowledge(tmp_path: Path) -> Generator[KnowledgeBase]:
    with KnowledgeBase.open(tmp_path / "kb.db") as opened:
        yield opened


@pytest.fixture
def client(knowledge: KnowledgeBase) -> Generator[TestClient]:
    with client_of(knowledge) as client:
        yield client
