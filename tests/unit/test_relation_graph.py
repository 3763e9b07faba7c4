from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_graph.building import build_relation_graph
from ragspine_graph.extraction import Extraction, make_relation_extractor
from ragspine_graph.facts import Fact, load_facts
from ragspine_graph.profile import Profile, load_profile
from ragspine_graph.retrieval import NarrativeIndex
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.records import DocumentMeta, StoredChunk
from ragspine_store.relation_protocols import EdgeFilter
from ragspine_store.relations import (
    ChunkRange,
    Evidence,
    Node,
    NodeType,
    Provenance,
    Relation,
)
from ragspine_store.sealed import Cleared, unseal
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.sqlite_store import ChunkStore

DATA = Path(__file__).parent.parent / "data"
PROFILE = load_profile(DATA / "base_graph" / "profile.toml")
FACTS = load_facts(DATA / "base_graph" / "facts.csv")


def row(doc_id: str, seq: int, paragraphs: str, entity: str, **columns: object) -> StoredChunk:
    chunk = StoredChunk(
        chunk_id=f"{doc_id}#c{seq}",
        doc_id=doc_id,
        seq=seq,
        text="みなと製作所とライバル工業の話。",
        source_locator=f"{doc_id}#para{paragraphs}",
        para_start=1,
        para_end=1,
        title={"results.md": "Results", "letter.md": "A letter"}.get(doc_id, ""),
        entity=entity,
    )
    return replace(chunk, **columns)


CHUNKS = [
    row("results.md", 0, "1-2", "MINATO"),
    row("results.md", 1, "3-6", "みなと製作所"),
    row("results.md", 2, "7", "Ｍｉｎａｔｏ　US", sensitivity="CONFIDENTIAL"),
    row("letter.md", 0, "1", ""),
    row("letter.md", 1, "2", "Acme, Ltd."),
    row("letter.md", 2, "3", "Rival"),
    row("letter.md", 3, "4", "MINATO", active=False),
    row("secret.md", 0, "1", "MINATO", sensitivity="ＲＥＳＴＲＩＣＴＥＤ"),
    row("odd.md", 0, "1", "MINATO", sensitivity="TOP SECRET"),
]


def as_json(graph: nx.MultiDiGraph[str]) -> str:
    data = nx.node_link_data(graph, edges="edges")
    return json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


@pytest.mark.guarantee("G9")
def test_without_an_extractor_the_graph_is_the_golden_one_byte_for_byte() -> None:
    graph = build_relation_graph(PROFILE, facts=FACTS, chunks=CHUNKS)
    assert as_json(graph) == (DATA / "base_graph.json").read_text(encoding="utf-8")


@given(st.permutations(FACTS), st.permutations(CHUNKS))
@settings(max_examples=30)
def test_the_order_of_facts_and_chunks_does_not_matter(
    facts: Sequence[Fact], chunks: Sequence[StoredChunk]
) -> None:
    graph = build_relation_graph(PROFILE, facts=facts, chunks=chunks)
    assert as_json(graph) == (DATA / "base_graph.json").read_text(encoding="utf-8")


@given(st.sampled_from(["rule(sources=metadata)", "rule(window=document)", "rule(top_n=1)"]))
def test_an_extractor_adds_to_the_golden_graph_and_changes_nothing_of_it(spec: str) -> None:
    base = build_relation_graph(PROFILE, facts=FACTS, chunks=CHUNKS)
    graph = build_relation_graph(
        PROFILE,
        facts=FACTS,
        chunks=CHUNKS,
        relation_extractor=make_relation_extractor(spec, profile=PROFILE),
    )
    added = [edge for edge in graph.edges(keys=True) if not base.has_edge(*edge)]
    assert {key for _, _, key in added} <= {("co_occurs_with", "rule")}
    graph.remove_edges_from(added)
    assert list(graph.nodes(data=True)) == list(base.nodes(data=True))
    assert sorted(graph.edges(keys=True, data=True)) == sorted(base.edges(keys=True, data=True))


class Claims:
    """An extractor that claims what it is told to, whatever the document says."""

    def __init__(self, claim: Callable[[RelationSource], list[Relation]]) -> None:
        self._claim = claim

    def extract(self, source: Cleared[RelationSource]) -> Extraction:
        return Extraction(tuple(self._claim(unseal(source))))


