"""What the knowledge base answers: typed, and the same as JSON on every surface."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ragspine_graph.building import GraphState
from ragspine_graph.egress import Json
from ragspine_graph.retrieval import ContextBlock, Snippet
from ragspine_graph.security.gate import Refusal
from ragspine_store.ingest_report import IngestReport, Outcome
from ragspine_store.protocols import Census, DocumentRow
from ragspine_store.relation_protocols import RelationCensus
from ragspine_store.relations import NodeType, Provenance
from ragspine_store.sensitivity import Sensitivity, stored_label


def count(number: int, singular: str, plural: str = "") -> str:
    """A number with its noun, and a verb where one follows.

    >>> count(1, "document"), count(2_000, "child", "children")
    ('1 document', '2,000 children')
    """
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits for one reader, best first.

    Attributes:
        query: as given.
        snippets: the hit children.
        refused: why the question is not answered; None when it is.
        notes: what could not be done on the way, one sentence each.

    >>> SearchResult("allowance", ()).to_dict()
    {'query': 'allowance', 'snippets': [], 'locators': [], 'refused': None}
    """

    query: str = field(repr=False)
    snippets: tuple[Snippet, ...]
    refused: Refusal | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> Json:
        """As a JSON object; `locators` runs parallel to `snippets`, `notes` only with any."""
        result: Json = {
            "query": self.query,
            "snippets": [snippet.to_dict() for snippet in self.snippets],
            "locators": [snippet.locator.to_dict() for snippet in self.snippets],
            "refused": self.refused.to_dict() if self.refused else None,
        }
        if self.notes:
            result["notes"] = list(self.notes)
        return result


@dataclass(frozen=True, slots=True)
class ContextResult:
    """A context for one reader.

    Attributes:
        query: as given.
        blocks: whole texts, best evidence first.
        left_out: blocks that are not given, for the budget or for `max_parents`.
        refused: as in `SearchResult`.
        beyond_parents: how many of those left out are windows after the first `max_parents`.
        needed_budget: tokens that hold the first block, when none fits the budget; 0 otherwise.
        notes: as in `SearchResult`.
    """

    query: str = field(repr=False)
    blocks: tuple[ContextBlock, ...]
    left_out: int
    refused: Refusal | None = None
    beyond_parents: int = 0
    needed_budget: int = 0
    notes: tuple[str, ...] = ()

    def to_dict(self) -> Json:
        """As a JSON object; `notes` only with any."""
        result: Json = {
            "query": self.query,
            "blocks": [block.to_dict() for block in self.blocks],
            "left_out": self.left_out,
            "refused": self.refused.to_dict() if self.refused else None,
        }
        if self.notes:
            result["notes"] = list(self.notes)
        return result


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A document in a list."""

    doc_id: str
    title: str = field(repr=False)
    collection: str
    sensitivity: str
    version: int

    @classmethod
    def of(cls, row: DocumentRow) -> DocumentEntry:
        """A cleared row as readers see it."""
        label = stored_label(row.sensitivity).name
        return cls(row.doc_id, row.title, row.collection, label, row.version)

    def to_dict(self) -> Json:
        """As a JSON object."""
        return {
            "doc_id": self.doc_id,
            "title": self.title,
            "collection": self.collection,
            "sensitivity": self.sensitivity,
            "version": self.version,
        }


@dataclass(frozen=True, slots=True)
class Status:
    """How much a reader may see, and for an operator what is withheld.

    Attributes:
        documents, chunks: that the reader may see.
        relations: counts over what the reader may see of the relation graph.
        census: counts over the whole store; None for a reader.
        withheld: ids and labels of RESTRICTED documents kept with their text; None for a reader.
        graph: how far the relation graph is built; None for a reader.

    >>> Status(documents=2, chunks=14).to_dict()["relations"]["edges"]
    {'controlled': 0, 'rule': 0, 'model': 0}
    """

    documents: int
    chunks: int
    relations: RelationCensus = field(default_factory=RelationCensus)
    census: Census | None = None
    withheld: Sequence[tuple[str, Sensitivity]] | None = None
    graph: GraphState | None = None

    def warnings(self) -> list[str]:
        """What an operator should look at, one sentence each."""
        census, graph = self.census, self.graph
        if census is None or graph is None:
            return []
        return [
            text
            for number, text in (
                (
                    census.unknown_labels,
                    f"{count(census.unknown_labels, 'row has', 'rows have')} an unknown label, "
                    "which counts as RESTRICTED: relabel their documents",
                ),
                (
                    census.missing_windows,
                    f"{count(census.missing_windows, 'child has', 'children have')} lost their "
                    "window: ingest their documents again",
                ),
                (
                    census.missing_branches,
                    f"{census.missing_branches} children or branches have lost the branch above "
                    "them and are never merged: ingest their documents again",
                ),
                (
                    census.restricted_parts,
                    f"{count(census.restricted_parts, 'section or child', 'sections or children')} "
                    "kept with RESTRICTED text: run purge --restricted unless that is wanted",
                ),
                (
                    census.erasure_pending,
                    "erased text may still stand in the file: run purge --restricted when no "
                    "other process reads the store",
                ),
                (
                    census.copy_unfinished,
                    "the store is a copy of another one that was cut short: run the same copy "
                    "again, and write nothing into it before",
                ),
                (
                    graph.is_built and graph.to_build,
                    f"{count(graph.to_build, 'document')} whose relations were made with another "
                    "profile or other settings, or not yet: run relations build",
                ),
                (graph.gap, f"{graph.gap}: relations build will ask none"),
            )
            if number
        ]

    def to_dict(self) -> Json:
        """As a JSON object; the operator's part only when it was asked for."""
        shown: Json = {
            "documents": self.documents,
            "chunks": self.chunks,
            "relations": _census_to_dict(self.relations),
        }
        if self.census is not None and self.graph is not None:
            shown["operator"] = {
                "documents": self.census.documents,
                "chunks": self.census.chunks,
                "restricted_documents": self.census.restricted_documents,
                "stubs": self.census.stubs,
                "restricted_parts": self.census.restricted_parts,
                "unknown_labels": self.census.unknown_labels,
                "missing_windows": self.census.missing_windows,
                "missing_branches": self.census.missing_branches,
                "erasure_pending": self.census.erasure_pending,
                "copy_unfinished": self.census.copy_unfinished,
                "withheld": [
                    {"doc_id": doc_id, "sensitivity": level.name}
                    for doc_id, level in self.withheld or ()
                ],
                "relations_built": self.graph.is_built,
                "documents_to_build": self.graph.to_build,
                "warnings": self.warnings(),
            }
        return shown


