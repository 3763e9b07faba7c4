"""Brings the vectors of a store in step with the configured embedders, document by document.

Each document is read, embedded outside of a transaction, and written in one of its own, which
checks that it is still the one that was read (promise G3). What is done stays done: a run that is
cut short goes on where it stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ragspine_graph.embedding.documents import DocumentEmbedder, EmbeddingProgress
from ragspine_graph.embedding.protocol import Embedder
from ragspine_graph.embedding.texts import stored_model
from ragspine_graph.errors import ProviderError
from ragspine_graph.security.exits import clear_source
from ragspine_store.protocols import Store
from ragspine_store.retrying import retried
from ragspine_store.sensitivity import Reader
from ragspine_store.storage_rules.lead_ins import Indexed, open_lead_ins
from ragspine_store.vectors import MissingVectors, PartVector


class ReindexProgress(NamedTuple):
    """How far a reindex is: documents done, of how many, and what is under way ('' for nothing)."""

    done: int
    total: int
    doing: str


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What a reindex did; an operator's output, without text.

    Attributes:
        models: names that the vectors of the configured embedders are kept under.
        documents: that vectors were written of.
        outdated: that were changed, withheld or deleted meanwhile; the next run sees them.
        failed: that an embedder gave no vectors of.
        failures: what embedders said, and of how many documents.
        embedded: texts that embedders were given; equal ones and known ones were not.
        dropped: vectors of other models that were removed; none while documents failed.
        calls, tokens: requests sent, and tokens as servers reported them.
    """

    models: tuple[str, ...]
    documents: int = 0
    outdated: int = 0
    failed: int = 0
    failures: Mapping[str, int] = field(default_factory=dict[str, int])
    embedded: int = 0
    dropped: int = 0
    calls: int = 0
    tokens: int = 0

    @property
    def all_failed(self) -> bool:
        """Whether there was something to embed, and none of it was."""
        return bool(self.failed) and not self.documents

    def to_dict(self) -> dict[str, object]:
        """As a JSON object."""
        return {
            "models": list(self.models),
            "documents": self.documents,
            "outdated": self.outdated,
            "failed": self.failed,
            "failures": dict(self.failures),
            "embedded": self.embedded,
            "dropped": self.dropped,
            "calls": self.calls,
            "tokens": self.tokens,
        }


def reindex(
    store: Store,
    embedders: Sequence[Embedder],
    *,
    progress: Callable[[ReindexProgress], None] = lambda _: None,
) -> ReindexReport:
    """Embed what lacks vectors of the embedders, and remove the vectors of all other models.

    Args:
        store: read and written.
        embedders: all that are configured; none removes all vectors.
        progress: called after each batch of texts and each document.

    Raises:
        StoreLockedError: another process kept the store's write lock; running it again goes on.
        VectorError: a model gives vectors of another length than it did.
    """
    report = embed_missing(store, embedders, progress=progress)
    # Who goes back to the former settings after a failure finds their vectors still there.
    dropped = 0 if report.failed else _drop(store, report.models)
    store.erase()
    return replace(report, dropped=dropped)


def embed_missing(
    store: Store,
    embedders: Sequence[Embedder],
    *,
    doc_id: str | None = None,
    progress: Callable[[ReindexProgress], None] = lambda _: None,
) -> ReindexReport:
    """Embed what lacks vectors of the embedders, in one document or in all.

    Other arguments and errors are those of `reindex`.
    """
    models = tuple(map(stored_model, embedders))
    maker = DocumentEmbedder(store, embedders)
    missing = [one for one in _missing(store, models) if doc_id in (None, one.doc_id)]
    outcomes: Counter[bool] = Counter()
    failures: Counter[str] = Counter()
    for done, document in enumerate(missing):
        step = _Step(done, len(missing), document, progress)
        try:
            outcomes[_embed_document(store, maker, step)] += 1
        except ProviderError as error:
            failures[str(error)] += 1
    progress(ReindexProgress(len(missing), len(missing), ""))
    used = [embedder.usage for embedder in embedders]
    return ReindexReport(
        models,
        documents=outcomes[True],
        outdated=outcomes[False],
        failed=failures.total(),
        failures=failures,
        embedded=maker.embedded,
        calls=sum(usage.calls for usage in used),
        tokens=sum(usage.tokens for usage in used),
    )


class _Step(NamedTuple):
    """A document and where in the run it stands."""

    done: int
    total: int
    document: MissingVectors
    progress: Callable[[ReindexProgress], None]

    def tell(self, now: EmbeddingProgress) -> None:
        doing = f"{self.document.doc_id}: {now.done} of {now.total} texts, {now.model}"
        self.progress(ReindexProgress(self.done, self.total, doing))


def _embed_document(store: Store, maker: DocumentEmbedder, step: _Step) -> bool:
    """Embed one document; False when it is not what was missing vectors any more."""
    doc_id, version = step.document
    with store.reading() as transaction:
        view = transaction.find_document(doc_id)
        kept = transaction.kept.document(doc_id)
    if view is None or kept is None or view.version != version:
        return False
    lead_ins = open_lead_ins(Indexed(c.seq, c.level, c.span, c.lead_in) for c in kept.children)
    source = clear_source(view, Reader(), lead_ins)
    if source is None:
        return False
    return _put(store, doc_id, version, maker.embed(source, step.tell))


@retried
def _put(store: Store, doc_id: str, version: int, vectors: Sequence[PartVector]) -> bool:
    with store.writing() as transaction:
        return transaction.put_vectors(doc_id, version, vectors)


@retried
def _missing(store: Store, models: Sequence[str]) -> list[MissingVectors]:
    """The documents that lack vectors of any of the models, by id."""
    if not models:
        return []
    with store.writing() as transaction:
        found = [one for model in models for one in transaction.missing_vectors(model)]
    return sorted(set(found))


@retried
def _drop(store: Store, models: Sequence[str]) -> int:
    with store.writing() as transaction:
        return transaction.drop_vectors(models)
