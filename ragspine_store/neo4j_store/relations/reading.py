"""The read side of the relation graph."""

from __future__ import annotations

from collections.abc import Sequence

from ragspine_store.neo4j_store.meta import BUILT_RULES, find_meta
from ragspine_store.neo4j_store.relations.answers import find_answer
from ragspine_store.neo4j_store.relations.edges import ALL, read_edges
from ragspine_store.neo4j_store.relations.places import (
    read_ends,
    scope_of,
    storable,
    stored_evidence,
)
from ragspine_store.neo4j_store.relations.references import read_references
from ragspine_store.neo4j_store.relations.verdicts import read_log
from ragspine_store.neo4j_store.transaction import Opened
from ragspine_store.relation_protocols import (
    EdgeFilter,
    RelationCensus,
    RelationState,
    StoredEdge,
    StoredEnd,
    StoredEvidence,
    StoredReference,
    StoredRejection,
    VerdictEntry,
)
from ragspine_store.relations import Answer, AnswerKey, NodeType, Rejection
from ragspine_store.sensitivity import Reader
from ragspine_store.storage_rules.relations.edges import (
    census_of,
    dangling_references,
    named_ends,
    numbered_rejections,
)
from ragspine_store.storage_rules.texts import can_be_stored, fold_heading


class RelationReading:
    """The part of a read transaction that reads the graph."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def edges(self, wanted: EdgeFilter) -> list[StoredEdge]:
        """Visible edges by kind, source, target and provenance; in a constant number of queries.

        References are resolved among what the reader sees.
        """
        return read_edges(self._opened, wanted)

    def find_nodes(self, reader: Reader, name: str) -> list[StoredEnd]:
        """Ends of visible edges that a name means, by id; see `RelationReader.find_nodes`."""
        if not name.strip() or not can_be_stored(name):
            return []
        row = self._opened.queries.row(
            "find_named_nodes",
            ids=[name, *(f"{type_.value}:{name}" for type_ in NodeType)],
            term=f"{NodeType.TERM.value}:{name}@",
            name=name,
            folded=fold_heading(name),
        )
        assert row is not None
        # Hidden evidence may write a node in a way that no visible one does: edges are looked at.
        nodes = sorted({*row["named"], *row["written"]})
        if not nodes:
            return []
        edges = self.edges(EdgeFilter(reader, nodes=nodes))
        return named_ends(edges, row["named"], name)

    def dangling(self, reader: Reader, doc_ids: Sequence[str] = ()) -> list[StoredReference]:
        """Visible references that no visible part answers to, by document and place."""
        references, _ = read_references(self._opened, reader, doc_ids=doc_ids, look=ALL)
        dangling = [reference.source for reference in references if reference.target is None]
        return dangling_references(references, read_ends(self._opened, reader, dangling))

    def rejections(self, reader: Reader, doc_ids: Sequence[str] = ()) -> list[StoredRejection]:
        """Visible rejections by document and place, numbered among what the reader sees."""
        rows = self._opened.queries.rows(
            "read_rejections",
            doc_ids=storable(doc_ids) if doc_ids else None,
            **scope_of(self._opened, reader),
        )
        found: list[tuple[Rejection, StoredEvidence]] = []
        for row in rows:
            piece = row["piece"]
            stored = stored_evidence(piece, row["collection"], row["labels"])
            rejection = Rejection(
                rule=piece["rule"],
                reason=piece["reason"],
                source=piece["source"],
                kind=piece["kind"],
                target=piece["target"],
                quote=piece["proposed_quote"],
                evidence=stored.evidence,
            )
            found.append((rejection, stored))
        return numbered_rejections(found)

    def verdict_log(self, reader: Reader | None) -> list[VerdictEntry]:
        """Entries of the log, oldest first; those of edges the reader sees, or all for None."""
        return read_log(self._opened, reader)

    def relation_census(self, reader: Reader) -> RelationCensus:
        """Counts over what the reader can see."""
        edges = self.edges(EdgeFilter(reader))
        return census_of(edges, len(self.dangling(reader)))

    def relation_states(self) -> list[RelationState]:
        """Every document that is not RESTRICTED, by id; for the operator's side only."""
        rows = self._opened.queries.rows("read_relation_states")
        return [RelationState(row["doc_id"], row["version"], row["rules"]) for row in rows]

    def built_rules(self) -> str:
        """Fingerprint that the graph was last built with, '' before; for the operator's side."""
        return find_meta(self._opened.queries, BUILT_RULES) or ""

    def find_answer(self, key: AnswerKey) -> Answer | None:
        """A cached answer of a model."""
        return find_answer(self._opened.queries, key)
