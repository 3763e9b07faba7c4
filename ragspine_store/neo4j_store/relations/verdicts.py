"""The verdict log: appended to, never changed, and without a name or text."""

from __future__ import annotations

from ragspine_store.errors import NotFoundError, RelationError
from ragspine_store.neo4j_store.relations.edges import entry_of, read_edges
from ragspine_store.neo4j_store.transaction import Opened, Queries
from ragspine_store.relation_protocols import EdgeFilter, VerdictEntry
from ragspine_store.relations import Provenance, Verdict
from ragspine_store.sensitivity import Reader
from ragspine_store.storage_rules.relations.checks import check_verdict
from ragspine_store.storage_rules.relations.edges import log_of_edges
from ragspine_store.storage_rules.stub_key import Name
from ragspine_store.storage_rules.texts import can_be_stored, now


def record_verdict(
    opened: Opened, name: Name, edge_id: str, verdict: Verdict, *, reviewer: str, note: str
) -> VerdictEntry:
    """Append a person's verdict on an edge of a model.

    Raises:
        NotFoundError: no such edge.
        RelationError: the edge is not a model's, or there is no verdict or reviewer.
    """
    check_verdict(verdict, reviewer, note)
    edge_hash, doc_id = _find_edge(opened, edge_id)
    entry = VerdictEntry(0, edge_hash, name(doc_id), verdict, reviewer, note, now(), edge_id)
    no = append_entry(opened.queries, entry)
    opened.queries.run(
        "judge_places",
        edge_hash=edge_hash,
        verdict=verdict.value,
        reviewer=reviewer,
        note=note,
        at=entry.at,
    )
    return entry._replace(no=no)


def append_entry(queries: Queries, entry: VerdictEntry) -> int:
    """Append an entry to the log; its number."""
    row = queries.row(
        "append_verdict",
        edge_hash=entry.edge,
        document_hash=entry.document,
        verdict=entry.verdict.value,
        reviewer=entry.reviewer,
        note=entry.note,
        at=entry.at,
    )
    assert row is not None
    return row["no"]


def read_log(opened: Opened, reader: Reader | None) -> list[VerdictEntry]:
    """Entries of the log, oldest first; a reader gets those of edges they see, counted anew."""
    entries = [
        entry_of(row["entry"], no=row["entry"]["no"], edge_id=row["edge_id"])
        for row in opened.queries.rows("read_verdicts")
    ]
    if reader is None:
        return entries
    ids = {entry.edge_id for entry in entries} - {""}
    wanted = EdgeFilter(reader, ids=sorted(ids), provenances=[Provenance.MODEL])
    seen = {edge.key.edge_id for edge in read_edges(opened, wanted)} if ids else set[str]()
    return log_of_edges(entries, seen)


def _find_edge(opened: Opened, edge_id: str) -> tuple[str, str]:
    if can_be_stored(edge_id):
        row = opened.queries.row("find_model_edge", edge_id=edge_id)
        if row is not None:
            return row["edge_hash"], row["doc_id"]
        if read_edges(opened, EdgeFilter(Reader(), ids=[edge_id])):
            raise RelationError(
                f"edge {edge_id} is not a model's; expected a model's: verdicts are for those alone"
            )
    raise NotFoundError(f"no edge {edge_id!r}: expected an id as relations list gives it")
