"""What every backend does alike when it follows links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ragspine_store.document_id import split_node_id
from ragspine_store.links import Referred, Seed
from ragspine_store.protocols import Candidate
from ragspine_store.records import Span
from ragspine_store.relations import Evidence
from ragspine_store.storage_rules.texts import fold_heading


class Part(NamedTuple):
    """A document, or a section or child of it by number."""

    doc_id: str
    section: int | None = None
    child: int | None = None


def part_of(node: str) -> Part:
    """The part that a node is.

    >>> part_of("section:rules.md#s4")
    Part(doc_id='rules.md', section=4, child=None)
    """
    doc_id, fragment = split_node_id(node.partition(":")[2])
    if not fragment:
        return Part(doc_id)
    number = int(fragment[1:])
    return Part(doc_id, number) if fragment.startswith("s") else Part(doc_id, None, number)


def seed_of(evidence: Evidence) -> Seed:
    """The child that a piece of evidence stands in."""
    assert evidence.chunks is not None
    return Seed(evidence.doc_id, evidence.chunks.first)


def reference_order(referred: Referred) -> tuple[Seed, Span, str, str]:
    """By seed and place."""
    return referred.seed, referred.span or Span(0, 0), referred.source, referred.target


def passes_filters(candidate: Candidate, filters: Mapping[str, Sequence[str]]) -> bool:
    """Whether a child is one of those that a search with these filters may find."""
    chunk = candidate.chunk
    return all(
        _stands_in(candidate, allowed)
        if key == "section"
        else (candidate.collection if key == "collection" else getattr(chunk, key)) in allowed
        for key, allowed in filters.items()
    )


def _stands_in(candidate: Candidate, sections: Sequence[str]) -> bool:
    folded = set(map(fold_heading, sections))
    above = {f"{candidate.chunk.doc_id}#s0", *(s.section_id for s in candidate.ancestors)}
    return not above.isdisjoint(sections) or any(
        fold_heading(section.heading) in folded for section in candidate.ancestors
    )
