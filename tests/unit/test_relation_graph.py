from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_graph.extraction.protocol import Extraction, RelationExtractor
from ragspine_graph.facts import Fact, load_facts
from ragspine_graph.profile import Profile, load_profile
from ragspine_graph.relation_graph import build_relation_graph
from ragspine_graph.relation_source import RelationSource
from ragspine_store.records import StoredChunk
from ragspine_store.relations import (
    ChunkRange,
    Evidence,
    Node,
    NodeType,
    Provenance,
    Relation,
)
from ragspine_store.sealed import Cleared, unseal

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
