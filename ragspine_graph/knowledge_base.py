"""`KnowledgeBase`: documents in, cited context out. The face of the service in Python.

Reader calls (`search`, `context`, `show`, `status`, `relations`, `audit`, `cypher`) answer for one
reader and pass the exits. Operator calls (`ingest`, `build_relations`, `relabel`, `delete`,
`purge`, `status(operator=True)`) may name a withheld document's id and label, and never return
text; `cypher.query(operator=True)` gives whatever a server's graph holds.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Self, TypeVar

from ragspine_graph.access import Keys
from ragspine_graph.audit import Audit
from ragspine_graph.backends import open_backend
from ragspine_graph.building import BuildProgress, GraphBuilder, GraphBuildReport
from ragspine_graph.config import ServiceConfig
from ragspine_graph.config.store_url import parse_place
from ragspine_graph.cypher import Cypher, Projections
from ragspine_graph.embedding.documents import DocumentEmbedder, EmbeddingProgress
from ragspine_graph.embedding.factory import make_embedders
from ragspine_graph.embedding.ingesting import embedding_for_ingest
from ragspine_graph.embedding.protocol import Embedder
from ragspine_graph.embedding.reindex import ReindexProgress, ReindexReport, embed_missing, reindex
from ragspine_graph.errors import QuestionRefusedError, RequestError
from ragspine_graph.facts import Fact
from ragspine_graph.model_build import ModelProgress
from ragspine_graph.profile import Profile, load_profile
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_graph.provider.protocol import Provider
from ragspine_graph.relations import Relations
from ragspine_graph.relations.reads import check_limit
from ragspine_graph.reranking import ServiceReranker, make_reranker
from ragspine_graph.results import (
    ContextResult,
    DocumentEntry,
    Relabelled,
    Removed,
    SearchResult,
    Status,
)
from ragspine_graph.retrieval import (
    ClearedParents,
    Compressor,
    ContextSettings,
    Expand,
    NarrativeIndex,
    Reranker,
    Shape,
    retrieve_parent_contexts,
)
from ragspine_graph.retrieval.arms import make_finder
from ragspine_graph.retrieval.context import DEFAULT_BUDGET_TOKENS
from ragspine_graph.retrieval.node import ShownNode, get_node
from ragspine_graph.retrieval.question_reader import QuestionReader
from ragspine_graph.retrieval.synonyms import Synonyms
from ragspine_graph.retrieval.walk import Walk
from ragspine_graph.security.exits import clear_row
from ragspine_graph.security.gate import Refusal, SecurityGate
from ragspine_graph.security.relabelling import no_document, relabel_document, relabel_part
from ragspine_store.chunking import ParentChunk, make_chunker
from ragspine_store.document_id import split_node_id
from ragspine_store.ingest import ingest_bytes, ingest_narrative
from ragspine_store.ingest_draft import IngestSettings
from ragspine_store.ingest_report import IngestedFile, IngestReport, Progress
from ragspine_store.protocols import Store, StoreWriter
from ragspine_store.query import MAX_QUERY_CHARS
from ragspine_store.retrying import retried
from ragspine_store.sandbox import Sandbox
from ragspine_store.sealed import unseal
from ragspine_store.sensitivity import Reader, Sensitivity, parse_label
from ragspine_store.words import find_words_of

T = TypeVar("T")


class KnowledgeBase:
    """A store, its settings and what can be asked of it.

    Args:
        store: an open store whose schema exists.
        config: the settings.
        reranker: orders the best children anew; None takes the one that the settings name.
        compressor: shortens prompt texts; None leaves them.
        embedders: make vectors; None takes those that the settings name.

    >>> import tempfile
    >>> with KnowledgeBase.open(Path(tempfile.mkdtemp(), "kb.db")) as knowledge:
    ...     knowledge.status().documents
    0
    """

    def __init__(
        self,
        store: Store,
        config: ServiceConfig,
        *,
        reranker: Reranker | None = None,
        compressor: Compressor | None = None,
        embedders: Sequence[Embedder] | None = None,
    ) -> None:
        self._store = store
        self._config = config
        self._chunker = make_chunker(config.chunker)
        self._profile = load_profile(config.profile) if config.profile else Profile()
        self._nodes = ProfileNodes(self._profile)
        self._gate = SecurityGate(self._profile)
        # What questions and reads are screened with; None when none is.
        self._question_gate = self._gate if config.gate_questions else None
        self._reranker = reranker
        self._compressor = compressor
        self._embedders = make_embedders(config) if embedders is None else tuple(embedders)
        questions = QuestionReader(find_words_of(store.words), Synonyms(self._profile.synonyms))
        walk = Walk() if config.walk == "question" else None
        self._finder = make_finder(self._embedders, config.fusion, questions, walk)
        self._projections = Projections(store)
        self._graph = GraphBuilder(store, config, self._nodes, self._gate)

    @cached_property
    def _own_reranker(self) -> ServiceReranker | None:
        return None if self._reranker else make_reranker(self._config)

    @cached_property
    def _index(self) -> NarrativeIndex:
        # Made when first asked: most commands ask no judge, and its client takes long to import.
        return NarrativeIndex(
            self._store,
            chunker=self._chunker,
            finder=self._finder,
            reranker=self._reranker or self._own_reranker,
            rerank_depth=self._config.rerank_depth,
            compressor=self._compressor,
        )

    @classmethod
    def open(
        cls,
        store: str | Path | None = None,
        config: ServiceConfig | None = None,
        *,
        create: bool = True,
    ) -> Self:
        """Open a store, creating it when it does not exist.

        Args:
            store: a store URL, or the path of a SQLite file, which a string without `://` is too;
                None takes the setting's.
            config: the settings; None loads them from file and environment.
            create: False refuses a store that does not exist.

        Raises:
            ConfigError: a setting is wrong, or there is no such store and `create` is False.
            StoreFormatError: what is there is no store.
            StoreLockedError: another process kept the write lock.
            StoreUnavailableError: the server does not answer, or refuses the credentials.
        """
        config = config or ServiceConfig.load()
        opened = open_backend(
            parse_place(config.store if store is None else store), config, create=create
        )
        try:
            return cls(opened, config)
        except BaseException:
            opened.close()
            raise

    def ingest(
        self,
        inputs: str | Path | Iterable[str | Path],
        *,
        root: str | Path | None = None,
        sensitivity: str | None = None,
        collection: str | None = None,
        meta_by_doc: Mapping[str, Mapping[str, str]] | None = None,
        allow_lower: bool = False,
        sync: bool = False,
        dry_run: bool = False,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> IngestReport:
        """Ingest files and folders; see `ragspine_store.ingest.ingest_narrative`.

        Once relations have been built, those that rules make are made anew where documents changed;
        with another profile or other settings than they were built with, the next build does that.

        With embedders a document that gets no vectors is refused; `progress` is then also called
        after each batch of texts, whose numbers stand in its `name`.

        Raises:
            RequestError: the collection is blank.
            NotEmbeddedError: the store holds documents without vectors of the embedders, or
                vectors and there are no embedders.
        """
        if collection is not None and not collection.strip():
            raise RequestError("a blank collection given; expected a name, or none")
        with self._store.reading() as transaction:
            self._finder.coverage.check_writing(transaction)
        steps = _Steps(progress)
        maker = DocumentEmbedder(self._store, self._embedders)
        report = ingest_narrative(
            inputs,
            self._store,
            root=root,
            sensitivity=sensitivity,
            collection=collection,
            meta_by_doc=meta_by_doc,
            allow_lower=allow_lower,
            sync=sync,
            dry_run=dry_run,
            chunker=self._chunker,
            policy=self._profile.sensitivity,
            load_timeout_s=self._config.load_timeout_s,
            embed=embedding_for_ingest(maker, steps.tell),
            progress=steps.move,
        )
        if not dry_run:
            self._graph.refresh()
        return report

    def reindex(
        self, *, progress: Callable[[ReindexProgress], None] = lambda _: None
    ) -> ReindexReport:
        """Embed what lacks vectors of the embedders, and remove those of all other models.

        It may be cut short: the next run goes on.

        Args:
            progress: called after each batch of texts and each document.
        """
        return reindex(self._store, self._embedders, progress=progress)

    def write_upload(
        self,
        data: bytes,
        doc_id: str,
        *,
        collection: str,
        metadata: Mapping[str, str] | None = None,
        sensitivity: str | None = None,
        writer: Reader,
    ) -> IngestedFile:
        """Ingest the bytes of one document for somebody who is no operator.

        Args:
            data: the file.
            doc_id: its id, whose ending names the format.
            collection: that it belongs to.
            metadata: keys as in front matter.
            sensitivity: a label stated for it; None states none.
            writer: for whom: a document this reader may not see is not overwritten.

        Raises:
            WithheldError: what stands under the id is not the writer's to see.
            DocumentIdError, LabelError, LoadError: as for an ingest of a file.
            NotEmbeddedError: the store holds documents without vectors of the embedders, or
                vectors and there are no embedders.
        """
        settings = IngestSettings(
            self._chunker,
            sensitivity,
            collection,
            self._profile.sensitivity,
            meta_by_doc={doc_id: metadata or {}},
            writer=writer,
            embed=embedding_for_ingest(
                DocumentEmbedder(self._store, self._embedders), lambda _: None
            ),
        )
        with self._store.reading() as transaction:
            self._finder.coverage.check_writing(transaction)
        with Sandbox(self._config.load_timeout_s) as sandbox:
            report = ingest_bytes(data, doc_id, self._store, settings, sandbox)
        self._graph.refresh()
        return report.files[0]

    @property
    def store(self) -> Store:
        """The store; what is read of it has passed no exit yet."""
        return self._store

    def build_relations(
        self,
        facts: Iterable[Fact] = (),
        *,
        provider: Provider | None = None,
        progress: Callable[[BuildProgress | ModelProgress], None] = lambda _: None,
    ) -> GraphBuildReport:
        """Build the relation graph, or what of it is missing; see `GraphBuilder.build`."""
        return self._graph.build(facts, provider=provider, progress=progress)

    @property
    def relations(self) -> Relations:
        """Reads of the relation graph: `list`, `neighbours`, `path`, `dangling`, `graph`."""
        return Relations(self._store, self._nodes, self._question_gate)

    @property
    def cypher(self) -> Cypher:
        """Queries of the graph in Cypher: `queries`, `run`, `query`."""
        return Cypher(self._store, self._projections, self._question_gate)

    @property
    def keys(self) -> Keys:
        """Keys of the service: `create`, `list`, `revoke`, `find`."""
        return Keys(self._store)

    @property
    def audit(self) -> Audit:
        """What models proposed, verdicts on it, and what was thrown out."""
        return Audit(self._store)

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        filters: Mapping[str, Sequence[str]] | None = None,
        expand: Expand = "window",
        reader: Reader | None = None,
    ) -> SearchResult:
        """The k best children this reader may see; see `NarrativeIndex.search`.

        A question that names an external party of the profile is refused, and nothing is searched.
        """
        if refused := self._find_refusal(query, filters):
            return SearchResult(query, (), refused)
        found = self._index.find(query, k=k, filters=filters, expand=expand, reader=reader)
        snippets = tuple(unseal(snippet) for snippet in found.snippets)
        return SearchResult(query, snippets, notes=found.notes)

    def context(
        self,
        query: str,
        *,
        budget: int = DEFAULT_BUDGET_TOKENS,
        expand: Shape = "window",
        filters: Mapping[str, Sequence[str]] | None = None,
        reader: Reader | None = None,
    ) -> ContextResult:
        """Blocks of whole text to generate from, each naming the children it is evidence of.

        A question is refused as in `search`.

        Args:
            query: a question.
            budget: tokens that all blocks together may take.
            expand: `window` gives the parents of the hits, `merge` the branches of which enough
                was hit.
            filters: allowed values by key; see `ragspine_store.protocols.FILTER_KEYS`.
            reader: for whom; by default a reader cleared for CONFIDENTIAL.

        Raises:
            QueryError: nothing searchable in the query, or it is too long.
            FilterError: a filter key is unknown.
            RequestError: the budget is below 1, or `expand` is unknown.
        """
        if refused := self._find_refusal(query, filters):
            return ContextResult(query, (), 0, refused)
        settings = ContextSettings(
            shape=expand,
            budget_tokens=budget,
            max_parents=self._config.max_parents,
            merge_threshold=self._config.merge_threshold,
            score_floor=self._config.score_floor,
            linked_articles=self._config.linked_articles,
        )
        context = self._index.context(
            query, settings, k=self._config.top_k_children, filters=filters, reader=reader
        )
        blocks = tuple(unseal(block) for block in context.blocks)
        return ContextResult(
            query,
            blocks,
            context.left_out,
            beyond_parents=context.beyond_parents,
            needed_budget=context.needed_tokens,
            notes=context.notes,
        )

    def parent_contexts(self, query: str, *, reader: Reader | None = None) -> list[ParentChunk]:
        """Whole parents of the best children; see `retrieve_parent_contexts`.

        Raises:
            QuestionRefusedError: the question names an external party of the profile.
        """
        if refused := self._find_refusal(query):
            raise QuestionRefusedError(refused.rule, refused.name)
        question = self._finder.ask(query)
        with self._store.reading() as transaction:
            cleared = ClearedParents(transaction, reader or Reader(), self._finder, question)
            return retrieve_parent_contexts(
                query,
                cleared,
                cleared,
                top_k_children=self._config.top_k_children,
                max_parents=self._config.max_parents,
            )

    def show(self, node_id: str, *, reader: Reader | None = None) -> ShownNode:
        """What any id or locator names, as far as this reader may see it; see `get_node`.

        Raises:
            NotFoundError: there is none this reader may see.
        """
        with self._store.reading() as transaction:
            return unseal(get_node(transaction, _composed(node_id), reader or Reader()))

    def documents(
        self, *, after: str = "", limit: int = 100, reader: Reader | None = None
    ) -> list[DocumentEntry]:
        """Documents that a reader may see, by id.

        Args:
            after: the last id of the page before; '' for the first.
            limit: how many, 1 to `MAX_LIMIT`.
            reader: for whom.

        Raises:
            RequestError: the limit is out of range.
        """
        check_limit(limit)
        reader = reader or Reader()
        with self._store.reading() as transaction:
            rows = transaction.visible_documents(reader, after, limit)
        cleared = (clear_row(row, reader) for row in rows)
        return [DocumentEntry.of(unseal(row)) for row in cleared if row is not None]

    def status(self, *, reader: Reader | None = None, operator: bool = False) -> Status:
        """What a reader may know of the store; `operator` adds what is withheld, and warnings."""
        reader = reader or Reader()
        with self._store.reading() as transaction:
            documents, chunks = transaction.visible_counts(reader)
            relations = transaction.relation_census(reader)
            if not operator:
                return Status(documents, chunks, relations)
            return Status(
                documents,
                chunks,
                relations,
                transaction.census(),
                transaction.withheld_documents(),
                self._graph.state(transaction),
            )

    def relabel(
        self, node_id: str, level: str | Sensitivity, *, allow_lower: bool = False
    ) -> Relabelled:
        """Change the label of a document, or of one of its sections or children, at once.

        A section or child can be stricter than its document, never less strict. What a label that
        was lowered lets embedders read is embedded.

        Args:
            node_id: the id of a document, a section (`{doc}#s2`) or a child (`{doc}#c3`).
            level: the label.
            allow_lower: let it be below the present one.

        Raises:
            LabelError: no such label, or it is below what it may be.
            NotFoundError: no such document, section or child.
        """
        level = parse_label(level, source="the level given")
        doc_id, fragment = split_node_id(_composed(node_id))
        node_id = f"{doc_id}#{fragment}" if fragment else doc_id
        relabel = relabel_part if fragment else relabel_document
        change = self._change(
            lambda transaction: relabel(transaction, node_id, level, allow_lower=allow_lower)
        )
        self._graph.refresh()
        erased = self._store.erase()
        embedded = embed_missing(self._store, self._embedders, doc_id=doc_id)
        return Relabelled(
            node_id,
            before=change.before,
            after=level,
            needs_document=change.needs_document,
            erased=erased,
            notes=tuple(f"not embedded, run reindex: {fault}" for fault in embedded.failures),
        )

    def delete(self, doc_ids: str | Iterable[str]) -> Removed:
        """Remove documents, their children, index entries and stubs: all of them or none.

        Raises:
            NotFoundError: one of them does not exist.
        """
        doc_ids = [doc_ids] if isinstance(doc_ids, str) else doc_ids
        doc_ids = list(dict.fromkeys(map(_composed, doc_ids)))

        def delete(transaction: StoreWriter) -> None:
            for doc_id in doc_ids:
                if not transaction.delete(doc_id):
                    raise no_document(doc_id)

        self._change(delete)
        return Removed(len(doc_ids), erased=self._store.erase())

    def purge(self) -> Removed:
        """Erase the text that is kept of RESTRICTED documents, sections and children.

        Whole documents become stubs.
        """
        reduced = self._change(lambda transaction: transaction.stub_restricted())
        return Removed(reduced, erased=self._store.erase())

    @retried
    def _change(self, change: Callable[[StoreWriter], T]) -> T:
        with self._store.writing() as transaction:
            return change(transaction)

    def _find_refusal(
        self, query: str, filters: Mapping[str, Sequence[str]] | None = None
    ) -> Refusal | None:
        """Why a question is not answered; a query too long to be one is left to its reader."""
        if self._question_gate is None or len(query) > MAX_QUERY_CHARS:
            return None
        asked = [query, *(filters or {}).get("entity", ())]
        return next(filter(None, map(self._question_gate.screen_question, asked)), None)

    def close(self) -> None:
        """Release the store, and the connections of the reranker and embedders it made itself."""
        if "_own_reranker" in vars(self) and self._own_reranker:
            self._own_reranker.close()
        for embedder in self._embedders:
            embedder.close()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _composed(node_id: object) -> str:
    """An id as it is stored, whatever the Unicode form in which it was given."""
    if not isinstance(node_id, str):
        raise RequestError(f"an id given as {type(node_id).__name__}; expected a string")
    return unicodedata.normalize("NFC", node_id)


class _Steps:
    """Tells of an ingest after each file, and after each batch of texts of the file under way."""

    def __init__(self, progress: Callable[[Progress], None]) -> None:
        self._progress = progress
        self._now = Progress(0, 0, "")

    def move(self, now: Progress) -> None:
        self._now = now
        self._progress(now)

    def tell(self, embedded: EmbeddingProgress) -> None:
        doing = f"{self._now.name}: {embedded.done} of {embedded.total} texts, {embedded.model}"
        self._progress(replace(self._now, name=doing))
