"""Where documents came from, as an ingest and a sync compare it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from neo4j import Record

from ragspine_store.neo4j_store.transaction import Opened, Queries
from ragspine_store.protocols import KeptSource
from ragspine_store.records import Origin
from ragspine_store.sensitivity import Sensitivity, stored_label


def find_origin(queries: Queries, doc_id: str) -> Origin:
    """What a document was made of; an unknown one without it."""
    row = queries.row("find_origin", doc_id=doc_id)
    if row is None:
        return Origin()
    # Without a fingerprint the next ingest must write it anew, whatever it was made of.
    return Origin(row["content_hash"], row["inputs_hash"], row["is_stated"])


def note_origin(queries: Queries, doc_id: str, origin: Origin) -> None:
    """Note what a document could as well have been made of."""
    queries.run(
        "set_document",
        doc_id=doc_id,
        properties={
            "content_hash": origin.content,
            "inputs_hash": origin.inputs,
            "is_stated": origin.is_stated,
        },
    )


def strictest_part(row: Record) -> Sensitivity | None:
    """The strictest label that a part of a document has, from a row with the column `labels`."""
    return max(map(stored_label, row["labels"]), default=None)


def documents_below(queries: Queries, alias: Callable[[str], str], folder: str) -> list[KeptSource]:
    """Documents whose files lay below a folder, by id."""
    below = folder.rstrip(os.sep) + os.sep
    return [_kept(row, alias) for row in queries.rows("documents_below", below=below)]


def documents_of(
    queries: Queries, alias: Callable[[str], str], contents: Iterable[str]
) -> list[KeptSource]:
    """Documents made of files with one of these hashes, by id."""
    return [_kept(row, alias) for row in queries.rows("documents_of", contents=list(contents))]


def _kept(row: Record, alias: Callable[[str], str]) -> KeptSource:
    doc_id, label = row["doc_id"], stored_label(row["sensitivity"])
    source, content = (
        alias(text) if text else "" for text in (row["source_path"], row["content_hash"])
    )
    strictest = max(label, strictest_part(row) or label)
    return KeptSource(doc_id, doc_id, row["source_path"], source, content, label, strictest)


def move_document(opened: Opened, kept: KeptSource, doc_id: str, source_path: str) -> bool:
    """Give a document and all that is named after it another id; False without it."""
    row = opened.queries.row(
        "move_document",
        old=kept.doc_id,
        new=doc_id,
        source_path=kept.source_path,
        new_source_path=source_path,
        state=opened.state,
    )
    # A document whose title is withheld is called by its id.
    return row is not None and row["moved"] > 0
