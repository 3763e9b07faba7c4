"""What a backend offers for the relation graph; part of every store's transactions.

Visibility is one rule everywhere. A piece of evidence is visible when its document is in the store,
its collection is the reader's, and no label of the document or of any child in its range is above
the reader's clearance; evidence of the profile is visible to all. Stale evidence is as visible as
its document, and no more than its text was last. A node that is a document, section or child is
visible when that part is, a term when the document that defines it is. An edge is visible when both
its ends and at least one piece of its evidence are; what is invisible adds nothing to counts,
weights, labels, numbers or order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from ragspine_store.relations import (
    Answer,
    AnswerKey,
    DocumentRelations,
    EdgeKey,
    Evidence,
    ModelRelations,
    Node,
    NodeType,
    Provenance,
    Reference,
    Rejection,
    Relation,
    Verdict,
)
from ragspine_store.sealed import Screened
from ragspine_store.sensitivity import Reader


@dataclass(frozen=True, slots=True)
class EdgeFilter:
    """Which edges a read wants; an empty field allows any.

    Attributes:
        reader: for whom.
        ids: of edges.
        nodes: ids of nodes; an edge that starts or ends at one of them.
        kinds, provenances, doc_ids, models: any of them; a document or model by evidence.
        verdicts: states of edges of a model. Edges of other provenance have none and pass only
            when `provenances` allows them: what is trusted is `VERIFIED` with every provenance.
        stale: only edges whose quotes are gone (True), or only others (False).
        after: edges that come after this key in the order; for pages.
        limit: at most so many edges; None for all.
    """

    reader: Reader
    ids: Sequence[str] = ()
    nodes: Sequence[str] = ()
    kinds: Sequence[str] = ()
    provenances: Sequence[Provenance] = ()
    doc_ids: Sequence[str] = ()
    models: Sequence[str] = ()
    verdicts: Sequence[Verdict] = ()
    stale: bool | None = None
    after: EdgeKey | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class StoredEvidence:
    """A piece of evidence with all that an exit has to know of it; not yet cleared.

    Attributes:
        evidence: as stored.
        collection: of its document; '' for the profile.
        labels: as stored, of its document and of all children in its range; empty for the profile.
        is_stale: its quote is gone from the document.
    """

    evidence: Evidence
    collection: str
    labels: tuple[str, ...]
    is_stale: bool = False


@dataclass(frozen=True, slots=True)
class StoredEnd:
    """An end of an edge with all that an exit has to know of it; not yet cleared.

    Attributes:
        node: its label is the profile's, a document's title or a section's heading; for a child
            its section's heading and the end of its id; '' when its evidence tells how it is
            written.
        collection: of the document it is or stands in; '' for other nodes.
        labels: as stored, of the document and of the part; empty for other nodes.
    """

    node: Node
    collection: str = ""
    labels: tuple[str, ...] = ()


class VerdictEntry(NamedTuple):
    """One line of the verdict log; no name and no text, so that it may outlive its edge.

    Attributes:
        no: counts up; for readers over the entries they see, in a `StoredEdge` over its own.
        edge: keyed hash of the edge's key.
        document: keyed hash of the document its first evidence stood in.
        verdict, reviewer, note, at: what was decided, by whom, why, when (ISO 8601, UTC).
        edge_id: the edge, when it is in the store now; '' otherwise.
    """

    no: int
    edge: str
    document: str
    verdict: Verdict
    reviewer: str
    note: str
    at: str
    edge_id: str


@dataclass(frozen=True, slots=True)
class StoredEdge:
    """An edge with its visible evidence; not yet cleared.

    Attributes:
        key, source, target: which it is.
        evidence: visible pieces by document id, range of children and span.
        verdict: for an edge of a model, otherwise None.
        entry: the last entry of the log about it, None without one.
        has_new_evidence: evidence came after the last verdict.
    """

    key: EdgeKey = field(repr=False)
    source: StoredEnd
    target: StoredEnd
    evidence: tuple[StoredEvidence, ...]
    verdict: Verdict | None = None
    entry: VerdictEntry | None = None
    has_new_evidence: bool = False


@dataclass(frozen=True, slots=True)
class StoredReference:
    """A reference that no visible part answers to; not yet cleared.

    Attributes:
        reference: as given; its source, which the reader sees, has no label.
        evidence: where it stands.
    """

    reference: Reference
    evidence: StoredEvidence


@dataclass(frozen=True, slots=True)
class StoredRejection:
    """A rejection with all that an exit has to know of it; not yet cleared.

    Attributes:
        no: its place among those that the reader sees, from 1.
        rejection: as given; what is not valid Unicode in it is ''.
        evidence: where it stands.
    """

    no: int
    rejection: Rejection
    evidence: StoredEvidence


@dataclass(frozen=True, slots=True)
class RelationState:
    """How far the relations of one document are built; for the operator's side only.

    Attributes:
        doc_id, version: of the document now.
        rules: fingerprint its rule-made relations were made with; '' when they have to be made
            anew: never made, or document or labels have changed since.
    """

    doc_id: str
    version: int
    rules: str


@dataclass(frozen=True, slots=True)
class RelationCensus:
    """Counts over what a reader can see of the graph.

    Attributes:
        nodes: ends of visible edges, by type.
        edges: by provenance.
        unverified, verified, rejected, stale: edges of a model.
        dangling: references that no visible part answers to.
    """

    nodes: dict[NodeType, int] = field(default_factory=dict[NodeType, int])
    edges: dict[Provenance, int] = field(default_factory=dict[Provenance, int])
    unverified: int = 0
    verified: int = 0
    rejected: int = 0
    stale: int = 0
    dangling: int = 0


class RelationReader(Protocol):
    """The graph as one read transaction sees it."""

    def edges(self, wanted: EdgeFilter) -> list[StoredEdge]:
        """Visible edges by kind, source, target and provenance; in a constant number of statements.

        `refers_to` edges are among them, each reference resolved among what the reader sees: into
        the reference's own document, or into the first document of its title, those of the same
        collection before others, by id.
        """
        ...

    def find_nodes(self, reader: Reader, name: str) -> list[StoredEnd]:
        """Ends of visible edges that a name means, by id.

        It is their id, key or label; the name of a term, whichever document defines it; an address
        such as `article 38`, which means the parts below it too; or how visible evidence writes
        them. A node that has no label of its
        own is labelled as the first visible evidence writes it.

        Args:
            reader: for whom.
            name: an id, a name as written or as the one normaliser leaves it, or an address.
        """
        ...

    def dangling(self, reader: Reader, doc_ids: Sequence[str] = ()) -> list[StoredReference]:
        """Visible references that no visible part answers to, by document and place."""
        ...

    def rejections(self, reader: Reader, doc_ids: Sequence[str] = ()) -> list[StoredRejection]:
        """Visible rejections by document and place."""
        ...

    def verdict_log(self, reader: Reader | None) -> list[VerdictEntry]:
        """Entries of the log, oldest first.

        Args:
            reader: gets those of edges they can see; None, for operators, gets all.
        """
        ...

    def relation_census(self, reader: Reader) -> RelationCensus:
        """Counts over what the reader can see."""
        ...

    def relation_states(self) -> list[RelationState]:
        """Every document that is not RESTRICTED, by id; for the operator's side only."""
        ...

    def built_rules(self) -> str:
        """Fingerprint that the graph was last built with, '' before; for the operator's side."""
        ...

    def find_answer(self, key: AnswerKey) -> Answer | None:
        """A cached answer of a model."""
        ...


