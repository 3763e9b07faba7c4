"""Nodes, evidence and edges of the graph as readers see them, and the same as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ragspine_graph.egress import Json
from ragspine_store.records import Span
from ragspine_store.relation_protocols import StoredEdge, StoredEnd, StoredEvidence
from ragspine_store.relations import (
    PROVENANCE_MODEL_DERIVED,
    EdgeKey,
    Evidence,
    Provenance,
    Verdict,
)


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
