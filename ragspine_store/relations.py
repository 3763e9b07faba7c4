"""The values of the relation graph: nodes, relations with their evidence, references, verdicts.

A relation as an extractor gives it is one occurrence: two nodes, a kind and one piece of evidence.
The store gathers occurrences that agree in `EdgeKey` into one edge. Text fields are kept out of
`repr`, so that a traceback or a log line never shows them.
"""

from __future__ import annotations

import enum
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ragspine_store.records import Span
from ragspine_store.sealed import Screened

# Names from the record on relation extraction (seed 004).
PROVENANCE_MODEL_DERIVED = "model-derived"
PROVENANCE_UNVERIFIED = "unverified"
EDGE_META_DERIVED = "derived"
EDGE_META_VERIFIED = "verified"

PARENT_OF = "parent_of"
DERIVES = "derives"
COMPETES_WITH = "competes_with"
MENTIONS = "mentions"
CO_OCCURS_WITH = "co_occurs_with"
REFERS_TO = "refers_to"
RESERVED_KINDS = frozenset({PARENT_OF, DERIVES, COMPETES_WITH, MENTIONS, CO_OCCURS_WITH, REFERS_TO})
"""Kinds that the profile and the rules own: a model can never write an edge of them."""

PROFILE_DOC_ID = "company_profile"
"""What stands as source document of all that the profile says."""


class NodeType(enum.Enum):
    """What a node of the relation graph is; the value opens its id (promise G7)."""

    DOCUMENT = "document"
    SECTION = "section"
    CHILD = "child"
    ENTITY = "entity"
    METRIC = "metric"
    DIMENSION = "dimension"
    EXTERNAL = "external"
    TERM = "term"
    UNLISTED = "unlisted"


class Provenance(enum.Enum):
    """Where an edge comes from; edges of different provenance never merge (promise G7)."""

    CONTROLLED = "controlled"
    RULE = "rule"
    MODEL = "model"