class RelationWriter(Protocol):
    """Changes of the graph inside one write transaction.

    A change of a document's text takes everything with it that rests on it: rule-made relations,
    titles, addresses and references, to be made anew; rejections; cached answers whose child's text
    is gone. What a model found is looked for by its quote and moved to where that stands now; not
    found, it stays, marked as stale. Another label leaves all in place and notes that rules have to
    read the document anew. Deleted or RESTRICTED, a document or part leaves nothing, stale evidence
    and facts about it included. A document that is moved takes along what models found.
    """

    def put_profile_relations(self, relations: Sequence[Screened[Relation]]) -> None:
        """All that profile and facts say, in place of what they said before.

        What names a RESTRICTED document as its source is left out.

        Raises:
            RelationError: a relation is not controlled, or names children.
        """
        ...

    def note_build(self, rules: str) -> None:
        """Note with which profile and rules the graph is built from now on, by fingerprint."""
        ...

    def put_document_relations(self, found: DocumentRelations) -> bool:
        """What rules found in a document, in place of what they found before.

        Returns:
            False, and nothing is written, when the document is gone, RESTRICTED or of another
            version now (promise G3). What rests on a RESTRICTED part is left out.

        Raises:
            RelationError: a relation is a model's or of kind `refers_to`, or evidence names another
                document.
        """
        ...

    def put_model_relations(self, found: ModelRelations) -> bool:
        """What a model's answer about one child came to; returns as `put_document_relations`.

        Evidence that the same model and prompt gave for the child before stays the same piece: it
        is not new to a verdict.

        Raises:
            RelationError: a relation is not a model's or of a reserved kind, or evidence names
                another document, model or prompt, or no children.
        """
        ...

    def put_answer(
        self, key: AnswerKey, doc_id: str, seq: int, version: int, answer: Answer
    ) -> bool:
        """Keep a model's answer about a child.

        Args:
            key: under what it is found again.
            doc_id: of the child's document.
            seq: the child's place in it.
            version: of the document that was read.
            answer: as it came.

        Returns:
            False, and nothing is kept, when the child is gone, RESTRICTED or of another version
            now (promise G3), or when the answer is not valid Unicode.
        """
        ...

    def record_verdict(
        self, edge_id: str, verdict: Verdict, *, reviewer: str, note: str
    ) -> VerdictEntry:
        """Append a person's verdict on an edge of a model.

        Raises:
            NotFoundError: no such edge.
            RelationError: the edge is not a model's, the verdict is unverified, or the reviewer
                blank.
        """
        ...
