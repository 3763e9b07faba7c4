"""What the knowledge base answers about the relation graph: typed, and the same as JSON."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ragspine_graph.security.gate import Refusal
from ragspine_store.records import Span
from ragspine_store.relation_protocols import (
    StoredEdge,
    StoredEnd,
    StoredEvidence,
    StoredRejection,
    VerdictEntry,
)
from ragspine_store.relations import (
    PROVENANCE_MODEL_DERIVED,
    EdgeKey,
    Evidence,
    Provenance,
    Verdict,
)

Json = dict[str, object]


class AuditState(enum.Enum):
    """What is held of an edge that a model proposed."""

    UNVERIFIED = "unverified"
    VERIFIED = "verified"
    REJECTED = "rejected"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class ShownNodeRef:
    """A node of the graph as readers see it.

    Attributes:
        id: `{type}:{key}`.
        type: the part before the colon.
        label: the profile's name for it, a title or heading, or how the evidence writes it.
    """

    id: str = field(repr=False)
    type: str
    label: str = field(repr=False)

    def to_dict(self) -> Json:
        """As a JSON object."""
        return {"id": self.id, "type": self.type, "label": self.label}


@dataclass(frozen=True, slots=True)
class ShownEvidence:
    """Where an edge is stated.

    Attributes:
        doc_id, locator: as cited.
        quote: the words, '' where nothing is quoted.
        span: of the quote in the canonical text, half-open; None without one.
        count: in how many windows of these children it stands.
        is_stale: the quote is gone from the document.
        model: that proposed it, '' for none.
        prompt: hash of the prompt it was asked with, likewise.
    """

    doc_id: str
    locator: str
    quote: str = field(repr=False)
    span: Span | None
    count: int
    is_stale: bool
    model: str
    prompt: str

    @classmethod
    def of(cls, stored: StoredEvidence) -> ShownEvidence:
        """Cleared evidence as readers see it."""
        piece = stored.evidence
        return cls(
            doc_id=piece.doc_id,
            locator=piece.locator,
            quote=piece.quote,
            span=piece.span,
            count=piece.count,
            is_stale=stored.is_stale,
            model=piece.model,
            prompt=piece.prompt,
        )

    def to_dict(self) -> Json:
        """As a JSON object."""
        return {
            "doc_id": self.doc_id,
            "locator": self.locator,
            "quote": self.quote,
            "span": list(self.span) if self.span else None,
            "count": self.count,
            "stale": self.is_stale,
            "model": self.model or None,
            "prompt": self.prompt or None,
        }


@dataclass(frozen=True, slots=True)
class ShownEdge:
    """An edge of the graph as readers see it.

    Attributes:
        key: which it is; its `edge_id` names it on every surface.
        source, target: its ends.
        evidence: what this reader may see of it.
        weight: the strongest association among the evidence; 0 where none is measured.
        verdict: for an edge of a model, otherwise None.
        reviewer, reviewed_at, note: of the last verdict; '' without one.
        has_new_evidence: evidence came after the last verdict.
    """

    key: EdgeKey = field(repr=False)
    source: ShownNodeRef
    target: ShownNodeRef
    evidence: tuple[ShownEvidence, ...]
    weight: float = 0.0
    verdict: Verdict | None = None
    reviewer: str = ""
    reviewed_at: str = ""
    note: str = field(default="", repr=False)
    has_new_evidence: bool = False

    @classmethod
    def of(cls, edge: StoredEdge) -> ShownEdge:
        """A cleared edge as readers see it."""
        pieces = [stored.evidence for stored in edge.evidence]
        return cls(
            key=edge.key,
            source=_shown(edge.source, pieces, lambda piece: piece.source_name),
            target=_shown(edge.target, pieces, lambda piece: piece.target_name),
            evidence=tuple(map(ShownEvidence.of, edge.evidence)),
            weight=max(piece.weight for piece in pieces),
            verdict=edge.verdict,
            reviewer=edge.entry.reviewer if edge.entry else "",
            reviewed_at=edge.entry.at if edge.entry else "",
            note=edge.entry.note if edge.entry else "",
            has_new_evidence=edge.has_new_evidence,
        )

    @property
    def id(self) -> str:
        """The edge's short name."""
        return self.key.edge_id

    @property
    def is_stale(self) -> bool:
        """None of its quotes stands in its document any more."""
        return all(piece.is_stale for piece in self.evidence)

    def to_dict(self) -> Json:
        """As a JSON object; a model's edge carries its markers, any other has none."""
        is_model = self.key.provenance is Provenance.MODEL
        shown: Json = {
            "id": self.id,
            "source": self.source.id,
            "target": self.target.id,
            "kind": self.key.kind,
            "provenance": self.key.provenance.value,
            "derived": PROVENANCE_MODEL_DERIVED if is_model else None,
            "verified": self.verdict.value if self.verdict else None,
            "source_label": self.source.label,
            "target_label": self.target.label,
            "weight": self.weight,
            "evidence": [piece.to_dict() for piece in self.evidence],
        }
        if is_model:
            shown |= {
                "stale": self.is_stale,
                "new_evidence": self.has_new_evidence,
                "reviewer": self.reviewer or None,
                "reviewed_at": self.reviewed_at or None,
                "note": self.note or None,
            }
        return shown


EDGE_COLUMNS = (
    *("id", "source", "kind", "target", "source_label", "target_label", "provenance", "derived"),
    *("verified", "stale", "reviewer", "reviewed_at", "note"),
    *("doc_id", "locator", "quote", "model"),
)


def edge_rows(edges: Iterable[ShownEdge]) -> Iterator[list[object]]:
    """One row of `EDGE_COLUMNS` for each place that states an edge."""
    for edge in edges:
        stated = edge.to_dict()
        for piece in edge.evidence:
            row = stated | piece.to_dict()
            yield [row.get(column) for column in EDGE_COLUMNS]


def shown_end(end: StoredEnd) -> ShownNodeRef:
    """A cleared node as readers see it, no edge being at hand."""
    return _shown(end, (), lambda _: "")


def _shown(
    end: StoredEnd, pieces: Sequence[Evidence], name: Callable[[Evidence], str]
) -> ShownNodeRef:
    written = next((name(piece) for piece in pieces if name(piece)), "")
    node = end.node
    return ShownNodeRef(node.id, node.type.value, node.label or written or node.key)


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
