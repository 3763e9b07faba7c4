"""Reading edges: those that stand in the store, and those that references make."""

from __future__ import annotations

from neo4j import Record

from ragspine_store.neo4j_store.relations.places import (
    Place,
    read_ends,
    scope_of,
    storable,
    stored_evidence,
)
from ragspine_store.neo4j_store.relations.references import read_references
from ragspine_store.neo4j_store.transaction import Opened
from ragspine_store.relation_protocols import EdgeFilter, StoredEdge, VerdictEntry
from ragspine_store.relations import REFERS_TO, EdgeKey, Provenance, Verdict
from ragspine_store.storage_rules.relations.edges import (
    EdgeLook,
    GatheredEdge,
    edge_order,
    edges_of_references,
    page_of_edges,
    passes,
    stored_edges,
    wants_references,
)

ALL = 2**31
"""More than there can be of anything."""


def read_edges(opened: Opened, wanted: EdgeFilter) -> list[StoredEdge]:
    """Visible edges that pass the filter, in order, in a constant number of queries."""
    texts = (wanted.ids, wanted.nodes, wanted.kinds, wanted.doc_ids, wanted.models)
    if any(given and not storable(given) for given in texts):
        return []
    return page_of_edges(wanted, lambda look: _look(opened, wanted, look))


def _look(opened: Opened, wanted: EdgeFilter, look: int | None) -> tuple[list[StoredEdge], bool]:
    """The edges among the first so many candidates, and whether there were no more."""
    looks = [_stored(opened, wanted, look), _made(opened, wanted, look)]
    keys = [edge.key for found in looks for edge in found.edges]
    ends = read_ends(
        opened, wanted.reader, (end for key in keys for end in (key.source, key.target))
    )
    return stored_edges(looks, ends)


def _stored(opened: Opened, wanted: EdgeFilter, look: int | None) -> EdgeLook:
    """Edges that stand in the store with their visible evidence."""
    rows = opened.queries.rows(
        "read_edges", wanted=_wanted(wanted, look), **scope_of(opened, wanted.reader)
    )
    edges: dict[str, GatheredEdge] = {}
    for row in rows:
        place = row["piece"]
        if place is None:
            continue
        edge_id = place["edge_id"]
        edge = edges.get(edge_id) or edges.setdefault(edge_id, _edge(row))
        edge.evidence.append(stored_evidence(place, row["collection"], row["labels"]))
        edge.is_new = edge.is_new or not place["is_judged"]
    # The first row is there whatever the reader sees.
    end = tuple(rows[0]["end"]) if rows[0]["looked"] == look else None
    return EdgeLook([edge for edge in edges.values() if passes(wanted, edge)], end)


def _wanted(wanted: EdgeFilter, look: int | None) -> dict[str, object]:
    ids, nodes, doc_ids = map(storable, (wanted.ids, wanted.nodes, wanted.doc_ids))
    return {
        **_starts(ids, nodes, doc_ids),
        "kinds": storable(wanted.kinds),
        "provenances": [provenance.value for provenance in wanted.provenances],
        "nodes": nodes,
        "doc_ids": doc_ids,
        "models": storable(wanted.models),
        "verdicts": [verdict.value for verdict in wanted.verdicts],
        "mixed": bool(wanted.provenances),
        "after": None if wanted.after is None else list(edge_order(wanted.after)),
        "look": ALL if look is None else look,
    }


def _starts(ids: list[str], nodes: list[str], doc_ids: list[str]) -> dict[str, object]:
    """Where edges are looked for: by the filter that lets the fewest through."""
    return {
        "everywhere": not (ids or nodes or doc_ids),
        "start_ids": ids,
        "start_nodes": [] if ids else nodes,
        "start_doc_ids": [] if ids or nodes else doc_ids,
    }


def _edge(row: Record) -> GatheredEdge:
    place: Place = row["piece"]
    key = EdgeKey(row["source"], place["kind"], row["target"], Provenance(place["provenance"]))
    if key.provenance is not Provenance.MODEL:
        return GatheredEdge(key)
    if row["entry"] is None:
        return GatheredEdge(key, Verdict.UNVERIFIED)
    entry = entry_of(row["entry"], no=row["entries"], edge_id=key.edge_id)
    return GatheredEdge(key, entry.verdict, entry)


def entry_of(logged: Place, *, no: int, edge_id: str) -> VerdictEntry:
    """An entry of the log."""
    return VerdictEntry(
        no,
        logged["edge_hash"],
        logged["document_hash"],
        Verdict(logged["verdict"]),
        logged["reviewer"],
        logged["note"],
        logged["at"],
        edge_id,
    )


def _made(opened: Opened, wanted: EdgeFilter, look: int | None) -> EdgeLook:
    """Edges that references make."""
    if not wants_references(wanted):
        return EdgeLook([])
    after = wanted.after
    references, next_source = read_references(
        opened,
        wanted.reader,
        nodes=wanted.nodes,
        doc_ids=wanted.doc_ids,
        source=after.source if after and after.kind == REFERS_TO else "",
        look=ALL if look is None else look,
    )
    return edges_of_references(wanted, references, next_source)
