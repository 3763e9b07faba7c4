"""Many write relations of the same entities at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ragspine_store.relation_protocols import EdgeFilter
from ragspine_store.relations import MENTIONS, Provenance
from ragspine_store.sensitivity import Reader
from ragspine_store.testing import Backend, make_document
from ragspine_store.testing.base import put
from ragspine_store.testing.relations import (
    PAY,
    at,
    beside,
    entity,
    mention,
    proposed,
    put_model,
    put_rules,
    read_edges,
    unlisted,
)
from tests.backends import Neo4jBackend, SQLiteBackend

pytestmark = pytest.mark.guarantee("G10")

WRITERS, ROUNDS = 8, 3
NAMES = [entity(f"e{n}", f"E{n}") for n in range(12)]


@pytest.fixture(params=["sqlite", "neo4j_lts", "neo4j_calver"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """A place that several stores are open over."""
    if request.param == "sqlite":
        backend = SQLiteBackend(tmp_path / "store.db", "stub")
        backend.open_store()
        yield backend
        backend.close()
        return
    server = request.getfixturevalue(request.param)
    served = Neo4jBackend(server, "stub")
    served.open_store()
    yield served
    served.close()
    server.clear()


def test_eight_writers_of_the_same_entities_all_succeed_and_make_nothing_twice(
    shared: Backend,
) -> None:
    def write(writer: int) -> None:
        store = shared.open_store()
        doc_id = f"d{writer}.md"
        # Each in an order of its own.
        names = NAMES[writer:] + NAMES[:writer]
        pairs = list(zip(names, names[1:] + names[:1], strict=True))
        for _ in range(ROUNDS):
            put(store, make_document(doc_id, PAY))
            found = [mention(name, at(doc_id)) for name in names]
            found += [beside(one, other, at(doc_id, 1)) for one, other in pairs]
            assert put_rules(shared, store, doc_id, *found)
            quoted = at(doc_id, 0, quote="Acme pays Beta")
            claims = [proposed(name, "pays", unlisted("x"), quoted) for name in names]
            assert put_model(shared, store, doc_id, 0, *claims)

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))
    edges = read_edges(shared.open_store(), EdgeFilter(Reader()))
    ids = [edge.key.edge_id for edge in edges]
    assert len(ids) == len(set(ids))
    assert Counter(edge.key.kind for edge in edges) == {
        "co_occurs_with": len(NAMES),
        MENTIONS: WRITERS * len(NAMES),
        "pays": len(NAMES),
    }
    for edge in edges:
        count = 1 if edge.key.kind == MENTIONS else WRITERS
        # What models found before stays while its words do.
        assert len(edge.evidence) == count, edge.key
    assert {edge.key.provenance for edge in edges} == set(Provenance)
