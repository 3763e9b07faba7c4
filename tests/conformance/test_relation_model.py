"""Random graphs beside a dictionary that knows the rule of visibility and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_store.protocols import Store
from ragspine_store.relation_protocols import EdgeFilter
from ragspine_store.relations import ChunkRange, Node, NodeType, Provenance, Relation
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.testing import Backend, Part, make_document
from ragspine_store.testing.base import put
from ragspine_store.testing.relations import (
    at,
    document,
    entity,
    fact,
    put_profile,
    put_rules,
    read_edges,
    section,
)
from tests.backends import Neo4jBackend, SQLiteBackend
from tests.conftest import AtRest
from tests.neo4j_server import Server

pytestmark = pytest.mark.guarantee("G2")

IDS = ("a.md", "b.md", "c.md")
LABELS = st.sampled_from(list(Sensitivity))
READERS = st.builds(
    Reader,
    st.sampled_from([Sensitivity.PUBLIC, Sensitivity.INTERNAL, Sensitivity.CONFIDENTIAL]),
    st.sampled_from([None, frozenset({"x"}), frozenset({"default", "x"})]),
)
# Two sections of two children each: section 1 holds children 0 and 1.
PARTS = (Part("One", ("tea", "milk")), Part("Two", ("rice", "salt")))


@dataclass(frozen=True)
class Document:
    """A document: its label, its collection, what its parts are raised to."""

    label: Sensitivity
    collection: str
    children: dict[int, Sensitivity]
    sections: dict[int, Sensitivity]

    def of_child(self, seq: int) -> Sensitivity:
        inherited = self.sections.get(seq // 2 + 1, self.label)
        return max(self.label, inherited, self.children.get(seq, self.label))

    def of_section(self, no: int) -> Sensitivity:
        return max(self.label, self.sections.get(no, self.label))


documents = st.builds(
    Document,
    LABELS,
    st.sampled_from(["default", "x"]),
    st.dictionaries(st.integers(0, 3), LABELS, max_size=2),
    st.dictionaries(st.integers(1, 2), LABELS, max_size=1),
)
names = st.sampled_from(["A", "B"]).map(entity)
ends = st.one_of(
    names,
    st.builds(section, st.sampled_from(IDS), st.integers(1, 2)),
    st.sampled_from(IDS).map(document),
)
ranges = st.tuples(st.integers(0, 3), st.integers(0, 3)).map(sorted)


@st.composite
def occurrences(draw: st.DrawFn) -> Relation:
    first, last = draw(ranges)
    return Relation(
        draw(names),
        draw(st.sampled_from(["likes", "sees"])),
        draw(ends),
        Provenance.RULE,
        at(draw(st.sampled_from(IDS)), first, last),
    )


def expected(
    kept: dict[str, Document], found: Iterable[Relation], reader: Reader
) -> dict[str, list[tuple[str, ChunkRange | None]]]:
    """Edges by name with the places of their evidence, by the rule alone."""

    def may_see(doc_id: str, level: Sensitivity) -> bool:
        return doc_id in kept and reader.may_see(level, kept[doc_id].collection)

    def shows_node(node: Node) -> bool:
        if node.type is NodeType.DOCUMENT:
            return may_see(node.key, kept[node.key].label)
        if node.type is NodeType.SECTION:
            doc_id, _, no = node.key.partition("#s")
            return may_see(doc_id, kept[doc_id].of_section(int(no)))
        return True

    def shows(relation: Relation) -> bool:
        doc_id, chunks = relation.evidence.doc_id, relation.evidence.chunks
        if doc_id not in kept:
            return False
        seqs = range(chunks.first, chunks.last + 1) if chunks else ()
        levels = [kept[doc_id].label, *(kept[doc_id].of_child(seq) for seq in seqs)]
        return may_see(doc_id, max(levels))

    edges: dict[str, list[tuple[str, ChunkRange | None]]] = {}
    for relation in found:
        if shows(relation) and shows_node(relation.source) and shows_node(relation.target):
            place = (relation.evidence.doc_id, relation.evidence.chunks)
            edges.setdefault(" ".join(relation.key[:3]), []).append(place)
    return {name: sorted(places, key=str) for name, places in edges.items()}


@dataclass(frozen=True)
class Graph:
    """Documents and what was found in them, and a reader."""

    kept: dict[str, Document]
    found: list[Relation]
    facts: list[str]
    reader: Reader
    relabels_last: bool


graphs = st.builds(
    Graph,
    kept=st.fixed_dictionaries(dict.fromkeys(IDS, documents)),
    found=st.lists(occurrences(), max_size=8),
    facts=st.lists(st.sampled_from([*IDS, "missing.md"]), unique=True),
    reader=READERS,
    relabels_last=st.booleans(),
)


@pytest.mark.parametrize("at_rest", ["stub", "text"])
@settings(max_examples=60)
@given(graph=graphs)
def test_a_reader_sees_what_the_rule_says_and_nothing_else(at_rest: AtRest, graph: Graph) -> None:
    with TemporaryDirectory() as folder:
        backend = SQLiteBackend(Path(folder, "store.db"), at_rest)
        compare_with_the_rule(backend, backend.open_store(), graph)
        backend.close()


@settings(max_examples=8)
@given(graph=graphs)
def test_a_reader_of_a_server_sees_what_the_rule_says_and_nothing_else(
    neo4j_server: Server, at_rest: AtRest, graph: Graph
) -> None:
    backend = Neo4jBackend(neo4j_server, at_rest)
    backend.raw("MATCH (n:Ragspine) WHERE NOT n:StoreMeta DETACH DELETE n")
    compare_with_the_rule(backend, backend.open_store(), graph)
    backend.close()


def compare_with_the_rule(backend: Backend, store: Store, graph: Graph) -> None:
    """Write a graph into an empty store, and read it beside the rule."""
    kept, reader = graph.kept, graph.reader

    def relabel() -> None:
        with store.writing() as transaction:
            for doc_id, state in kept.items():
                for no, level in state.sections.items():
                    transaction.relabel_part(f"{doc_id}#s{no}", level)
                for seq, level in state.children.items():
                    transaction.relabel_part(f"{doc_id}#c{seq}", level)
                transaction.relabel(doc_id, state.label)

    for doc_id, state in kept.items():
        described = {"collection": state.collection}
        put(store, make_document(doc_id, *PARTS, label=Sensitivity.PUBLIC, described=described))
    if not graph.relabels_last:
        relabel()
    put_profile(backend, store, *map(fact, graph.facts))
    for doc_id in IDS:
        put_rules(backend, store, doc_id, *(r for r in graph.found if r.evidence.doc_id == doc_id))
    if graph.relabels_last:
        relabel()
    wanted = EdgeFilter(reader)
    seen = {
        " ".join(edge.key[:3]): sorted(
            ((e.evidence.doc_id, e.evidence.chunks) for e in edge.evidence), key=str
        )
        for edge in read_edges(store, wanted)
    }
    assert seen == expected(kept, [*graph.found, *map(fact, graph.facts)], reader)
    for edge in read_edges(store, wanted):
        for piece in edge.evidence:
            assert piece.labels
            assert all(reader.may_see(Sensitivity[x], piece.collection) for x in piece.labels)
    with store.writing() as transaction:
        for doc_id in IDS:
            transaction.delete(doc_id)
    totals = backend.totals()
    # Facts whose document never was in the store are kept for when it comes.
    is_waiting = "missing.md" in graph.facts
    assert totals["relation_evidence"] == totals["relation_edge"] == is_waiting
    assert totals["relation_node"] == 0
