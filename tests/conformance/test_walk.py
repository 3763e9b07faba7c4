"""What is hidden is no seed, no stepping stone and no end of a walk, on every backend."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_graph import KnowledgeBase, NarrativeIndex, Reader, ServiceConfig
from ragspine_store.chunking import make_chunker
from ragspine_store.records import DocumentMeta
from tests.backends import Neo4jBackend, Place, fresh_backend
from tests.conftest import AtRest
from tests.corpora import READERS, Source, corpora
from tests.neo4j_server import Server

pytestmark = pytest.mark.guarantee("G2")

CONFIG = ServiceConfig(chunker="hierarchical", walk="question")
LINES = (
    "# Jo Dee",
    "# Blue Bay",
    "# 賃金規程",
    "## 第4条（手当）",
    "Jo Dee was born in Blue Bay.",
    "Blue Bay lies by the sea.",
    "手当は賃金規程第4条による。",
    "第4条の手当を支給する。",
)
texts = st.lists(st.sampled_from(LINES), min_size=1, max_size=5).map("\n\n".join)
QUESTIONS = ("Where was Jo Dee born?", "blue bay", "賃金規程の手当", "手当")


@pytest.fixture
def place(each_backend: Place) -> Place:
    return each_backend


def answers(place: Place, sources: Sequence[Source], readers: Sequence[Reader]) -> list[str]:
    """All that a search with a walk gives, in a store made of these documents in this order."""
    store = place.scratch_store()
    index = NarrativeIndex(store, chunker=make_chunker(CONFIG.chunker))
    for source in sources:
        index.ingest(source.text, source.meta)
    with KnowledgeBase(store, CONFIG) as knowledge:
        knowledge.build_relations()
        return [
            json.dumps(knowledge.search(question, k=k, reader=reader).to_dict())
            for reader in readers
            for question in QUESTIONS
            for k in (1, 20)
        ]


def test_restricted_documents_and_the_order_of_ingest_change_no_byte_of_a_walk(
    place: Place,
) -> None:
    @place.examples(settings().max_examples // 5, on_server=2)
    @given(
        sources=corpora(texts, {"title": ("", "Jo Dee")}),
        order=st.randoms(),
        reader=st.sampled_from(READERS),
    )
    def check(sources: list[Source], order: random.Random, reader: Reader) -> None:
        readers = [reader] if place.is_server else READERS
        visible = [source for source in sources if not source.is_restricted]
        shuffled = order.sample(sources, len(sources))
        assert answers(place, shuffled, readers) == answers(place, visible, readers)

    check()


@pytest.fixture
def server(neo4j_lts: Server, at_rest: AtRest) -> Iterator[Neo4jBackend]:
    """An empty place on a server; what a file reads is counted by the suite of stores."""
    yield from fresh_backend(neo4j_lts, at_rest)


def test_a_walk_adds_one_round_trip_to_a_search_on_a_server(server: Neo4jBackend) -> None:
    store = server.new_store()
    index = NarrativeIndex(store, chunker=make_chunker(CONFIG.chunker))
    index.ingest("# Blue Bay\n\nBlue Bay lies by the sea.", DocumentMeta("bay.md"))
    index.ingest("# Jo Dee\n\nJo Dee was born in Blue Bay.", DocumentMeta("dee.md"))
    walking = KnowledgeBase(store, CONFIG)
    walking.build_relations()
    plain = KnowledgeBase(store, CONFIG.model_copy(update={"walk": "none"}))

    def queries(knowledge: KnowledgeBase) -> int:
        return server.statements(
            store, lambda: knowledge.search("Where was Jo Dee born?", expand="none")
        )

    (_, reached) = walking.search("Where was Jo Dee born?", expand="none").snippets
    assert reached.via
    assert queries(walking) == queries(plain) + 1
