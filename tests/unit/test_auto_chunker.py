"""The chunker that looks at each document first, and the passages of running text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from ragspine_graph import KnowledgeBase, NarrativeIndex, ServiceConfig
from ragspine_graph.retrieval import Shape
from ragspine_store import ChunkStore, DocumentMeta, make_chunker
from ragspine_store.chunking import AutoChunker, HierarchicalChunker, TreeChunker
from ragspine_store.chunking.auto import MOST_TOKENS_BETWEEN_MARKS, PROSE, STRUCTURED, chunker_for
from ragspine_store.loading import outline_of
from ragspine_store.records import Chunk
from ragspine_store.tokens import EstimatedTokenCounter

SHAPES: tuple[Shape, ...] = ("window", "merge")
META = DocumentMeta("a.md")
RULES = "# 規程\n\n" + "".join(f"## 第{n}条\n\n1. 一の項。\n2. 二の項。\n\n" for n in range(1, 30))
SPEECH = "\n\n".join(f"We said this {n} times. And so it was, word by word." for n in range(300))
REPORT = "# Report\n\n" + SPEECH + "\n\n## Annex\n\n" + SPEECH


def chunk(text: str) -> list[Chunk]:
    return AutoChunker().chunk(text, META)


def tokens(text: str) -> int:
    return EstimatedTokenCounter().count(text)


KINDS = {
    "rules": (RULES, STRUCTURED),
    "speech": (SPEECH, PROSE),
    "one long line": (SPEECH.replace("\n\n", " "), PROSE),
    "long prose below headings": (REPORT, PROSE),
    "short prose": ("Only a few words.\n", STRUCTURED),
    "short prose below a title": ("# Title\n\nOnly a few words.\n", STRUCTURED),
    "list": ("\n".join(f"- item {n} of the list" for n in range(300)), STRUCTURED),
    "blank": ("\n", STRUCTURED),
}


@pytest.mark.parametrize("kind", [*KINDS])
def test_each_document_is_cut_as_its_structure_says(kind: str) -> None:
    text, chosen = KINDS[kind]
    assert chunker_for(text, outline_of(text)) is chosen
    assert chunk(text) == chosen.chunk(text, META)
    assert AutoChunker().tree(text) == chosen.tree(text)


def test_the_bound_is_a_mark_for_so_many_tokens() -> None:
    word = "word "
    for extra, chosen in ((0, STRUCTURED), (1, PROSE)):
        text = word * (MOST_TOKENS_BETWEEN_MARKS + extra)
        assert tokens(text) == MOST_TOKENS_BETWEEN_MARKS + extra
        assert chunker_for(text, outline_of(text)) is chosen


def test_passages_share_sentences_and_stay_in_size() -> None:
    chunks = chunk(SPEECH)
    assert len(chunks) > 10
    for one, other in pairwise(chunks):
        assert one.span is not None
        assert other.span is not None
        assert one.span.start < other.span.start < one.span.end < other.span.end
        shared = SPEECH[other.span.start : one.span.end]
        assert 50 <= tokens(shared) <= PROSE.overlap_tokens
        assert SPEECH[other.span.start :].startswith(("We said", "And so"))
    assert all(tokens(child.text) <= PROSE.max_child_tokens for child in chunks)


def test_passages_stay_inside_their_section() -> None:
    sections = outline_of(REPORT).sections
    for child in chunk(REPORT):
        assert child.span is not None
        assert sections[child.section].own.contains(child.span)
    assert {child.section for child in chunk(REPORT)} == {1, 2}


def test_a_sentence_that_is_too_long_is_cut() -> None:
    text = "word " * 2_000
    assert all(tokens(child.text) <= PROSE.max_child_tokens for child in chunk(text))


PARAGRAPHS = st.lists(
    st.lists(
        st.sampled_from(["短い文。", "A short one. ", "word " * 90, "一" * 150 + "。"]), max_size=9
    ).map("".join),
    max_size=9,
).map("\n\n".join)


@given(PARAGRAPHS)
def test_no_word_is_lost_and_every_passage_is_a_slice(text: str) -> None:
    chunks = PROSE.chunk(text, META)
    seen: set[int] = set()
    for child in chunks:
        assert child.span is not None
        assert text[slice(*child.span)] == child.text
        assert tokens(child.text) <= PROSE.max_child_tokens
        seen.update(range(*child.span))
    assert all(at in seen for at, character in enumerate(text) if not character.isspace())


def test_its_spec_tells_how_both_kinds_are_cut() -> None:
    spec = AutoChunker().spec
    assert spec.startswith("auto(")
    assert STRUCTURED.spec in spec
    assert PROSE.spec in spec
    assert make_chunker("auto") == AutoChunker()
    assert isinstance(make_chunker("Auto"), TreeChunker)
    assert make_chunker(
        "hierarchical(child=passage, max_child_tokens=200, overlap_tokens=100)"
    ) == (PROSE)
    assert HierarchicalChunker() == STRUCTURED


@pytest.mark.guarantee("G1")
def test_a_restricted_passage_takes_those_with_it_that_share_its_text() -> None:
    with ChunkStore(":memory:") as store:
        store.init_schema()
        config = ServiceConfig(chunker="auto", stub_key=SecretStr("a key for tests"))
        knowledge = KnowledgeBase(store, config)
        text = SPEECH.replace("this 150 times", "quartz 150 times")
        NarrativeIndex(store, chunker=AutoChunker()).ingest(text, META)
        holders = {hit.chunk_id for hit in knowledge.search("quartz").snippets}
        assert len(holders) == 2
        knowledge.relabel(min(holders), "RESTRICTED")
        assert knowledge.search("quartz").snippets == ()
        for shape in SHAPES:
            blocks = knowledge.context("we said this word by word", expand=shape).blocks
            assert "quartz" not in "".join(block.text for block in blocks)
