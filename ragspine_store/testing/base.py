"""What all parts of the suite share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest

from ragspine_store.protocols import Candidate, Scope, Store
from ragspine_store.query import parse_query
from ragspine_store.records import PreparedDocument
from ragspine_store.sensitivity import Reader
from ragspine_store.testing.backend import Backend


class BackendSuite:
    """Fixtures; `backend` is the subclass's part."""

    @pytest.fixture
    def backend(self) -> Backend:
        """One empty place; a backend's subclass gives it."""
        # pytest wraps a fixture, so that it cannot be an abstract method.
        raise NotImplementedError("expected a subclass that gives the fixture `backend`")

    @pytest.fixture
    def store(self, backend: Backend) -> Iterator[Store]:
        """A store over the backend's data."""
        store = backend.open_store()
        yield store
        store.close()


def put(store: Store, *documents: PreparedDocument) -> None:
    """Write documents in one transaction, and erase what that leaves."""
    with store.writing() as transaction:
        for document in documents:
            transaction.put(document)
    assert store.erase()


def found(
    store: Store,
    query: str,
    *,
    k: int = 10,
    reader: Reader | None = None,
    filters: Mapping[str, Sequence[str]] | None = None,
) -> list[str]:
    """Chunk ids of the best hits, best first."""
    with store.reading() as transaction:
        hits = transaction.search(parse_query(query), Scope(reader or Reader(), filters or {}), k)
        candidates = transaction.candidates(hits)
    assert [c.key for c in candidates] == [hit.key for hit in hits]
    return [c.chunk.chunk_id for c in candidates]


def children_of(store: Store, doc_id: str) -> tuple[Candidate, ...]:
    """All current children of a document; none without it."""
    with store.reading() as transaction:
        view = transaction.find_document(doc_id)
    return view.chunks if view else ()
