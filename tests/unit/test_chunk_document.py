"""The default chunker: byte for byte what the predecessor cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.chunking.narrative import chunk_document
from ragspine_store.chunking.paragraphs import ParagraphIndex, iter_paragraphs
from ragspine_store.errors import ChunkingError
from ragspine_store.records import DocumentMeta, Outline, Section, Span, format_locator

DATA = Path(__file__).parent.parent / "data" / "chunk_document_golden.json"
GOLDEN: list[dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8"))
META = DocumentMeta("doc.txt")
FIELDS = ("chunk_id", "seq", "text", "source_locator", "para_start", "para_end")
texts = st.text(st.sampled_from("短長a。.!;\n\n \u3000\t\r"), max_size=120)
sizes = st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1)))


@pytest.mark.guarantee("G9")
@pytest.mark.parametrize("pair", GOLDEN, ids=lambda p: f"{p['name']}-{p['max_chars']}")
def test_chunks_equal_the_predecessors(pair: dict[str, Any]) -> None:
    chunks = chunk_document(
        pair["text"], META, max_chars=pair["max_chars"], overlap_chars=pair["overlap_chars"]
    )
    assert [{field: getattr(c, field) for field in FIELDS} for c in chunks] == pair["chunks"]


@given(texts, sizes)
def test_a_chunk_is_a_part_of_the_joined_paragraphs(text: str, size: tuple[int, int]) -> None:
    paragraphs = [text[p.start : p.end] for p in iter_paragraphs(text)]
    assert paragraphs == [line.strip() for line in text.split("\n") if line.strip()]
    chunks = chunk_document(text, META, max_chars=size[0], overlap_chars=size[1])
    for chunk in chunks:
        assert chunk.text in "\n".join(paragraphs)
        assert len(chunk.text) <= size[0]
    assert bool(chunks) == bool(paragraphs)


@given(texts, sizes)
def test_a_span_holds_the_chunk_and_its_paragraphs_agree_with_the_index(
    text: str, size: tuple[int, int]
) -> None:
    index = ParagraphIndex(text)
    for chunk in chunk_document(text, META, max_chars=size[0], overlap_chars=size[1]):
        lines = text[chunk.span.start : chunk.span.end].split("\n")
        kept = [line for line in lines if line.strip()] if len(lines) > 1 else lines
        if chunk.para_start < chunk.para_end:
            assert "\n".join(line.strip() for line in kept) == chunk.text
        else:
            assert kept == [chunk.text]
        if chunk.text.strip():
            paragraphs = index.of(chunk.span)
            assert paragraphs == (chunk.para_start, chunk.para_end)
            assert chunk.source_locator == format_locator("doc.txt", paragraphs)


@given(texts, st.integers(1, 30))
def test_without_overlap_the_chunks_join_to_all_paragraphs(text: str, max_chars: int) -> None:
    chunks = chunk_document(text, META, max_chars=max_chars, overlap_chars=0)
    joined = "".join(chunk.text.replace("\n", "") for chunk in chunks)
    assert joined == "".join(text[p.start : p.end] for p in iter_paragraphs(text))


def test_it_carries_no_window() -> None:
    (chunk,) = chunk_document("一行。", META)
    assert (chunk.parent_id, chunk.heading, chunk.window_text, chunk.parent_locator) == ("",) * 4
    assert (chunk.window, chunk.section) == (None, 0)


def test_an_outline_names_the_deepest_section_that_holds_the_whole_chunk() -> None:
    text = "前文\n一の一\n一の二\n二の一\n"
    outline = Outline(
        sections=(
            Section(0, None, 0, "", Span(0, len(text)), 3),
            Section(1, 0, 1, "一", Span(3, 11), 3),
            Section(2, 1, 2, "一の一", Span(3, 7), 7),
            Section(3, 1, 2, "一の二", Span(7, 11), 11),
            Section(4, 0, 1, "二", Span(11, len(text)), len(text)),
        ),
        blocks=(),
    )
    alone = chunk_document(text, META, max_chars=3, overlap_chars=0, outline=outline)
    assert [chunk.section for chunk in alone] == [0, 2, 3, 4]
    paired = chunk_document(text, META, max_chars=7, overlap_chars=3, outline=outline)
    assert [chunk.text for chunk in paired] == ["前文\n一の一", "一の一\n一の二", "一の二\n二の一"]
    assert [chunk.section for chunk in paired] == [0, 1, 0]


@pytest.mark.parametrize(
    ("max_chars", "overlap_chars"),
    [
        pytest.param(0, 0, id="no size"),
        pytest.param(-1, 0, id="negative size"),
        pytest.param(10, -1, id="negative overlap"),
        pytest.param(10, 10, id="overlap as large as the chunk"),
        pytest.param(10, 11, id="overlap larger than the chunk"),
    ],
)
def test_sizes_that_contradict_each_other_are_refused(max_chars: int, overlap_chars: int) -> None:
    with pytest.raises(ChunkingError, match=r"given; expected .+"):
        chunk_document("text", META, max_chars=max_chars, overlap_chars=overlap_chars)


def test_a_bad_size_is_a_value_error_as_before() -> None:
    with pytest.raises(ValueError, match="max_chars=0"):
        chunk_document("text", META, max_chars=0)


def test_a_blank_span_has_no_paragraph() -> None:
    with pytest.raises(ChunkingError, match="is blank"):
        ParagraphIndex("a\n\nb").of(Span(1, 3))


def test_a_megabyte_of_lines_is_cut_whatever_the_sizes() -> None:
    text = "会社は、従業員の安全に配慮する。\n" * 65_000
    assert len(text) > 1_100_000
    (whole,) = chunk_document(text, META, max_chars=10**7, overlap_chars=10**6)
    assert (whole.para_start, whole.para_end) == (1, 65_000)
    assert len(chunk_document(text, META)) == 2_709
