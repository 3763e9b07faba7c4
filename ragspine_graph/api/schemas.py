"""What comes in and what goes out, as OpenAPI describes it.

The shapes that go out are those of `--json` on the command line; a key that is only there when it
says something is optional here and never null.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ragspine_graph.retrieval import Expand, Shape
from ragspine_graph.retrieval.context import DEFAULT_BUDGET_TOKENS
from ragspine_store.query import MAX_QUERY_CHARS

MAX_K = 200
MAX_BUDGET = 200_000
MAX_FILTER_VALUES = 100
MAX_ROWS = 10_000


def _whole(value: object) -> object:
    """What JSON calls an integer: 3 and 3.0, neither true nor "3"."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# The bounds stand before the validator, so that OpenAPI tells them.
Hits = Annotated[
    int,
    Field(strict=True, ge=1, le=MAX_K, description="Hits at most."),
    BeforeValidator(_whole),
]
Budget = Annotated[
    int,
    Field(strict=True, ge=1, le=MAX_BUDGET, description="Tokens that all blocks may take."),
    BeforeValidator(_whole),
]
Rows = Annotated[
    int, Field(strict=True, ge=1, le=MAX_ROWS, description="At most."), BeforeValidator(_whole)
]
Query = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_QUERY_CHARS,
        pattern=r"[^\W_]",
        description="A question or some words; quoted text and addresses are phrases.",
        examples=["When is the commuting allowance paid?"],
    ),
]
FilterKey = Literal[
    "topic", "entity", "geography", "period", "language", "doc_id", "section", "collection"
]
Label = Annotated[
    Literal["PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED"], Field(examples=["INTERNAL"])
]
Filters = Annotated[
    Mapping[FilterKey, Annotated[list[str], Field(max_length=MAX_FILTER_VALUES)]],
    Field(
        description="Allowed values by key; every key must match, any of its values.",
        examples=[{"collection": ["hr"]}],
    ),
]
Span = Annotated[
    tuple[int, int], Field(description="Half-open, in code points.", examples=[[120, 164]])
]


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)


