"""All that the server keeps, as values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from neo4j import Record

from ragspine_store.kept import (
    KeptBranch,
    KeptChild,
    KeptDocument,
    KeptLogs,
    KeptProfile,
    KeptRelations,
    KeptSection,
    KeptStub,
)
from ragspine_store.neo4j_store.copying.relations import read_profile, read_relations
from ragspine_store.neo4j_store.meta import UNFINISHED_COPY, find_meta
from ragspine_store.neo4j_store.rows import BATCH_ROWS
from ragspine_store.neo4j_store.transaction import Queries
from ragspine_store.neo4j_store.vectors import kept_vectors
from ragspine_store.records import Paragraphs, Span
from ragspine_store.sensitivity import spelled_label
from ragspine_store.storage_rules.offsets import unpack_offsets
from ragspine_store.storage_rules.stub_key import CHECK
from ragspine_store.vectors import PartVector

Properties = Mapping[str, Any]  # the driver gives untyped values


class KeptReading:
    """What one transaction sees; see `KeptReader`."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries

    def document_ids(self) -> list[str]:
        """Ids of all documents of which more than a stub is kept, in order of code points."""
        return sorted(row["doc_id"] for row in self._queries.rows("kept_document_ids"))

    def document(self, doc_id: str) -> KeptDocument | None:
        """A document; None when it is gone."""
        row = self._queries.row("read_kept_document", doc_id=doc_id)
        if row is None:
            return None
        stored: Properties = row["document"]
        label: str = stored["sensitivity"]
        children = tuple(_child(child) for child in row["children"])
        return KeptDocument(
            **{name: stored[name] for name in _OF_DOCUMENT},
            label=label,
            ingested_at=stored["ingested_at"] if children else "",
            text="".join(row["pieces"]),
            offsets=unpack_offsets(stored["offsets"]) if stored.get("offsets") else None,
            pages=tuple(stored["pages"]),
            sections=(*_root(stored), *(_section(section, label) for section in row["sections"])),
            branches=tuple(_branch(branch) for branch in row["branches"]),
            children=children,
            vectors=tuple(_vectors(row)),
        )

    def relations(self, doc_id: str) -> KeptRelations:
        """What the graph keeps of a document."""
        return read_relations(self._queries, doc_id)

    def stubs(self) -> Iterator[KeptStub]:
        """All stubs by the hash of their id."""
        after = ""
        while rows := self._queries.rows("read_kept_stubs", after=after, limit=BATCH_ROWS):
            for row in rows:
                yield _stub(row["stub"])
            after = rows[-1]["stub"]["id_hash"]

    def profile(self) -> KeptProfile:
        """What the graph keeps that is no document's own."""
        return read_profile(self._queries)

    def logs(self) -> KeptLogs:
        """The logs."""
        verdicts = (row["entry"] for row in self._queries.rows("read_verdict_entries"))
        lowered = (row["lowered"] for row in self._queries.rows("read_lowered"))
        return KeptLogs.of(verdicts, lowered)

    def key_check(self) -> str:
        """The check value of the key that names stubs; '' when none was used so far."""
        return find_meta(self._queries, CHECK) or ""

    def unfinished_copy(self) -> str:
        """Of which store a copy was begun here and not finished; '' for none."""
        return find_meta(self._queries, UNFINISHED_COPY) or ""


_OF_DOCUMENT = (
    *("doc_id", "title", "topic", "entity", "geography", "period", "language", "collection"),
    *("is_stated", "valid_as_of", "version", "chunker", "fingerprint", "source_path"),
    *("content_hash", "inputs_hash"),
)
_OF_CHILD = ("seq", "text", "source_locator", "parent_id", "heading", "parent_locator", "section")


def _root(document: Properties) -> Iterator[KeptSection]:
    """The document as its section 0; one from before the record has none."""
    if document.get("own_end") is None:
        return
    yield KeptSection(
        no=0,
        parent=None,
        level=0,
        heading=document["heading"],
        span=Span(0, document["span_end"]),
        own_end=document["own_end"],
        own_label=document["own_label"],
        label=_own(document["root_label"], document["sensitivity"]),
        is_erased=document["is_erased"],
    )


def _section(section: Properties, label: str) -> KeptSection:
    return KeptSection(
        no=section["no"],
        parent=section["parent"],
        level=section["level"],
        heading=section["heading"],
        span=Span(section["span_start"], section["span_end"]),
        own_end=section["own_end"],
        own_label=section["own_label"],
        label=_own(section["sensitivity"], label),
        is_erased=section["is_erased"],
    )


def _vectors(row: Record) -> Iterator[PartVector]:
    document: Properties = row["document"]
    sections = [(Span(s["span_start"], s["span_end"]), s["sensitivity"]) for s in row["sections"]]
    sections.append((Span(0, document["span_end"]), document["root_label"]))
    yield from kept_vectors(document["sensitivity"], sections, row["children"], row["vectors"])


def _branch(branch: Properties) -> KeptBranch:
    return KeptBranch(
        no=branch["no"],
        parent=branch.get("parent"),
        name=branch["name"],
        span=Span(branch["span_start"], branch["span_end"]),
        paragraphs=Paragraphs(branch["para_start"], branch["para_end"]),
        children=branch["children"],
    )


def _child(child: Properties) -> KeptChild:
    return KeptChild(
        **{name: child[name] for name in _OF_CHILD},
        chunk_id=child["id"].removeprefix("child:"),
        paragraphs=Paragraphs(child["para_start"], child["para_end"]),
        window_text=child["window_text"] or "",
        window=_span(child["window_start"], child["window_end"]),
        node=child["node"],
        span=_span(child["span_start"], child["span_end"]),
        own_label=child["own_label"] or "",
        label=child["sensitivity"],
        level=child["clearance"],
        is_erased=bool(child["is_erased"]),
        lead_in=_span(child["lead_in_start"], child["lead_in_end"]),
    )


def _stub(stub: Properties) -> KeptStub:
    return KeptStub(
        id_hash=stub["id_hash"],
        source_hash=stub["source_hash"],
        content_hash=stub["content_hash"],
        inputs_hash=stub["inputs_hash"],
        folder_hashes=tuple(stub["folder_hashes"]),
        label=stub["sensitivity"],
        labelled_at=stub["labelled_at"],
        is_stated=stub["is_stated"],
    )


def _own(label: str, document_label: str) -> str:
    return "" if spelled_label(label) == spelled_label(document_label) else label


def _span(start: int | None, end: int | None) -> Span | None:
    return None if start is None or end is None else Span(start, end)