def relation(
    target: str = "Partner",
    *,
    kind: str = "partner_of",
    provenance: Provenance = Provenance.MODEL,
    doc_id: str = "results.md",
    chunks: ChunkRange | None = ChunkRange(0, 1),  # noqa: B008 a constant
    model: str = "some-model",
) -> Relation:
    return Relation(
        Node(NodeType.ENTITY, "MINATO"),
        kind,
        Node(NodeType.UNLISTED, target),
        provenance,
        Evidence(doc_id, f"{doc_id}#para1", chunks, quote="みなと", model=model, prompt="p"),
    )


def added_by(*claims: Relation) -> list[tuple[str, str, tuple[str, str]]]:
    graph = build_relation_graph(
        PROFILE,
        chunks=CHUNKS,
        relation_extractor=Claims(lambda s: list(claims) if s.doc_id == "results.md" else []),
    )
    base = build_relation_graph(PROFILE, chunks=CHUNKS)
    return [edge for edge in graph.edges(keys=True) if not base.has_edge(*edge)]


@pytest.mark.guarantee("G7")
def test_an_edge_of_a_model_carries_its_markers_and_no_other_edge_does() -> None:
    graph = build_relation_graph(
        PROFILE,
        facts=FACTS,
        chunks=CHUNKS,
        relation_extractor=Claims(lambda s: [relation(doc_id=s.doc_id, chunks=ChunkRange(1, 1))]),
    )
    marked = {
        (source, target): (data["derived"], data["verified"])
        for source, target, data in graph.edges(data=True)
        if "derived" in data or "verified" in data
    }
    assert marked == {("entity:MINATO", "unlisted:Partner"): ("model-derived", "unverified")}
    data = graph.get_edge_data("entity:MINATO", "unlisted:Partner", ("partner_of", "model"))
    assert [piece["doc_id"] for piece in data["evidence"]] == ["letter.md", "results.md"]
    assert {piece["quote"] for piece in data["evidence"]} == {"みなと"}


@pytest.mark.parametrize(
    "claim",
    [
        relation("Rival"),
        relation("ライバル工業㈱"),
        relation(kind="sells_to_rival"),
        relation(kind="parent_of"),
        relation(kind="competes_with", provenance=Provenance.RULE),
        relation(provenance=Provenance.CONTROLLED),
        relation(model=""),
        relation(doc_id="secret.md"),
        relation(doc_id="company_profile", chunks=None),
        relation(chunks=None),
        relation(chunks=ChunkRange(0, 9)),
        relation(chunks=ChunkRange(1, 0)),
    ],
    ids=[
        "a rival",
        "a rival with its legal form",
        "a rival in the kind",
        "a reserved kind",
        "a rule that says who competes",
        "controlled",
        "a model without a name",
        "evidence in another document",
        "evidence in the profile",
        "evidence in no child",
        "evidence in children that are not there",
        "evidence that runs backwards",
    ],
)
@pytest.mark.guarantee("G6")
def test_what_an_extractor_may_not_claim_is_not_drawn(claim: Relation) -> None:
    assert added_by(relation(), claim) == added_by(relation())
    assert len(added_by(relation())) == 1


@pytest.mark.guarantee("G1")
def test_an_extractor_never_gets_a_restricted_chunk() -> None:
    seen: list[tuple[str, int]] = []

    def note(source: RelationSource) -> list[Relation]:
        seen.extend((source.doc_id, chunk.seq) for chunk in source.chunks)
        return []

    hidden = row("results.md", 3, "8", "MINATO", sensitivity="restricted")
    build_relation_graph(PROFILE, chunks=[*CHUNKS, hidden], relation_extractor=Claims(note))
    assert seen == [
        ("letter.md", 0),
        ("letter.md", 1),
        ("letter.md", 2),
        ("results.md", 0),
        ("results.md", 1),
        ("results.md", 2),
    ]


def test_an_extractor_whose_children_have_a_gap_may_not_bridge_it() -> None:
    chunks = [row("a.md", 0, "1", ""), row("a.md", 2, "3", "")]
    bridging = relation(doc_id="a.md", chunks=ChunkRange(0, 2))
    graph = build_relation_graph(
        Profile(), chunks=chunks, relation_extractor=Claims(lambda _: [bridging])
    )
    assert graph.number_of_edges() == 0


