"""What of a document is embedded, and how vectors are kept."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.embedding.protocol import pack
from ragspine_graph.embedding.texts import PartText, part_texts
from ragspine_graph.security.relation_source import RelationSource, SourceChunk
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
    texts = part_texts(source_of(child(0, None, LEAD_IN), child(1, window), child(2, window)))
    assert texts == [
        PartText(VectorKind.CHILD, 0, "In these cases:\n- illness"),
        PartText(VectorKind.CHILD, 1, "- illness"),
        PartText(VectorKind.CHILD, 2, "- illness"),
        PartText(VectorKind.PARENT, 1, TEXT),
    ]


@pytest.mark.guarantee("G1")
def test_a_parent_that_holds_anything_withheld_is_left_out() -> None:
    source = source_of(child(0, Span(0, len(TEXT))), withheld=(Span(26, 34),))
    assert [text.kind for text in part_texts(source)] == [VectorKind.CHILD]


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=8).filter(lambda v: any(map(abs, v))))
def test_a_kept_vector_has_length_one_and_its_direction(vector: list[float]) -> None:
    kept = struct.unpack(f"<{len(vector)}f", pack(vector))
    length = sum(number * number for number in vector) ** 0.5
    assert sum(number * number for number in kept) == pytest.approx(1, abs=1e-5)
    assert list(kept) == pytest.approx([number / length for number in vector], abs=1e-5)


@pytest.mark.parametrize("vector", [[0.0, 0.0], [float("nan")], [float("inf"), 1.0]])
def test_a_vector_without_direction_is_refused(vector: list[float]) -> None:
    with pytest.raises(ValueError, match="direction"):
        pack(vector)
