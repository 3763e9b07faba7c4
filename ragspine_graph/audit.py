"""`Audit`: what models proposed, a person's verdicts on it, and what was thrown out and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ragspine_graph.errors import RequestError
from ragspine_graph.relations.edges import ShownEdge, ShownEvidence
from ragspine_graph.relations.reads import (
    DEFAULT_LIMIT,
    check_limit,
    composed,
    get_edge,
    page_of,
    read_edges,
)
from ragspine_graph.relations.results import (
    AuditedEdge,
    AuditState,
    EdgeList,
    EvidenceInContext,
    ShownRejection,
)
from ragspine_graph.security.exits import clear_rejection, clear_source
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.protocols import Store
from ragspine_store.relation_protocols import EdgeFilter, StoredEvidence, VerdictEntry
from ragspine_store.relations import (
    CO_OCCURS_WITH,
    MENTIONS,
    REFERS_TO,
    Provenance,
    Verdict,
)
from ragspine_store.retrying import retried
from ragspine_store.sealed import Cleared, unseal
from ragspine_store.sensitivity import Reader

CONTEXT_CHARS = 200
RULES = (MENTIONS, CO_OCCURS_WITH, REFERS_TO)
"""Kinds of the edges that rules make."""

_VERDICTS = {
    AuditState.UNVERIFIED: Verdict.UNVERIFIED,
    AuditState.VERIFIED: Verdict.VERIFIED,
    AuditState.REJECTED: Verdict.REJECTED,
}


class Audit:
    """The audit of edges, each call for one reader and behind the relation exit.

    Args:
        store: an open store.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def list(
        self,
        *,
        state: AuditState | None = None,
        doc_ids: Sequence[str] = (),
        kinds: Sequence[str] = (),
        nodes: Sequence[str] = (),
        models: Sequence[str] = (),
        rule: str | None = None,
        after: str = "",
        limit: int = DEFAULT_LIMIT,
        reader: Reader | None = None,
    ) -> EdgeList:
        """A page of the edges that models proposed, by kind, source and target.

        Args:
            state: what is held of them; None gives all.
            doc_ids: of documents with evidence for them; empty allows all, as for the next three.
            kinds: of the edges.
            nodes: ids of nodes that they start or end at.
            models: that proposed them.
            rule: give the edges that a rule made instead, such as `co_occurs_with`.
            after: `next` of the page before; '' for the first.
            limit: edges on a page, 1 to `graph_reads.MAX_LIMIT`.
            reader: for whom.

        Raises:
            RequestError: the limit is out of range, there is no such rule, or state, model or kind
                is asked of edges that a rule made.
            NotFoundError: no edge of the id to go on after is visible to this reader.
        """
        check_limit(limit)
        if rule is not None:
            _check_rule(rule, is_narrowed=bool(state or models or kinds))
        wanted = _wanted(reader, state, doc_ids, kinds, nodes, models)
        if rule is not None:
            wanted = replace(wanted, provenances=(Provenance.RULE,), kinds=(rule,))
        with self._store.reading() as transaction:
            return page_of(transaction, wanted, after, limit)

    def export(
        self,
        *,
        state: AuditState | None = None,
        doc_ids: Sequence[str] = (),
        kinds: Sequence[str] = (),
        nodes: Sequence[str] = (),
        models: Sequence[str] = (),
        reader: Reader | None = None,
    ) -> tuple[ShownEdge, ...]:
        """All edges that models proposed, as `list` gives them page by page."""
        wanted = _wanted(reader, state, doc_ids, kinds, nodes, models)
        with self._store.reading() as transaction:
            return read_edges(transaction, wanted)

    def show(self, edge_id: str, *, reader: Reader | None = None) -> AuditedEdge:
        """An edge, with each quote in the text around it as far as this reader may see that.

        Raises:
            NotFoundError: no edge of that id is visible to this reader.
        """
        reader = reader or Reader()
        with self._store.reading() as transaction:
            stored = unseal(get_edge(transaction, edge_id, reader))
            quoted = {piece.evidence.doc_id for piece in stored.evidence if _is_quoted(piece)}
            views = {doc_id: transaction.find_document(doc_id) for doc_id in quoted}
        sources = {doc: clear_source(view, reader) for doc, view in views.items() if view}
        contexts = tuple(
            _in_context(piece, sources.get(piece.evidence.doc_id)) for piece in stored.evidence
        )
        return AuditedEdge(ShownEdge.of(stored), contexts)

    def verify(
        self,
        edge_ids: str | Iterable[str],
        *,
        reviewer: str,
        note: str = "",
        reader: Reader | None = None,
    ) -> tuple[ShownEdge, ...]:
        """Hold edges of a model to be true: they are trusted from now on; see `reject`."""
        return self._decide(Verdict.VERIFIED, edge_ids, reviewer, note, reader)

    def reject(
        self,
        edge_ids: str | Iterable[str],
        *,
        reviewer: str,
        note: str = "",
        reader: Reader | None = None,
    ) -> tuple[ShownEdge, ...]:
        """Hold edges of a model to be wrong: they stay rejected when they are proposed again.

        All edges get the verdict, or none. Verdicts before it stay in the log.

        Args:
            edge_ids: one or many.
            reviewer: who decides; kept in the log, which outlives the edge.
            note: why; likewise, so quote no document in it.
            reader: for whom.

        Raises:
            NotFoundError: no edge of one of the ids is visible to this reader.
            RelationError: one is not an edge of a model.
            RequestError: the reviewer is blank.
        """
        return self._decide(Verdict.REJECTED, edge_ids, reviewer, note, reader)

    def log(
        self, *, reader: Reader | None = None, operator: bool = False
    ) -> tuple[VerdictEntry, ...]:
        """All verdicts, oldest first: those on edges that this reader can see, by edge id.

        Args:
            reader: for whom.
            operator: give the others too, and all of them as keyed hashes; a verdict on what this
                reader cannot see has no note.
        """
        with self._store.reading() as transaction:
            visible = transaction.verdict_log(reader or Reader())
            if not operator:
                # A hash tells of a document that may be hidden.
                return tuple(entry._replace(edge="", document="") for entry in visible)
            seen = {entry.edge_id for entry in visible}
            return tuple(
                entry if entry.edge_id in seen else entry._replace(note="", edge_id="")
                for entry in transaction.verdict_log(None)
            )

    def rejections(
        self,
        *,
        doc_ids: Sequence[str] = (),
        rules: Sequence[str] = (),
        reader: Reader | None = None,
    ) -> tuple[ShownRejection, ...]:
        """What the gate and grounding threw out and why, by document and place."""
        reader = reader or Reader()
        with self._store.reading() as transaction:
            stored = transaction.rejections(reader, composed(doc_ids))
        cleared = (clear_rejection(rejection, reader) for rejection in stored)
        shown = (ShownRejection.of(unseal(rejection)) for rejection in cleared if rejection)
        return tuple(rejection for rejection in shown if not rules or rejection.rule in rules)

    @retried
    def _decide(
        self,
        verdict: Verdict,
        edge_ids: str | Iterable[str],
        reviewer: str,
        note: str,
        reader: Reader | None,
    ) -> tuple[ShownEdge, ...]:
        if not reviewer.strip():
            raise RequestError("a blank reviewer given; expected the name of who decides")
        ids = dict.fromkeys([edge_ids] if isinstance(edge_ids, str) else edge_ids)
        reader = reader or Reader()
        with self._store.writing() as writer, self._store.reading() as transaction:
            for edge_id in ids:
                get_edge(transaction, edge_id, reader)
                writer.record_verdict(edge_id, verdict, reviewer=reviewer.strip(), note=note)
            return tuple(
                ShownEdge.of(unseal(get_edge(transaction, edge_id, reader))) for edge_id in ids
            )


