"""Parent contexts: from many hit children to few whole parents.

Seed 003, "retrieval_dedup": parents in the order of their first hit, each once.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from ragspine_graph.errors import RequestError
from ragspine_graph.retrieval import narrative_link
from ragspine_graph.retrieval.question_reader import QuestionReader
from ragspine_graph.security.exits import clear_children, clear_window
from ragspine_store.chunking import ChildChunk, ParentChunk
from ragspine_store.protocols import Scope, Store, StoreReader
from ragspine_store.sensitivity import Reader


class ChildSearch(Protocol):
    """The vector store of the seed: finds cleared children."""

    def similarity_search(self, query: str, k: int) -> Sequence[ChildChunk]:
        """The k best children, best first."""
        ...


class ParentLookup(Protocol):
    """The document store of the seed: gives cleared parents."""

    def get_many(self, parent_ids: Sequence[str]) -> Mapping[str, ParentChunk]:
        """Parents by id; one that is withheld or missing is left out."""
        ...


def retrieve_parent_contexts(
    query: str,
    vector_store: ChildSearch,
    doc_store: ParentLookup,
    top_k_children: int = 20,
    max_parents: int = 4,
) -> list[ParentChunk]:
    """The parents of the best children, in the order of their first hit, each once.

    A withheld or missing parent takes no place.

    Args:
        query: a question.
        vector_store: finds children; they have passed an exit.
        doc_store: gives parents; they have passed an exit.
        top_k_children: how many children to look at.
        max_parents: how many parents to return at most.

    Raises:
        RequestError: a number is below 1.

    >>> from ragspine_store import ChunkStore
    >>> with ChunkStore(":memory:") as store:
    ...     store.init_schema()
    ...     with cleared_parents(store) as cleared:
    ...         retrieve_parent_contexts("allowance", cleared, cleared)
    []
    """
    for name, value in (("top_k_children", top_k_children), ("max_parents", max_parents)):
        if value < 1:
            raise RequestError(f"{name} = {value} given; expected at least 1")
    children = vector_store.similarity_search(query, k=top_k_children)
    ordered = list(dict.fromkeys(child.parent_id for child in children if child.parent_id))
    parents = doc_store.get_many(ordered)
    return [parents[key] for key in ordered if key in parents][:max_parents]


class ClearedParents:
    """Both stores of the seed over one read transaction, for one reader.

    Args:
        transaction: a read transaction.
        reader: for whom.
        questions: reads the questions; None as a store without words is asked.
    """

    def __init__(
        self,
        transaction: StoreReader,
        reader: Reader,
        questions: QuestionReader | None = None,
    ) -> None:
        self._questions = questions or QuestionReader()
        self._transaction = transaction
        self._reader = reader

    def similarity_search(self, query: str, k: int) -> list[ChildChunk]:
        """The k best children this reader may see, best first."""
        asked = self._questions.read(query).query
        hits = self._transaction.search(asked, Scope(self._reader), k)
        return [
            ChildChunk(
                id=chunk.chunk_id,
                parent_id=chunk.parent_id,
                doc_id=chunk.doc_id,
                content=chunk.text,
                metadata={"parent_id": chunk.parent_id, "source_locator": chunk.source_locator},
            )
            for child in narrative_link.link(self._transaction, hits, self._reader)
            for chunk in (child.value.chunk,)
        ]

    def get_many(self, parent_ids: Sequence[str]) -> dict[str, ParentChunk]:
        """Parents by id; one of which any part is withheld, or which is missing, is left out."""
        parents: dict[str, ParentChunk] = {}
        families = self._transaction.children(parent_ids)
        firsts = [children[0] for children in families.values()]
        windows = self._transaction.windows(firsts)
        for parent_id, children in families.items():
            cleared = clear_children(children, self._reader)
            if len(cleared) < len(children):
                continue
            chunk = children[0].chunk
            window = clear_window(cleared[0], windows.get(chunk.chunk_id), self._reader)
            if window is not None:
                parents[parent_id] = ParentChunk(
                    id=parent_id,
                    doc_id=chunk.doc_id,
                    title=chunk.heading,
                    content=window.value,
                    child_ids=[child.chunk.chunk_id for child in children],
                    metadata={"source_locator": chunk.parent_locator},
                )
        return parents


@contextmanager
def cleared_parents(store: Store, reader: Reader | None = None) -> Generator[ClearedParents]:
    """Open both stores of the seed over one read transaction."""
    with store.reading() as transaction:
        yield ClearedParents(transaction, reader or Reader())
