"""`NarrativeIndex`: texts in, cleared snippets out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from ragspine_graph.errors import RequestError
from ragspine_graph.retrieval import narrative_link
from ragspine_graph.retrieval.seams import Compressor, Passage, Reranker
from ragspine_graph.retrieval.snippet import Snippet
from ragspine_graph.security.exits import clear_reranked
from ragspine_store.chunking import Chunker
from ragspine_store.ingest import IngestSettings, ingest_text
from ragspine_store.protocols import Candidate, Scope, Store, StoreReader
from ragspine_store.query import parse_query
from ragspine_store.records import DocumentMeta, Hit
from ragspine_store.sealed import Cleared
from ragspine_store.sensitivity import Reader

Expand = Literal["none", "window"]

# How many of the best children a judge is shown.
RERANK_DEPTH = 50


class NarrativeIndex:
    """Searches the children of a store.

    Args:
        store: where the children are; its schema exists.
        chunker: cuts what `ingest` is given; None delegates to `chunk_document`.
        reranker: orders the best children anew; None keeps the ranking.
        compressor: shortens prompt texts; None leaves them.

    >>> from ragspine_store import ChunkStore
    >>> store = ChunkStore(":memory:"); store.init_schema()
    >>> index = NarrativeIndex(store)
    >>> index.ingest("The allowance is paid on the 25th.", DocumentMeta("pay.md"))
    1
    >>> index.search("allowance")[0].value.source_locator
    'pay.md#para1'
    """

    def __init__(
        self,
        store: Store,
        *,
        chunker: Chunker | None = None,
        reranker: Reranker | None = None,
        compressor: Compressor | None = None,
    ) -> None:
        self._store = store
        self._chunker = chunker
        self._reranker = reranker
        self._compressor = compressor

    def ingest(self, text: str, meta: DocumentMeta) -> int:
        """Store and index one text; unchanged text, metadata and chunker change nothing.

        Returns:
            How many children were written.

        Raises:
            DocumentIdError: the id is malformed, or belongs to a file.
            LabelError: the label would lower the stored one.
            LoadError: the text is blank, or its front matter is malformed.
        """
        report = ingest_text(text, meta, self._store, IngestSettings(chunker=self._chunker))
        return report.files[0].chunks

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        filters: Mapping[str, Sequence[str]] | None = None,
        reader: Reader | None = None,
        expand: Expand = "window",
    ) -> list[Cleared[Snippet]]:
        """The k best children this reader may see, best first.

        Args:
            query: a question or some words; quoted text and addresses such as 第38条 are phrases.
            k: how many.
            filters: allowed values by key; see `ragspine_store.protocols.FILTER_KEYS`.
            reader: for whom; by default a reader cleared for CONFIDENTIAL.
            expand: `window` adds the parent window as `prompt_text`; ranks never change by it.

        Raises:
            QueryError: nothing searchable in the query, or it is too long.
            FilterError: a filter key is unknown.
            RequestError: k is below 1.
        """
        if k < 1:
            raise RequestError(f"k = {k} given; expected at least 1")
        reader = reader or Reader()
        parsed, scope = parse_query(query), Scope(reader, filters or {})
        depth = k if self._reranker is None else max(k, RERANK_DEPTH)
        with self._store.reading() as transaction:
            hits = transaction.search(parsed, scope, depth)
            children = narrative_link.link(transaction, hits, reader)
            if self._reranker is None:
                return self._snippets(transaction, children, query, reader, expand)
        passages = [Passage(c.value.chunk.chunk_id, c.value.chunk.text) for c in children]
        children = clear_reranked(self._reranker.rerank(query, passages), children)[:k]
        with self._store.reading() as transaction:
            children = _unchanged(transaction, children, reader)
            return self._snippets(transaction, children, query, reader, expand)

    def _snippets(
        self,
        transaction: StoreReader,
        children: Sequence[Cleared[Candidate]],
        query: str,
        reader: Reader,
        expand: Expand,
    ) -> list[Cleared[Snippet]]:
        if expand == "window":
            snippets = narrative_link.expand(transaction, children, reader)
        else:
            snippets = narrative_link.without_windows(children)
        if self._compressor is None:
            return snippets
        return narrative_link.compress(snippets, query, self._compressor)


def _unchanged(
    transaction: StoreReader, children: Sequence[Cleared[Candidate]], reader: Reader
) -> list[Cleared[Candidate]]:
    """Those that still stand and still may leave: a judge takes its time."""
    hits = [Hit(child.value.key, child.value.score) for child in children]
    current = {c.value.key: c for c in narrative_link.link(transaction, hits, reader)}
    return [
        child
        for child in children
        if child.value.key in current and current[child.value.key].value.chunk == child.value.chunk
    ]
