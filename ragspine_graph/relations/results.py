"""What the knowledge base answers about the relation graph: typed, and the same as JSON."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, replace

from ragspine_graph.egress import Json
from ragspine_graph.relations.edges import ShownEdge, ShownEvidence, ShownNodeRef
from ragspine_graph.security.gate import Refusal
from ragspine_store.relation_protocols import StoredRejection, VerdictEntry


class AuditState(enum.Enum):
    """What is held of an edge that a model proposed."""

    UNVERIFIED = "unverified"
    VERIFIED = "verified"
    REJECTED = "rejected"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class EdgeList:
    """Edges for one reader, by kind, source, target and provenance.

    Attributes:
        edges: a page of them.
        next: the id of the edge to go on after; '' on the last page.
    """

    edges: tuple[ShownEdge, ...]
    next: str = ""

    def to_dict(self) -> Json:
        """As a JSON object."""
        return {
            "edges": [edge.to_dict() for edge in self.edges],
            "next": self.next or None,
        }


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What stands around a node, for one reader.

    Attributes:
        nodes: those that the name given means.
        edges: around them, by distance, then by kind, source and target.
        left_out: edges beyond the limit, as far as the walk went.
        refused: why the read was refused; None when it was not.
    """

    nodes: tuple[ShownNodeRef, ...]
    edges: tuple[ShownEdge, ...]
    left_out: int = 0
    refused: Refusal | None = None

    def to_dict(self) -> Json:
        """As a JSON object."""
        return {
            "nodes": [node.to_dict() for node in self.nodes],
            "edges": [edge.to_dict() for edge in self.edges],
            "left_out": self.left_out,
            "refused": _refusal(self.refused),
        }


@dataclass(frozen=True, slots=True)
class GraphPath:
    """A shortest path between two nodes, for one reader.

    Attributes:
        nodes: from one end to the other, both included; empty when there is no path.
        edges: between each two; an edge may be walked against its direction.
        refused: as in `Neighbourhood`.
    """

    nodes: tuple[ShownNodeRef, ...]
    edges: tuple[ShownEdge, ...]
    refused: Refusal | None = None

    def to_dict(self) -> Json:
        """As a JSON object."""
        return {
            "nodes": [node.to_dict() for node in self.nodes],
            "edges": [edge.to_dict() for edge in self.edges],
            "refused": _refusal(self.refused),
        }


@dataclass(frozen=True, slots=True)
class DanglingReference:
    """A reference that nothing this reader may see answers to.

    Attributes:
        source: the section or child it stands in.
        address: what it names, normalised; '' for a whole document.
        title: of the document it points into; '' for its own.
        evidence: its words and their place.
    """

    source: str
    title: str = field(repr=False)
    address: str
    evidence: ShownEvidence

    def to_dict(self) -> Json:
        """As a JSON object."""
        return {
            "source": self.source,
            "title": self.title or None,
            "address": self.address or None,
            "evidence": self.evidence.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class EvidenceInContext:
    """Evidence with the text around its quote.

    Attributes:
        evidence: where it stands.
        before, after: text around the quote; '' where this reader may not see it.
    """

    evidence: ShownEvidence
    before: str = field(default="", repr=False)
    after: str = field(default="", repr=False)

    def to_dict(self) -> Json:
        """As a JSON object."""
        return {**self.evidence.to_dict(), "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class AuditedEdge:
    """An edge with its evidence in context, in the order of the edge's evidence."""

    edge: ShownEdge
    contexts: tuple[EvidenceInContext, ...]

    def to_dict(self) -> Json:
        """As a JSON object: the edge, its evidence in context."""
        contexts = [context.to_dict() for context in self.contexts]
        return {**self.edge.to_dict(), "evidence": contexts}


@dataclass(frozen=True, slots=True)
class ShownRejection:
    """A relation that was not written, as readers see it.

    Attributes:
        rule, reason: what stopped it and why.
        source, kind, target: as proposed; '' where they may not be kept.
        evidence: where it came from, with the words it claimed as quote.
    """

    rule: str
    reason: str = field(repr=False)
    source: str = field(repr=False)
    kind: str = field(repr=False)
    target: str = field(repr=False)
    evidence: ShownEvidence

    @classmethod
    def of(cls, stored: StoredRejection) -> ShownRejection:
        """A cleared rejection as readers see it."""
        rejection = stored.rejection
        evidence = replace(ShownEvidence.of(stored.evidence), quote=rejection.quote)
        return cls(
            rejection.rule,
            rejection.reason,
            rejection.source,
            rejection.kind,
            rejection.target,
            evidence,
        )

    def to_dict(self) -> Json:
        """As a JSON object."""
        return {
            "rule": self.rule,
            "reason": self.reason,
            "source": self.source or None,
            "kind": self.kind or None,
            "target": self.target or None,
            "evidence": self.evidence.to_dict(),
        }


def entry_to_dict(entry: VerdictEntry) -> Json:
    """A line of the verdict log as a JSON object."""
    return {
        "no": entry.no,
        "edge": entry.edge_id or None,
        "edge_hash": entry.edge or None,
        "document_hash": entry.document or None,
        "verdict": entry.verdict.value,
        "reviewer": entry.reviewer,
        "note": entry.note or None,
        "at": entry.at,
    }


def _refusal(refused: Refusal | None) -> Json | None:
    return refused.to_dict() if refused else None