def _census_to_dict(census: RelationCensus) -> Json:
    return {
        "nodes": {type_.value: census.nodes.get(type_, 0) for type_ in NodeType},
        "edges": {origin.value: census.edges.get(origin, 0) for origin in Provenance},
        "unverified": census.unverified,
        "verified": census.verified,
        "rejected": census.rejected,
        "stale": census.stale,
        "dangling": census.dangling,
    }


@dataclass(frozen=True, slots=True)
class Relabelled:
    """A changed label; an operator's output.

    Attributes:
        id: the document, section or child.
        before, after: its labels.
        needs_document: its text was erased: ingest the file again to bring it back.
        erased: nothing of what was raised to RESTRICTED is left in the store's files.
        notes: what could not be done on the way, one sentence each.

    >>> Relabelled("a.md", Sensitivity.PUBLIC, Sensitivity.INTERNAL, False, True).to_dict()
    {'id': 'a.md', 'before': 'PUBLIC', 'after': 'INTERNAL', 'needs_document': False, 'erased': True}
    """

    id: str
    before: Sensitivity
    after: Sensitivity
    needs_document: bool
    erased: bool
    notes: tuple[str, ...] = ()

    def to_dict(self) -> Json:
        """As a JSON object; `notes` only with any."""
        changed: Json = {
            "id": self.id,
            "before": self.before.name,
            "after": self.after.name,
            "needs_document": self.needs_document,
            "erased": self.erased,
        }
        if self.notes:
            changed["notes"] = list(self.notes)
        return changed


@dataclass(frozen=True, slots=True)
class Removed:
    """Documents that were deleted, or had RESTRICTED text; an operator's output.

    Attributes:
        documents: how many.
        erased: nothing of them is left in the store's files.
    """

    documents: int
    erased: bool

    def to_dict(self) -> Json:
        """As a JSON object."""
        return {"documents": self.documents, "erased": self.erased}


def documents_by_label(report: IngestReport) -> dict[str, int]:
    """How many documents of an ingest carry each label, the least strict first.

    Those it deleted carry none any more.

    >>> from ragspine_store.ingest_report import IngestedFile
    >>> file = IngestedFile("a.md", Outcome.ADDED, "a.md", Sensitivity.PUBLIC)
    >>> documents_by_label(IngestReport((file,), chunker="none"))
    {'PUBLIC': 1}
    """
    labels = Counter(file.label for file in report.files if file.outcome is not Outcome.DELETED)
    return {level.name: labels[level] for level in Sensitivity if labels[level]}


def chunker_advice(report: IngestReport) -> str:
    """What a chunker that knows parents would have added; '' when one was used.

    >>> from ragspine_store.ingest_report import IngestedFile
    >>> file = IngestedFile("a.md", Outcome.ADDED, "a.md", sections=1, blocks=3)
    >>> chunker_advice(IngestReport((file,), chunker="none"))
    'Without a chunker ... would search 3 items and paragraphs ... around each (1 section).'
    """
    blocks = sum(file.blocks for file in report.files)
    sections = sum(file.sections for file in report.files)
    if report.chunker != "none" or not blocks:
        return ""
    return (
        "Without a chunker a hit carries no window. --chunker parent_child would search "
        f"{count(blocks, 'item or paragraph', 'items and paragraphs')} one by one and give the "
        f"section around each ({count(sections, 'section')})."
    )


def report_to_dict(report: IngestReport) -> Json:
    """What an ingest did, as a JSON object; an operator's output."""
    return {
        "dry_run": report.dry_run,
        "sync": report.is_sync,
        "chunker": report.chunker,
        "outcomes": {outcome.value: report.count(outcome) for outcome in Outcome},
        "labels": documents_by_label(report),
        "unlabelled": report.unlabelled(),
        "files": [
            {
                "source": file.source,
                "outcome": file.outcome.value,
                "doc_id": file.doc_id,
                "sensitivity": file.label.name if file.label is not None else None,
                "chunks": file.chunks,
                "sections": file.sections,
                "blocks": file.blocks,
                "cut_sections": dict(file.cut_sections),
                "message": file.message,
                "chunker_before": file.chunker_before,
                "moved_from": file.moved_from,
                "notes": list(file.notes),
            }
            for file in report.files
        ],
        "advice": chunker_advice(report),
        "warnings": report.warnings(),
        "erased": report.erased,
    }