class Verdict(enum.Enum):
    """What is held of a model's edge: nothing yet, or what a person decided."""

    UNVERIFIED = "unverified"
    VERIFIED = "verified"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the relation graph.

    Attributes:
        type: what it is.
        key: the profile's id; the id of a document, section or child; a normalised name; for a
            value of a dimension `{dimension}/{value}`; for a defined term `{name}@{doc_id}`.
        label: as the profile shows it; '' when it is shown as its evidence writes it.
        id: `{type}:{key}`, unique in a store.

    >>> Node(NodeType.TERM, "会社@rules.md").id
    'term:会社@rules.md'
    """

    type: NodeType
    key: str = field(repr=False)
    label: str = field(default="", repr=False)
    id: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", f"{self.type.value}:{self.key}")


class EdgeKey(NamedTuple):
    """What makes two occurrences the same edge; the ids of nodes, and the kind normalised."""

    source: str
    kind: str
    target: str
    provenance: Provenance

    @property
    def edge_id(self) -> str:
        """A short name for people and links: `e` and 16 hexadecimal digits.

        >>> EdgeKey("entity:A", "parent_of", "entity:B", Provenance.CONTROLLED).edge_id
        'eacccba15497be3c4'
        """
        key = json.dumps([*self[:3], self.provenance.value], ensure_ascii=False)
        return f"e{hashlib.sha256(key.encode()).hexdigest()[:16]}"


class ChunkRange(NamedTuple):
    """Children of one document by `seq`, the last included; all text between is theirs."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where one occurrence of a relation stands; stamped by the caller, never by a model.

    Attributes:
        doc_id: the document; `PROFILE_DOC_ID` for what the profile says.
        locator: as in `source_locator` of a chunk; for the profile, the key's place in it.
        chunks: the children it stands in: every one has to pass the exit. None for the profile
            and for facts, which stand in no child.
        span: of the quote in the canonical text, half-open; None where nothing is quoted.
        quote: the words it rests on, exactly as in the canonical text; '' likewise.
        source_name, target_name: the ends as written there; '' as shown by their node.
        count: in how many windows (sentences, say) of these children it stands.
        weight: how strongly the ends belong together, for `co_occurs_with`; otherwise 0.
        model, prompt: name of the model and hash of the prompt it came from; '' otherwise.
    """

    doc_id: str
    locator: str
    chunks: ChunkRange | None = None
    span: Span | None = None
    quote: str = field(default="", repr=False)
    source_name: str = field(default="", repr=False)
    target_name: str = field(default="", repr=False)
    count: int = 1
    weight: float = 0.0
    model: str = ""
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """One occurrence of a relation, as an extractor or the profile gives it."""

    source: Node
    kind: str = field(repr=False)
    target: Node
    provenance: Provenance
    evidence: Evidence

    @property
    def key(self) -> EdgeKey:
        """Which edge it belongs to."""
        return EdgeKey(self.source.id, self.kind, self.target.id, self.provenance)


@dataclass(frozen=True, slots=True)
class Rejection:
    """A relation that was not written, for the audit.

    Attributes:
        rule: short name of the rule that stopped it, such as `listed-name` or `quote-not-found`.
        reason: one sentence; names of listed parties as the profile shows them.
        source, kind, target, quote: as proposed; '' where they may not be kept.
        evidence: document, locator, children and model it came from.
    """

    rule: str
    reason: str = field(repr=False)
    source: str = field(repr=False)
    kind: str = field(repr=False)
    target: str = field(repr=False)
    quote: str = field(repr=False)
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Address:
    """What a part of a document can be referred to as.

    Attributes:
        address: normalised, such as `article 38` or `article 38/paragraph 2`; the form is the
            cross-reference extractor's, the store only compares it.
        node: the section or child it names.
    """

    address: str
    node: Node


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference in a document's text; resolved at each read among what the reader may see.

    Attributes:
        source: the section or child in which it stands.
        title: normalised title of the document it points into; '' for its own.
        address: normalised as in `Address`; '' for the document as a whole.
        evidence: where it stands, with the reference's words as quote.
    """

    source: Node
    title: str = field(repr=False)
    address: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class DocumentRelations:
    """All that the profile's names and the rules find in one document.

    It takes the place of what they found before; edges of a model are not touched.

    Attributes:
        doc_id: the document.
        version: of the document it was made from: another one in the store means that nothing is
            written.
        rules: fingerprint of the profile and the rules it was made with.
        relations: screened by the gate.
        rejections: what the gate stopped.
        titles: normalised names under which other documents refer to this one.
        addresses, references: for `refers_to`.
    """

    doc_id: str
    version: int
    rules: str
    relations: Sequence[Screened[Relation]] = ()
    rejections: Sequence[Rejection] = ()
    titles: Sequence[str] = field(default=(), repr=False)
    addresses: Sequence[Address] = ()
    references: Sequence[Reference] = ()


@dataclass(frozen=True, slots=True)
class ModelRelations:
    """What a model's answer about one child came to.

    It takes the place of what the same model and prompt gave for the child before.

    Attributes:
        doc_id, seq: the child.
        version: as in `DocumentRelations`.
        model, prompt: name of the model and hash of the prompt.
        relations: grounded and screened.
        rejections: what grounding or the gate stopped.
    """

    doc_id: str
    seq: int
    version: int
    model: str
    prompt: str
    relations: Sequence[Screened[Relation]] = ()
    rejections: Sequence[Rejection] = ()


class AnswerKey(NamedTuple):
    """Under what a model's answer is cached: nothing is paid twice."""

    model: str
    prompt: str
    chunk: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer as it came, and what it cost.

    Attributes:
        text: the reply.
        input_tokens, output_tokens: as the server reports them; 0 when it does not.
    """

    text: str = field(repr=False)
    input_tokens: int = 0
    output_tokens: int = 0