def _check_rule(rule: str, *, is_narrowed: bool) -> None:
    if rule not in RULES:
        raise RequestError(f"rule {rule!r} given; expected one of {', '.join(RULES)}")
    if is_narrowed:
        raise RequestError(
            f"a state, model or kind asked of edges of rule {rule!r}; expected those of edges of a "
            "model alone: leave them out, or the rule"
        )


def _wanted(
    reader: Reader | None,
    state: AuditState | None,
    doc_ids: Sequence[str],
    kinds: Sequence[str],
    nodes: Sequence[str],
    models: Sequence[str],
) -> EdgeFilter:
    verdict = _VERDICTS.get(state) if state else None
    return EdgeFilter(
        reader or Reader(),
        doc_ids=composed(doc_ids),
        kinds=kinds,
        nodes=composed(nodes),
        models=models,
        provenances=(Provenance.MODEL,),
        verdicts=(verdict,) if verdict else (),
        stale=True if state is AuditState.STALE else None,
    )


def _is_quoted(stored: StoredEvidence) -> bool:
    return stored.evidence.span is not None and not stored.is_stale


def _in_context(
    stored: StoredEvidence, source: Cleared[RelationSource] | None
) -> EvidenceInContext:
    """Evidence with the text around its quote, up to what is withheld."""
    shown, span = ShownEvidence.of(stored), stored.evidence.span
    if source is None or span is None or not _is_quoted(stored):
        return EvidenceInContext(shown)
    document, (start, end) = unseal(source), span
    first, last = max(start - CONTEXT_CHARS, 0), end + CONTEXT_CHARS
    first = max([first, *(hidden.end for hidden in document.withheld if hidden.end <= start)])
    last = min([last, *(hidden.start for hidden in document.withheld if hidden.start >= end)])
    return EvidenceInContext(shown, document.text[first:start], document.text[end:last])
