"""From what a reader sees of evidence and nodes to edges in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ragspine_store.relation_protocols import (
    EdgeFilter,
    RelationCensus,
    StoredEdge,
    StoredEnd,
    StoredEvidence,
    StoredReference,
    StoredRejection,
    VerdictEntry,
)
from ragspine_store.relations import (
    REFERS_TO,
    EdgeKey,
    Provenance,
    Reference,
    Rejection,
    Verdict,
)

EdgeOrder = tuple[str, ...]
"""What edges are ordered by: kind, source, target, provenance; or the beginning of it."""


@dataclass(slots=True)
class GatheredEdge:
    """An edge while its visible evidence is gathered.

    Attributes:
        key: which it is.
        verdict, entry: as in `StoredEdge`.
        evidence: visible pieces.
        is_new: a visible piece came after the last verdict.
    """

    key: EdgeKey
    verdict: Verdict | None = None
    entry: VerdictEntry | None = None
    evidence: list[StoredEvidence] = field(default_factory=list[StoredEvidence])
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Resolved:
    """A reference that the reader sees the evidence of, and the node that answers to it.

    Attributes:
        source: id of the node in which it stands; whether the reader sees that is left open.
        title, address: as in `Reference`.
        target: id of the node that answers, which the reader sees; None for a dangling reference.
        evidence: where it stands.
    """

    source: str
    title: str = field(repr=False)
    address: str
    target: str | None
    evidence: StoredEvidence


class EdgeLook(NamedTuple):
    """What a look at some edges found.

    Attributes:
        edges: that pass the filter; whether their ends are visible is left open.
        end: how far it looked; None when it looked at all.
    """

    edges: Sequence[GatheredEdge]
    end: EdgeOrder | None = None


def edge_order(key: EdgeKey) -> tuple[str, str, str, str]:
    """Kind, source, target and provenance: what edges are ordered by."""
    return key.kind, key.source, key.target, key.provenance.value


def place_of(stored: StoredEvidence) -> tuple[object, ...]:
    """What pieces of evidence are ordered by: document, children, span, then what they say."""
    e = stored.evidence
    nowhere = (-1, -1)
    return (
        *(e.doc_id, e.chunks or nowhere, e.span or nowhere, e.locator),
        *(e.model, e.prompt, e.quote, e.source_name, e.target_name, e.count, e.weight),
    )


def page_of_edges(
    wanted: EdgeFilter, look_at: Callable[[int | None], tuple[list[StoredEdge], bool]]
) -> list[StoredEdge]:
    """The edges of a filter, as many as it wants.

    A page is looked for among some more than it holds; when too many of those are hidden, among
    all.

    Args:
        wanted: the filter.
        look_at: looks at so many edges, None for all; gives those that are seen, and whether there
            were no more.
    """
    if wanted.limit is None:
        return look_at(None)[0]
    found, is_whole = look_at(4 * wanted.limit + 64)
    if len(found) < wanted.limit and not is_whole:
        found, _ = look_at(None)
    return found[: wanted.limit]


def passes(wanted: EdgeFilter, edge: GatheredEdge) -> bool:
    """Whether the visible evidence of an edge is what the filter wants; none is not."""
    pieces = edge.evidence
    return (
        bool(pieces)
        and (not wanted.doc_ids or any(p.evidence.doc_id in wanted.doc_ids for p in pieces))
        and (not wanted.models or any(p.evidence.model in wanted.models for p in pieces))
        and (wanted.stale is None or wanted.stale == all(p.is_stale for p in pieces))
    )


def wants_references(wanted: EdgeFilter) -> bool:
    """Whether edges that references make can pass the filter."""
    return not (
        (wanted.kinds and REFERS_TO not in wanted.kinds)
        or (wanted.provenances and Provenance.RULE not in wanted.provenances)
        or (wanted.verdicts and not wanted.provenances)
        or wanted.models
        or wanted.stale
        or (wanted.after and wanted.after.kind > REFERS_TO)
    )


def edges_of_references(
    wanted: EdgeFilter, references: Iterable[Resolved], next_source: str | None
) -> EdgeLook:
    """Edges that references make.

    Args:
        wanted: the filter.
        references: in the order of their sources.
        next_source: the source from which on they were left for a later look; None for none.
    """
    made: dict[EdgeKey, GatheredEdge] = {}
    for reference in references:
        if reference.target is None or reference.target == reference.source:
            continue
        key = EdgeKey(reference.source, REFERS_TO, reference.target, Provenance.RULE)
        made.setdefault(key, GatheredEdge(key)).evidence.append(reference.evidence)
    found = [
        edge
        for key, edge in made.items()
        if not wanted.nodes or key.source in wanted.nodes or key.target in wanted.nodes
        if not wanted.ids or key.edge_id in wanted.ids
        if wanted.after is None or edge_order(key) > edge_order(wanted.after)
    ]
    return EdgeLook(found, None if next_source is None else (REFERS_TO, next_source))


def stored_edges(
    looks: Sequence[EdgeLook], ends: Mapping[str, StoredEnd]
) -> tuple[list[StoredEdge], bool]:
    """The edges of several looks in order, as far as all of them looked; whether that is all.

    Args:
        looks: at edges of different keys.
        ends: the nodes that the reader sees, by id.
    """
    horizon = min((look.end for look in looks if look.end is not None), default=None)
    edges = sorted((e for look in looks for e in look.edges), key=lambda edge: edge_order(edge.key))
    found = [
        StoredEdge(
            key=edge.key,
            source=ends[edge.key.source],
            target=ends[edge.key.target],
            evidence=tuple(sorted(edge.evidence, key=place_of)),
            verdict=edge.verdict,
            entry=edge.entry,
            has_new_evidence=edge.entry is not None and edge.is_new,
        )
        for edge in edges
        if edge.key.source in ends and edge.key.target in ends
        if horizon is None or edge_order(edge.key) <= horizon
    ]
    return found, horizon is None


def named_ends(edges: Iterable[StoredEdge], named: Iterable[str], name: str) -> list[StoredEnd]:
    """The ends of edges that a name means, by id; see `RelationReader.find_nodes`.

    Args:
        edges: visible ones, those of all nodes that the name may mean among them.
        named: ids of nodes that it means whatever their evidence says.
        name: as a person wrote it.
    """
    named = set(named)
    ends: dict[str, StoredEnd] = {}
    for edge in edges:
        pieces = [stored.evidence for stored in edge.evidence]
        for end, names in (
            (edge.source, [piece.source_name for piece in pieces]),
            (edge.target, [piece.target_name for piece in pieces]),
        ):
            if end.node.id in named or name in names:
                label = end.node.label or next(filter(None, names), "")
                ends.setdefault(end.node.id, replace(end, node=replace(end.node, label=label)))
    return [ends[node] for node in sorted(ends)]


def dangling_references(
    references: Iterable[Resolved], sources: Mapping[str, StoredEnd]
) -> list[StoredReference]:
    """Those that nothing answers to, whose source the reader sees, by document and place.

    What stands in one place is ordered by address, title and source, so that no order is left to
    the backend.

    Args:
        references: that the reader sees.
        sources: the nodes that the reader sees, by id.
    """
    found = [
        StoredReference(
            Reference(
                replace(sources[r.source].node, label=""), r.title, r.address, r.evidence.evidence
            ),
            r.evidence,
        )
        for r in references
        if r.target is None and r.source in sources
    ]

    def order(one: StoredReference) -> tuple[object, ...]:
        reference = one.reference
        said = (reference.address, reference.title, reference.source.id)
        return (*place_of(one.evidence), *said)

    return sorted(found, key=order)


def numbered_rejections(
    found: Iterable[tuple[Rejection, StoredEvidence]],
) -> list[StoredRejection]:
    """Rejections by document and place, numbered among what the reader sees."""

    def place(one: tuple[Rejection, StoredEvidence]) -> tuple[object, ...]:
        rejection, stored = one
        proposed = (rejection.rule, rejection.source, rejection.kind, rejection.target)
        return (*place_of(stored), *proposed, rejection.quote, rejection.reason)

    return [StoredRejection(no, *one) for no, one in enumerate(sorted(found, key=place), start=1)]


def log_of_edges(entries: Iterable[VerdictEntry], seen: Iterable[str]) -> list[VerdictEntry]:
    """The entries about edges that a reader sees, counted anew.

    A gap in the numbers would tell that there are entries which the reader may not see.
    """
    seen = set(seen)
    visible = (entry for entry in entries if entry.edge_id in seen)
    return [entry._replace(no=no) for no, entry in enumerate(visible, start=1)]


def census_of(edges: Sequence[StoredEdge], dangling: int) -> RelationCensus:
    """Counts over the edges that a reader sees, and the references that dangle."""
    nodes = {end.node.id: end.node for edge in edges for end in (edge.source, edge.target)}
    verdicts = Counter(edge.verdict for edge in edges)
    return RelationCensus(
        nodes=dict(Counter(node.type for node in nodes.values())),
        edges=dict(Counter(edge.key.provenance for edge in edges)),
        unverified=verdicts[Verdict.UNVERIFIED],
        verified=verdicts[Verdict.VERIFIED],
        rejected=verdicts[Verdict.REJECTED],
        stale=sum(all(piece.is_stale for piece in edge.evidence) for edge in edges),
        dangling=dangling,
    )
