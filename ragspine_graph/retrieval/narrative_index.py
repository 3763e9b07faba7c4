"""`NarrativeIndex`: texts in, cleared snippets out."""

from __future__ import annotations

import reprlib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeGuard, TypeVar, get_args

from ragspine_graph.errors import ProviderError, RequestError
from ragspine_graph.retrieval import narrative_link
from ragspine_graph.retrieval.context import Context, ContextSettings, build_context
from ragspine_graph.retrieval.finder import Finder, Findings
from ragspine_graph.retrieval.seams import Compressor, Passage, Reranker
from ragspine_graph.retrieval.snippet import Snippet
from ragspine_graph.security.exits import clear_reranked
from ragspine_store.chunking import Chunker
from ragspine_store.errors import FilterError
from ragspine_store.ingest import ingest_text
from ragspine_store.ingest_draft import IngestSettings
from ragspine_store.protocols import Candidate, Scope, Store, StoreReader
from ragspine_store.records import DocumentMeta, Hit
from ragspine_store.sealed import Cleared
from ragspine_store.sensitivity import Reader

T = TypeVar("T")
Expand = Literal["none", "window"]

MAX_K = 10_000

# How many of the best children a judge is shown.
RERANK_DEPTH = 50

_ID_KEYS = ("doc_id", "section")


@dataclass(frozen=True, slots=True)
class FoundSnippets:
    """Snippets, best first, and what could not be done on the way, one sentence each."""

    snippets: list[Cleared[Snippet]]
    notes: tuple[str, ...] = ()


class NarrativeIndex:
    """Searches the children of a store.

    Args:
        store: where the children are; its schema exists.
        chunker: cuts what `ingest` is given; None delegates to `chunk_document`.
        finder: finds children; None finds them by their words.
        reranker: orders the best children anew; None keeps the ranking, and so does one that fails.
        rerank_depth: how many of the best children it is shown.
        compressor: shortens prompt texts; None leaves them.

    >>> from ragspine_store import ChunkStore
    >>> store = ChunkStore(":memory:"); store.init_schema()
    >>> index = NarrativeIndex(store)
    >>> index.ingest("The allowance is paid on the 25th.", DocumentMeta("pay.md"))
    1
    >>> index.search("allowance")[0].value.source_locator
    'pay.md#para1'
    >>> store.close()
    """

    def __init__(
        self,
        store: Store,
        *,
        chunker: Chunker | None = None,
        finder: Finder | None = None,
        reranker: Reranker | None = None,
        rerank_depth: int = RERANK_DEPTH,
        compressor: Compressor | None = None,
    ) -> None:
        self._store = store
        self._finder = finder or Finder()
        self._chunker = chunker
        self._reranker = reranker
        self._rerank_depth = rerank_depth
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
        """The k best children this reader may see, best first; see `find`."""
        return self.find(query, k=k, filters=filters, reader=reader, expand=expand).snippets

    def find(
        self,
        query: str,
        *,
        k: int = 10,
        filters: Mapping[str, Sequence[str]] | None = None,
        reader: Reader | None = None,
        expand: Expand = "window",
    ) -> FoundSnippets:
        """The k best children this reader may see, best first, with notes.

        Args:
            query: a question or some words; quoted text and addresses such as 第38条 are phrases.
            k: how many.
            filters: allowed values by key; see `ragspine_store.protocols.FILTER_KEYS`.
            reader: for whom; by default a reader cleared for CONFIDENTIAL.
            expand: `window` adds the parent window as `prompt_text`; ranks never change by it.

        Raises:
            QueryError: nothing searchable in the query, or it is too long.
            FilterError: a filter key is unknown, or its values are no strings.
            RequestError: k is not a whole number from 1 to `MAX_K`, or `expand` is unknown.
        """
        _check_k(k)
        if expand not in get_args(Expand):
            raise RequestError(
                f"expand = {expand!r} given; expected one of {', '.join(get_args(Expand))}"
            )
        reader = reader or Reader()

        def make(
            transaction: StoreReader, found: Findings
        ) -> tuple[Findings, list[Cleared[Snippet]]]:
            return found, _snippets(transaction, found, reader, expand)

        found, snippets = self._answer(query, k, filters, reader, make)
        if self._compressor is not None:
            compressed = narrative_link.compress(snippets, query, self._compressor)
            with self._store.reading() as transaction:
                current = _snippets(
                    transaction, _unchanged(transaction, found, reader), reader, expand
                )
            snippets = _still_standing(compressed, snippets, current)
        return FoundSnippets(snippets, found.notes)

    def context(
        self,
        query: str,
        settings: ContextSettings,
        *,
        k: int = 20,
        filters: Mapping[str, Sequence[str]] | None = None,
        reader: Reader | None = None,
    ) -> Context:
        """Blocks of whole text from the k best children; see `build_context`.

        Raises:
            QueryError, FilterError, RequestError: as for `search`.
        """
        reader = reader or Reader()

        def make(transaction: StoreReader, found: Findings) -> Context:
            context = build_context(transaction, found.children, reader, settings)
            return replace(context, notes=found.notes)

        return self._answer(query, k, filters, reader, make)

    def _answer(
        self,
        query: str,
        k: int,
        filters: Mapping[str, Sequence[str]] | None,
        reader: Reader,
        make: Callable[[StoreReader, Findings], T],
    ) -> T:
        """Make something of the k best children, in one read transaction with them.

        A judge takes its time: no transaction stays open meanwhile, and what was changed, or whose
        label was raised, in the meantime is not made anything of.
        """
        _check_k(k)
        question, scope = self._finder.ask(query), Scope(reader, _parse_filters(filters))
        depth = k if self._reranker is None else max(k, self._rerank_depth)
        with self._store.reading() as transaction:
            found = self._finder.find(transaction, question, scope, depth)
            if self._reranker is None:
                return make(transaction, found)
        found = _judged(self._reranker, query, found, self._rerank_depth)
        found = replace(found, children=found.children[:k])
        with self._store.reading() as transaction:
            return make(transaction, _unchanged(transaction, found, reader))


