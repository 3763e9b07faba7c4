"""References, resolved at each read among what the reader sees.

So the order in which documents come does not matter, and a target that is hidden is exactly one
that is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ragspine_store.neo4j_store.relations.places import scope_of, storable, stored_evidence
from ragspine_store.neo4j_store.transaction import Opened
from ragspine_store.relation_protocols import StoredEvidence
from ragspine_store.sensitivity import Reader
from ragspine_store.storage_rules.relations.edges import Resolved


def read_references(
    opened: Opened,
    reader: Reader,
    *,
    look: int,
    nodes: Sequence[str] = (),
    doc_ids: Sequence[str] = (),
    source: str = "",
) -> tuple[list[Resolved], str | None]:
    """References by source, and the source from which on they were left for a later look.

    Args:
        opened: an open transaction.
        reader: for whom.
        look: at most so many are looked at, seen or not.
        nodes: only those that start or may end at one of these nodes.
        doc_ids: only those that stand in one of these documents.
        source: only those from this node on.
    """
    rows = opened.queries.rows(
        "read_references",
        wanted={
            "source": source,
            "look": look,
            "nodes": storable(nodes) if nodes else None,
            "doc_ids": storable(doc_ids) if doc_ids else None,
        },
        **scope_of(opened, reader),
    )
    found = [
        _Seen(
            row["piece"]["source"],
            row["piece"]["title"],
            row["piece"]["address"],
            stored_evidence(row["piece"], row["collection"], row["labels"]),
        )
        for row in rows
        if row["piece"] is not None
    ]
    found.sort(key=lambda seen: seen.source)
    # The first row is there whatever the reader sees.
    return _resolved(opened, reader, found), rows[0]["next_source"]


class _Seen(NamedTuple):
    """A reference that the reader sees, before it is resolved."""

    source: str
    title: str
    address: str
    evidence: StoredEvidence


class _Asked(NamedTuple):
    """What a reference asks for: all that ask alike are answered alike."""

    title: str
    collection: str
    doc_id: str
    address: str


def _resolved(opened: Opened, reader: Reader, references: Sequence[_Seen]) -> list[Resolved]:
    if not references:
        return []
    asked = [
        # Into its own document a reference needs no title; elsewhere its document does not matter.
        _Asked(
            r.title,
            r.evidence.collection,
            "" if r.title else r.evidence.evidence.doc_id,
            r.address,
        )
        for r in references
    ]
    distinct = list(dict.fromkeys(asked))
    rows = opened.queries.rows(
        "resolve_references",
        asked=[{"n": n, **one._asdict()} for n, one in enumerate(distinct)],
        **scope_of(opened, reader),
    )
    answers: dict[_Asked, str] = {distinct[row["n"]]: row["node"] for row in rows}
    return [
        Resolved(r.source, r.title, r.address, answers.get(one), r.evidence)
        for r, one in zip(references, asked, strict=True)
    ]
