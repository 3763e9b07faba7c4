"""Relations made for tests, and how they are written and read there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragspine_store.protocols import Store
from ragspine_store.relation_protocols import EdgeFilter, StoredEdge
from ragspine_store.relations import (
    PROFILE_DOC_ID,
    Address,
    Answer,
    AnswerKey,
    ChunkRange,
    DocumentRelations,
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
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.testing.backend import Backend
from ragspine_store.testing.documents import Part

MODEL, PROMPT = "tiny", "p1"
KEY = AnswerKey(MODEL, PROMPT, "hash of a child")
PAY = Part("Pay", ("Acme pays Beta monthly.", "Acme pays Gamma."))
LEAVE = Part("Leave", ("Beta grants leave.",))
LOW = Reader(Sensitivity.INTERNAL)
CONFIDENTIAL, RESTRICTED = Sensitivity.CONFIDENTIAL, Sensitivity.RESTRICTED


def entity(key: str, label: str = "") -> Node:
    """An entity of the profile."""
    return Node(NodeType.ENTITY, key, label)


def unlisted(name: str) -> Node:
    """A name that a model proposes."""
    return Node(NodeType.UNLISTED, name)


ACME, BETA, GAMMA = entity("acme", "Acme"), entity("beta"), unlisted("gamma")


def document(doc_id: str) -> Node:
    """A document as a node."""
    return Node(NodeType.DOCUMENT, doc_id)


def section(doc_id: str, no: int) -> Node:
    """A section as a node."""
    return Node(NodeType.SECTION, f"{doc_id}#s{no}")


def at(doc_id: str, first: int = 0, last: int | None = None, quote: str = "") -> Evidence:
    """Evidence that stands in children of a document."""
    chunks = ChunkRange(first, first if last is None else last)
    return Evidence(doc_id, f"{doc_id}#para{first + 1}", chunks, quote=quote)


def mention(node: Node, where: Evidence) -> Relation:
    """A document names something."""
    return Relation(document(where.doc_id), "mentions", node, Provenance.CONTROLLED, where)


def beside(one: Node, other: Node, where: Evidence) -> Relation:
    """Two entities stand together, as a rule finds it."""
    return Relation(one, "co_occurs_with", other, Provenance.RULE, where)


def proposed(one: Node, kind: str, other: Node, where: Evidence) -> Relation:
    """What a model proposes."""
    lineage = replace(where, model=MODEL, prompt=PROMPT)
    return Relation(one, kind, other, Provenance.MODEL, lineage)


def fact(doc_id: str) -> Relation:
    """A fact with a document as its source."""
    return Relation(
        Node(NodeType.METRIC, f"revenue of {doc_id}"),
        "derives",
        Node(NodeType.METRIC, "margin"),
        Provenance.CONTROLLED,
        Evidence(doc_id, "row 3"),
    )


def parent(one: Node, other: Node) -> Relation:
    """What the profile says."""
    return Relation(
        one, "parent_of", other, Provenance.CONTROLLED, Evidence(PROFILE_DOC_ID, "home")
    )


def refer(source: Node, address: str, where: Evidence, title: str = "") -> Reference:
    """A reference that stands in a part of a document."""
    return Reference(source, title, address, where)


def rejection(where: Evidence, quote: str = "") -> Rejection:
    """What the gate stopped."""
    return Rejection("listed-name", "names a rival", "home", "buys", "rival", quote, where)


def version_of(store: Store, doc_id: str) -> int:
    """The version of a document; 0 without it."""
    with store.writing() as transaction:
        state = transaction.find(doc_id)
    return state.version if state else 0


def put_profile(backend: Backend, store: Store, *relations: Relation) -> None:
    """Write what profile and facts say."""
    with store.writing() as transaction:
        transaction.put_profile_relations([backend.screened(r) for r in relations])


def put_rules(
    backend: Backend,
    store: Store,
    doc_id: str,
    *relations: Relation,
    version: int | None = None,
    rejections: Sequence[Rejection] = (),
    titles: Sequence[str] = (),
    addresses: Sequence[Address] = (),
    references: Sequence[Reference] = (),
) -> bool:
    """Write what rules found in a document; the version is that in the store unless given."""
    found = DocumentRelations(
        doc_id,
        version_of(store, doc_id) if version is None else version,
        "rules",
        [backend.screened(relation) for relation in relations],
        rejections,
        titles,
        addresses,
        references,
    )
    with store.writing() as transaction:
        return transaction.put_document_relations(found)


def put_model(
    backend: Backend,
    store: Store,
    doc_id: str,
    seq: int,
    *relations: Relation,
    version: int | None = None,
    rejections: Sequence[Rejection] = (),
) -> bool:
    """Write what a model's answer about a child came to."""
    found = ModelRelations(
        doc_id,
        seq,
        version_of(store, doc_id) if version is None else version,
        MODEL,
        PROMPT,
        [backend.screened(relation) for relation in relations],
        rejections,
    )
    with store.writing() as transaction:
        return transaction.put_model_relations(found)


def read_edges(store: Store, wanted: EdgeFilter | None = None) -> list[StoredEdge]:
    """Edges of a filter; all that the widest reader sees without one."""
    with store.reading() as transaction:
        return transaction.edges(wanted or EdgeFilter(Reader()))


def shown(store: Store, wanted: EdgeFilter | None = None) -> list[str]:
    """Edges as `source kind target`, in order."""
    return [" ".join(edge.key[:3]) for edge in read_edges(store, wanted)]


def low(**wanted: object) -> EdgeFilter:
    """A filter of a reader with little clearance."""
    return replace(EdgeFilter(LOW), **wanted)


def pays(seq: int = 1, doc_id: str = "a.md") -> Relation:
    """A model's relation with its quote."""
    return proposed(ACME, "pays", GAMMA, at(doc_id, seq, quote="Acme pays Gamma"))


def fill(backend: Backend, store: Store, doc_id: str) -> None:
    """Write something of every kind about a document of `PAY` and `LEAVE`."""
    where = at(doc_id, 1)
    put_profile(backend, store, fact(doc_id))
    put_rules(
        backend,
        store,
        doc_id,
        mention(ACME, where),
        Relation(Node(NodeType.TERM, f"employer@{doc_id}"), "is", ACME, Provenance.RULE, where),
        rejections=[rejection(where)],
        titles=["rules"],
        addresses=[Address("article 1", section(doc_id, 1))],
        references=[refer(section(doc_id, 1), "article 1", where)],
    )
    put_model(backend, store, doc_id, 1, pays(doc_id=doc_id), rejections=[rejection(where)])
    with store.writing() as transaction:
        assert transaction.put_answer(KEY, doc_id, 1, 1, Answer("{}", 3, 2))


def model_edge(store: Store) -> StoredEdge:
    """The one edge of a model that the widest reader sees."""
    (edge,) = read_edges(store, EdgeFilter(Reader(), provenances=[Provenance.MODEL]))
    return edge


def judge(store: Store, edge_id: str, verdict: Verdict) -> None:
    """Record a verdict."""
    with store.writing() as transaction:
        transaction.record_verdict(edge_id, verdict, reviewer="Kim", note="seen")


def states(store: Store) -> list[str]:
    """The fingerprints of the rules, by document id."""
    with store.reading() as transaction:
        return [state.rules for state in transaction.relation_states()]
