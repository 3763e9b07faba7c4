"""What of a document is embedded, and how vectors are kept."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.embedding.protocol import pack
from ragspine_graph.embedding.texts import PartText, part_texts
from ragspine_graph.security.relation_source import RelationSource, SourceChunk, SourceSection
from ragspine_store.records import Span
from ragspine_store.vectors import VectorKind

TEXT = "In these cases:\n- illness\n- moving\n"
ITEM = Span(16, 25)
LEAD_IN = Span(0, 15)


def source_of(*chunks: SourceChunk, withheld: tuple[Span, ...] = ()) -> RelationSource:
    return RelationSource("a.md", "A", "default", 1, TEXT, (), chunks, withheld)


def child(seq: int, window: Span | None, lead_in: Span | None = None) -> SourceChunk:
    return SourceChunk(seq, TEXT[slice(*ITEM)], "a.md#para2", ITEM, window=window, lead_in=lead_in)


def test_children_come_before_parents_and_a_parent_is_its_first_childs() -> None:
    window = Span(0, len(TEXT))
    texts = part_texts(
        source_of(child(0, None, LEAD_IN), child(1, window), child(2, window)), with_headings=False
    )
    assert texts == [
        PartText(VectorKind.CHILD, 0, "In these cases:\n- illness"),
        PartText(VectorKind.CHILD, 1, "- illness"),
        PartText(VectorKind.CHILD, 2, "- illness"),
        PartText(VectorKind.PARENT, 1, TEXT),
    ]


def test_headings_stand_above_a_child_for_a_model_that_reads_them() -> None:
    sections = (
        SourceSection(0, None, 0, "The document", Span(0, len(TEXT))),
        SourceSection(1, 0, 1, "Leave", Span(0, len(TEXT))),
        SourceSection(2, 1, 2, "", Span(0, len(TEXT))),  # its heading is withheld
        SourceSection(3, 2, 3, "Cases", Span(0, len(TEXT))),
    )
    item = SourceChunk(0, "- illness", "a.md#para2", ITEM, section=3, lead_in=LEAD_IN)
    source = RelationSource("a.md", "A", "default", 1, TEXT, sections, (item,))
    (text,) = part_texts(source, with_headings=True)
    assert text.text == "Leave > Cases\nIn these cases:\n- illness"
    (text,) = part_texts(source, with_headings=False)
    assert text.text == "In these cases:\n- illness"


@pytest.mark.guarantee("G1")
def test_a_parent_that_holds_anything_withheld_is_left_out() -> None:
    source = source_of(child(0, Span(0, len(TEXT))), withheld=(Span(26, 34),))
    assert [text.kind for text in part_texts(source, with_headings=True)] == [VectorKind.CHILD]


@given(
    st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=8).filter(lambda v: max(map(abs, v)) > 1e-3)
)
def test_a_kept_vector_has_length_one_and_its_direction(vector: list[float]) -> None:
    kept = struct.unpack(f"<{len(vector)}f", pack(vector))
    length = sum(number * number for number in vector) ** 0.5
    assert sum(number * number for number in kept) == pytest.approx(1, abs=1e-5)
    assert list(kept) == pytest.approx([number / length for number in vector], abs=1e-5)


@pytest.mark.parametrize("vector", [[0.0, 0.0], [float("nan")], [float("inf"), 1.0]])
def test_a_vector_without_direction_is_refused(vector: list[float]) -> None:
    with pytest.raises(ValueError, match="direction"):
        pack(vector)