class _Out(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SearchRequest(_In):
    """A search for hits."""

    query: Query
    k: Hits = 10
    filters: Filters = {}
    expand: Annotated[Expand, Field(description="Whether to give the window of each hit.")] = (
        "window"
    )


class ContextRequest(_In):
    """A search for a context to generate from."""

    query: Query
    budget: Budget = DEFAULT_BUDGET_TOKENS
    expand: Annotated[Shape, Field(description="Windows of hits, or merged sections.")] = "window"
    filters: Filters = {}


class Refusal(_Out):
    """Why a question is not answered."""

    rule: Annotated[str, Field(examples=["listed-name"])]
    name: Annotated[str, Field(description="The listed party.", examples=["Rival Inc."])]


class Scores(_Out):
    """What ranked a hit."""

    bm25: float | None
    vector: float | None
    fused: float


class Step(_Out):
    """An edge of the relation graph, in the direction in which it was walked."""

    from_id: Annotated[str, Field(alias="from")]
    kind: str
    edge: str
    to: str


class Snippet(_Out):
    """A hit: cite its `source_locator`; `prompt_text` is for reading only."""

    text: str
    doc_id: str
    title: str
    source_locator: Annotated[str, Field(examples=["rules/pay.md#para12"])]
    chunk_id: Annotated[str, Field(examples=["rules/pay.md#c7"])]
    topic: str
    entity: str
    geography: str
    period: str
    language: str
    sensitivity: Annotated[str, Field(examples=["INTERNAL"])]
    scores: Scores
    prompt_text: str = ""
    parent_locator: str = ""
    via: Annotated[list[Step], Field(description="How the walk came to it.")] = []


class Locator(_Out):
    """Where a hit stands."""

    heading_path: list[str]
    paragraphs: tuple[int, int]
    span: Span | None
    raw_span: Span | None
    pages: tuple[int, int] | None = None


class SearchResponse(_Out):
    """Hits, best first; `locators` runs parallel to them."""

    query: str
    snippets: list[Snippet]
    locators: list[Locator]
    refused: Refusal | None
    notes: Annotated[list[str], Field(description="What could not be done on the way.")] = []


class Block(_Out):
    """A whole text, and the hits it is evidence of."""

    node_id: str
    doc_id: str
    title: str
    heading_path: list[str]
    locator: str
    text: str
    evidence: list[str]
    citations: list[str]
    score: float
    span: Span | None
    via: Annotated[list[Step], Field(description="How a linked article came to it.")] = []


class ContextResponse(_Out):
    """A context, best evidence first; `left_out` blocks did not fit."""

    query: str
    blocks: list[Block]
    left_out: int
    refused: Refusal | None
    notes: Annotated[list[str], Field(description="What could not be done on the way.")] = []


class Section(_Out):
    """A line of an outline."""

    id: str
    level: int
    heading: str


class Node(_Out):
    """A document, section, item, page, window or child, as far as the key may see it."""

    id: str
    kind: str
    doc_id: str
    title: str
    collection: str
    sensitivity: str
    source_locator: str
    heading_path: list[str]
    text: str | None
    span: Span | None
    raw_span: Span | None
    parent_id: str
    parent_locator: str
    prompt_text: str
    sections: list[Section]
    chunks: list[str]


class Evidence(_Out):
    """A place that states an edge; `before` and `after` stand around its quote."""

    doc_id: str
    locator: str
    quote: str
    span: Span | None
    count: int
    stale: bool
    model: str | None
    prompt: str | None
    before: str = ""
    after: str = ""


class Edge(_Out):
    """An edge; one that a model proposed says so, and what is held of it."""

    id: str
    source: str
    target: str
    kind: str
    provenance: str
    derived: str | None
    verified: str | None
    source_label: str
    target_label: str
    weight: float
    evidence: list[Evidence]
    stale: bool = False
    new_evidence: bool = False
    reviewer: str | None = None
    reviewed_at: str | None = None
    note: str | None = None


class NodeRef(_Out):
    """A node of the graph."""

    id: str
    type: str
    label: str


class EdgesResponse(_Out):
    """A page of edges."""

    edges: list[Edge]
    next: Annotated[str | None, Field(description="The cursor of the next page.")]


class NeighboursResponse(_Out):
    """What stands around a node, nearest first."""

    nodes: list[NodeRef]
    edges: list[Edge]
    left_out: int
    refused: Refusal | None


class PathResponse(_Out):
    """A shortest path; no nodes when there is none."""

    nodes: list[NodeRef]
    edges: list[Edge]
    refused: Refusal | None


class Dangling(_Out):
    """A reference that nothing answers to."""

    source: str
    title: str | None
    address: str | None
    evidence: Evidence


class DanglingResponse(_Out):
    """References that nothing answers to."""

    dangling: list[Dangling]


class JudgeRequest(_In):
    """A verdict on edges: all get it, or none."""

    edges: Annotated[list[str], Field(min_length=1, max_length=1_000)]
    note: Annotated[str, Field(max_length=2_000, description="Why; quote no document.")] = ""


class JudgedResponse(_Out):
    """Edges with what is held of them now."""

    edges: list[Edge]


class LogEntry(_Out):
    """A line of the verdict log."""

    no: int
    edge: str | None
    edge_hash: str | None
    document_hash: str | None
    verdict: str
    reviewer: str
    note: str | None
    at: str


class LogResponse(_Out):
    """Verdicts, oldest first."""

    entries: list[LogEntry]


class Rejection(_Out):
    """A relation that was not written, and why."""

    rule: str
    reason: str
    source: str | None
    kind: str | None
    target: str | None
    evidence: Evidence


class RejectionsResponse(_Out):
    """What the gate and grounding threw out."""

    rejections: list[Rejection]


class QueryParameter(_Out):
    """A parameter of a named query."""

    name: str
    type: str
    required: bool
    default: Any
    meaning: str | None


class NamedQuery(_Out):
    """A named query."""

    name: str
    summary: str
    parameters: list[QueryParameter]
    returns: list[str]
    server_only: str | None
    text: str


class QueriesResponse(_Out):
    """The named queries that a reader may run."""

    queries: list[NamedQuery]


class RowsResponse(_Out):
    """Rows of a query."""

    query: str | None
    columns: list[str]
    rows: list[dict[str, Any]]
    cut: bool
    refused: Refusal | None


class RelabelRequest(_In):
    """A new label."""

    sensitivity: Label
    allow_lower: bool = False


class RelabelledResponse(_Out):
    """A changed label."""

    id: str
    before: str
    after: str
    needs_document: bool
    erased: bool


class RemovedResponse(_Out):
    """Removed documents."""

    documents: int
    erased: bool


class StatusResponse(BaseModel):
    """How much the key may see; `operator` only where it was asked for."""

    documents: int
    chunks: int
    relations: dict[str, Any]
    operator: dict[str, Any] | None = None


class HealthResponse(_Out):
    """Whether the process lives, or can answer."""

    status: Annotated[str, Field(examples=["ok"])]
    version: str


class JobResponse(_Out):
    """A job; `message` says why it failed."""

    job_id: str
    state: Annotated[str, Field(examples=["queued"])]
    message: str | None
    created_at: str
    updated_at: str


class UploadResponse(JobResponse):
    """A job that writes an upload, and the id that the document gets."""

    doc_id: Annotated[str, Field(examples=["hr/rules/pay.md"])]


class OperatorJob(JobResponse):
    """A job as an operator sees it."""

    key_id: str
    note: str | None


class JobsResponse(_Out):
    """The newest jobs, newest first."""

    jobs: list[OperatorJob]


class DocumentEntry(_Out):
    """A document in a list."""

    doc_id: str
    title: str
    collection: str
    sensitivity: str
    version: int


class DocumentsResponse(_Out):
    """A page of documents, by id."""

    documents: list[DocumentEntry]
    next: Annotated[str | None, Field(description="The cursor of the next page.")]