def _judged(reranker: Reranker, query: str, found: Findings, depth: int) -> Findings:
    """The findings with the best of them in a judge's order; as they were, with a note, without."""
    shown = found.children[:depth]
    if not shown:
        return found
    try:
        order = [*reranker.rerank(query, [_passage(child.value) for child in shown])]
    except ProviderError as error:
        return replace(found, notes=(*found.notes, f"not reranked: {error}"))
    except Exception as error:  # a judge of others may raise anything, and say anything in it
        problem = f"not reranked: the reranker failed with {type(error).__name__}"
        return replace(found, notes=(*found.notes, problem))
    return replace(found, children=[*clear_reranked(order, shown), *found.children[depth:]])


def _passage(child: Candidate) -> Passage:
    headings = tuple(section.heading for section in child.ancestors)
    return Passage(child.chunk.chunk_id, child.chunk.text, headings)


def _check_k(k: object) -> None:
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_K:
        raise RequestError(f"k = {reprlib.repr(k)} given; expected 1 to {MAX_K:,}, a whole number")


def _parse_filters(filters: Mapping[str, object] | None) -> dict[str, list[str]]:
    """The allowed values by key; ids in the Unicode form in which they are stored."""
    allowed: dict[str, list[str]] = {}
    for key, given in (filters or {}).items():
        values = list(given) if _is_several(given) else [given]
        if not all(isinstance(value, str | int) for value in values):
            raise FilterError(
                f"a value of filter {key!r} is no string; expected a string or several"
            )
        allowed[key] = [str(value) for value in values]
        if key in _ID_KEYS:
            allowed[key] = [unicodedata.normalize("NFC", value) for value in allowed[key]]
    return allowed


def _is_several(given: object) -> TypeGuard[Iterable[object]]:
    return isinstance(given, Iterable) and not isinstance(given, str)


def _snippets(
    transaction: StoreReader, found: Findings, reader: Reader, expand: Expand
) -> list[Cleared[Snippet]]:
    if expand == "window":
        return narrative_link.expand(transaction, found.children, reader, found.marks)
    return narrative_link.without_windows(found.children, found.marks)


def _unchanged(transaction: StoreReader, found: Findings, reader: Reader) -> Findings:
    """Those that still stand and still may leave: a judge takes its time."""
    hits = [Hit(child.value.key, child.value.score) for child in found.children]
    current = {c.value.key: c for c in narrative_link.link(transaction, hits, reader)}
    standing = [
        child
        for child in found.children
        if child.value.key in current and current[child.value.key].value.chunk == child.value.chunk
    ]
    return replace(found, children=standing)


def _still_standing(
    compressed: Sequence[Cleared[Snippet]],
    before: Sequence[Cleared[Snippet]],
    current: Sequence[Cleared[Snippet]],
) -> list[Cleared[Snippet]]:
    """The compressed snippets whose originals are the same now as they were before."""
    standing = [snippet.value for snippet in current]
    return [short for short, old in zip(compressed, before, strict=True) if old.value in standing]
