"""The document that relations are written for, as it is in the store now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragspine_store.neo4j_store.transaction import Queries
from ragspine_store.records import Span
from ragspine_store.relations import ChunkRange
from ragspine_store.sensitivity import Sensitivity, stored_label
from ragspine_store.storage_rules.relations.targets import ALL_CHILDREN, TargetParts


@dataclass(frozen=True, slots=True)
class Target(TargetParts):
    """A document, and which of its parts, as far as read, are RESTRICTED.

    Attributes:
        doc_id, version, collection: of the document.
        level: its label in force.
        levels: labels in force of its children, by position.
        closed_children, closed_sections: positions and numbers of those that are RESTRICTED.
    """

    doc_id: str
    version: int
    collection: str
    level: Sensitivity
    levels: Mapping[int, Sensitivity]
    closed_children: Sequence[int]
    closed_sections: Sequence[int]

    @property
    def closed_nodes(self) -> frozenset[str]:
        """Ids of the nodes of parts that are RESTRICTED."""
        return frozenset(
            [f"section:{self.doc_id}#s{no}" for no in self.closed_sections]
            + [f"child:{self.doc_id}#c{seq}" for seq in self.closed_children]
        )

    def level_of(self, chunks: ChunkRange | None) -> Sensitivity:
        """The strictest label of the document and of these children; RESTRICTED without them."""
        if chunks is None:
            return self.level
        missing = Sensitivity.RESTRICTED
        seqs = range(chunks.first, chunks.last + 1)
        return max(self.level, *(self.levels.get(seq, missing) for seq in seqs))


def find_target(
    queries: Queries, doc_id: str, version: int, within: ChunkRange = ALL_CHILDREN
) -> Target | None:
    """The document, unless it is gone, RESTRICTED or of another version.

    Args:
        queries: runs queries in a write transaction.
        doc_id: its id.
        version: the one that was read.
        within: the children that are asked about.
    """
    target = read_target(queries, doc_id, within)
    if target is None or target.version != version or target.level is Sensitivity.RESTRICTED:
        return None
    return target


def read_target(queries: Queries, doc_id: str, within: ChunkRange = ALL_CHILDREN) -> Target | None:
    """The document with its parts; None without it."""
    row = queries.row("read_target", doc_id=doc_id, first=within.first, last=within.last)
    if row is None:
        return None
    document = row["document"]
    strict = [
        (no, Span(start, end), stored_label(label)) for no, start, end, label in row["strict"]
    ]
    if document["root_label"] != document["sensitivity"]:
        strict.append((0, Span(0, document["span_end"]), stored_label(document["root_label"])))
    children: Sequence[tuple[int, int, int, int, str]] = row["children"]
    levels: dict[int, Sensitivity] = {}
    for seq, start, end, clearance, label in children:
        above = [level for _, span, level in strict if span.overlaps(Span(start, end))]
        levels[seq] = max(Sensitivity(clearance), stored_label(label), *above)
    restricted = Sensitivity.RESTRICTED
    closed = [(no, span) for no, span, level in strict if level is restricted]
    return Target(
        children=[(seq, start, end) for seq, start, end, _, _ in children],
        open_children=[seq for seq, level in levels.items() if level < restricted],
        closed=[span for _, span in closed],
        doc_id=doc_id,
        version=document["version"],
        collection=document["collection"],
        level=stored_label(document["sensitivity"]),
        levels=levels,
        closed_children=[seq for seq, level in levels.items() if level is restricted],
        closed_sections=[no for no, _ in closed],
    )