def test_a_company_without_a_code_goes_by_its_name() -> None:
    profile = Profile.model_validate(
        {"home": {"company_name": "Acme, Inc."}, "external_entities": {"rival": "Rival Ltd."}}
    )
    graph = build_relation_graph(profile, chunks=[row("a.md", 0, "1", "ACME")])
    assert set(graph.edges(keys=True)) == {
        ("entity:acme", "external:rival", ("competes_with", "controlled")),
        ("document:a.md", "entity:acme", ("mentions", "controlled")),
    }
    assert graph.nodes["entity:acme"]["label"] == "Acme, Inc."


def test_an_empty_profile_without_documents_gives_an_empty_graph() -> None:
    assert build_relation_graph(Profile()).number_of_nodes() == 0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ChunkStore]:
    opened = ChunkStore(tmp_path / "kb.db", restricted_at_rest="text")
    opened.init_schema()
    index = NarrativeIndex(opened)
    index.ingest("みなとの話。\n", DocumentMeta("results.md", title="Results", entity="みなと"))
    index.ingest("Rival's.\n", DocumentMeta("letter.md", entity="Rival"))
    index.ingest(
        "みなとの秘密。\n",
        DocumentMeta("secret.md", entity="MINATO", sensitivity=Sensitivity.RESTRICTED),
    )
    yield opened
    opened.close()


def stored_edges(store: ChunkStore) -> list[tuple[str, str, tuple[str, str]]]:
    with store.reading() as transaction:
        edges = transaction.edges(EdgeFilter(Reader()))
    return [
        (edge.key.source, edge.key.target, (edge.key.kind, edge.key.provenance.value))
        for edge in edges
    ]


def test_a_store_gets_all_that_the_graph_holds(store: ChunkStore) -> None:
    claims = Claims(
        lambda s: (
            [relation(doc_id=s.doc_id, chunks=ChunkRange(0, 0))] if s.doc_id == "results.md" else []
        )
    )
    graph = build_relation_graph(
        PROFILE, facts=FACTS, chunks=store.iter_chunks(), store=store, relation_extractor=claims
    )
    assert ("document:results.md", "entity:MINATO", ("mentions", "controlled")) in graph.edges
    assert ("entity:MINATO", "unlisted:Partner", ("partner_of", "model")) in graph.edges
    assert not any("secret" in node for node in graph)
    assert sorted(stored_edges(store)) == sorted(graph.edges(keys=True))


def test_building_into_a_store_again_changes_nothing(store: ChunkStore) -> None:
    first = build_relation_graph(PROFILE, facts=FACTS, chunks=store.iter_chunks(), store=store)
    edges = stored_edges(store)
    again = build_relation_graph(PROFILE, facts=FACTS, chunks=store.iter_chunks(), store=store)
    assert as_json(again) == as_json(first)
    assert stored_edges(store) == edges


def test_what_the_gate_stops_is_kept_for_the_audit(store: ChunkStore) -> None:
    build_relation_graph(PROFILE, chunks=store.iter_chunks(), store=store)
    with store.reading() as transaction:
        (stopped,) = transaction.rejections(Reader())
    assert stopped.rejection.rule == "listed-name"
    assert stopped.evidence.evidence.doc_id == "letter.md"


@pytest.mark.guarantee("G3")
def test_a_label_raised_during_extraction_leaves_nothing_of_the_document(
    store: ChunkStore,
) -> None:
    def raise_label(source: RelationSource) -> list[Relation]:
        if source.doc_id != "results.md":
            return []
        with store.writing() as transaction:
            transaction.relabel("results.md", Sensitivity.RESTRICTED)
        return [relation(doc_id="results.md", chunks=ChunkRange(0, 0))]

    graph = build_relation_graph(
        PROFILE,
        chunks=store.iter_chunks(),
        store=store,
        relation_extractor=Claims(raise_label),
    )
    assert not any("results.md" in node or "Partner" in node for node in graph)
    assert not any("results.md" in source for source, _, _ in stored_edges(store))


@pytest.mark.guarantee("G2")
def test_facts_of_a_restricted_document_are_as_those_of_one_that_is_not_there(
    store: ChunkStore,
) -> None:
    def built(fact: Fact) -> str:
        return as_json(
            build_relation_graph(PROFILE, facts=[fact], chunks=store.iter_chunks(), store=store)
        )

    assert built(replace(FACTS[0], source_doc_id="secret.md")) == built(
        replace(FACTS[0], source_doc_id="nowhere.md")
    )
