"""The relation exit: edges, nodes, references and rejections leave with what a reader may see."""

from __future__ import annotations

import pytest

from ragspine_graph.security.exits import (
    clear_edge,
    clear_end,
    clear_reference,
    clear_rejection,
)
from ragspine_store.relation_protocols import (
    StoredEdge,
    StoredEnd,
    StoredEvidence,
    StoredReference,
    StoredRejection,
)
from ragspine_store.relations import (
    PROFILE_DOC_ID,
    ChunkRange,
    EdgeKey,
    Evidence,
    Node,
    NodeType,
    Provenance,
    Reference,
    Rejection,
)
from ragspine_store.sealed import unseal
from ragspine_store.sensitivity import Reader, Sensitivity

pytestmark = pytest.mark.guarantee("G1")

READER = Reader(Sensitivity.INTERNAL, frozenset({"default"}))
ACME, BETA = StoredEnd(Node(NodeType.UNLISTED, "acme")), StoredEnd(Node(NodeType.ENTITY, "beta"))
PROFILE = StoredEvidence(Evidence(PROFILE_DOC_ID, "home"), "", ())
HIDDEN: dict[str, tuple[str, tuple[str, ...]]] = {
    "above": ("default", ("PUBLIC", "CONFIDENTIAL")),
    "restricted": ("default", ("RESTRICTED",)),
    "unknown label": ("default", ("INTERNAL", "nonsense")),
    "no label": ("default", ()),
    "another collection": ("board", ("PUBLIC",)),
}
hidden = pytest.mark.parametrize(("collection", "labels"), HIDDEN.values(), ids=HIDDEN)


def piece(
    doc_id: str = "a.md",
    collection: str = "default",
    labels: tuple[str, ...] = ("PUBLIC", "INTERNAL"),
) -> StoredEvidence:
    return StoredEvidence(Evidence(doc_id, f"{doc_id}#para1", ChunkRange(0, 0)), collection, labels)


def edge(
    *evidence: StoredEvidence, source: StoredEnd = ACME, target: StoredEnd = BETA
) -> StoredEdge:
    key = EdgeKey(source.node.id, "owns", target.node.id, Provenance.MODEL)
    return StoredEdge(key, source, target, evidence)


@hidden
def test_evidence_that_is_hidden_is_taken_off(collection: str, labels: tuple[str, ...]) -> None:
    seen, other = piece(), piece("b.md", collection, labels)
    cleared = clear_edge(edge(other, seen), READER)
    assert cleared is not None
    assert unseal(cleared).evidence == (seen,)
    assert clear_edge(edge(other), READER) is None
    assert clear_edge(edge(), READER) is None


@hidden
@pytest.mark.parametrize(
    "type_", [NodeType.DOCUMENT, NodeType.SECTION, NodeType.CHILD, NodeType.TERM]
)
def test_an_edge_does_not_leave_with_a_hidden_end(
    collection: str, labels: tuple[str, ...], type_: NodeType
) -> None:
    end = StoredEnd(Node(type_, "b.md"), collection, labels)
    assert clear_end(end, READER) is None
    assert clear_edge(edge(piece(), source=end), READER) is None
    assert clear_edge(edge(piece(), target=end), READER) is None


def test_what_the_profile_says_and_names_that_are_no_part_are_for_everyone() -> None:
    cleared = clear_edge(edge(PROFILE), Reader(Sensitivity.PUBLIC, frozenset({"none"})))
    assert cleared is not None
    assert unseal(cleared).evidence == (PROFILE,)


@hidden
def test_references_and_rejections_leave_with_their_place(
    collection: str, labels: tuple[str, ...]
) -> None:
    for stored in (piece(), piece("b.md", collection, labels)):
        evidence = stored.evidence
        node = Node(NodeType.SECTION, f"{evidence.doc_id}#s1")
        reference = StoredReference(Reference(node, "", "article 1", evidence), stored)
        rejection = StoredRejection(1, Rejection("r", "", "", "", "", "", evidence), stored)
        is_seen = evidence.doc_id == "a.md"
        assert (clear_reference(reference, READER) is not None) == is_seen
        assert (clear_rejection(rejection, READER) is not None) == is_seen
