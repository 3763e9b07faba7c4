"""The hash of what is kept: of content alone; and values that hide their texts."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.kept import (
    KeptChild,
    KeptDocument,
    KeptOrigin,
    KeptRelation,
    KeptSection,
    KeptStub,
    Tally,
    bag,
    digest_of,
)
from ragspine_store.records import OffsetMap, Paragraphs, Span
from ragspine_store.relations import EdgeKey, Evidence, Provenance
from ragspine_store.sqlite_store import ChunkStore
from ragspine_store.testing.copies import fill_store, read_kept
from tests.backends import SQLiteBackend

CHILD = KeptChild(
    chunk_id="a.md#c0",
    seq=0,
    text="A Kingfisher.",
    source_locator="a.md#para2",
    paragraphs=Paragraphs(2, 2),
    parent_id="a.md#s1",
    heading="Kingfisher",
    window_text="A Kingfisher.",
    parent_locator="a.md#para1-2",
    window=Span(0, 20),
    section=1,
    node=1,
    span=Span(7, 20),
    own_label="",
    label="INTERNAL",
    level=1,
    is_erased=False,
)
SECTION = KeptSection(0, None, 0, "Kingfisher", Span(0, 20), 0, "", "", False)
DOCUMENT = KeptDocument(
    doc_id="a.md",
    title="Kingfisher",
    topic="t",
    entity="e",
    geography="g",
    period="p",
    language="l",
    collection="c",
    label="INTERNAL",
    is_stated=True,
    valid_as_of="v",
    version=1,
    ingested_at="2026-04-01T00:00:00Z",
    chunker="parent_child",
    fingerprint="f",
    source_path="/a.md",
    content_hash="h",
    inputs_hash="i",
    text="Kingfisher text",
    offsets=OffsetMap(((0, 0, 20),), 20),
    pages=(0,),
    sections=(SECTION,),
    branches=(),
    children=(CHILD,),
)
OTHER = {
    str: "another",
    int: 7,
    bool: True,
    tuple: (),
    type(None): Span(1, 2),
    Span: Span(3, 4),
    Paragraphs: Paragraphs(5, 6),
    OffsetMap: None,
}


def changed(value: KeptChild | KeptSection | KeptDocument, name: str) -> object:
    before = getattr(value, name)
    after = not before if isinstance(before, bool) else OTHER[type(before)]
    return dataclasses.replace(value, **{name: (SECTION, SECTION) if after == before else after})


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (value, field.name)
        for value in (CHILD, SECTION, DOCUMENT)
        for field in dataclasses.fields(value)
    ],
    ids=lambda one: one if isinstance(one, str) else type(one).__name__,
)
def test_every_field_has_a_part_in_the_hash(
    value: KeptChild | KeptSection | KeptDocument, name: str
) -> None:
    assert digest_of(changed(value, name)) != digest_of(value)
    assert digest_of(dataclasses.replace(value)) == digest_of(value)


def test_a_hash_stays_what_it_is_from_version_to_version() -> None:
    text = '["KeptStub",["1","2","3","4",["5"],"RESTRICTED","6",true]]'
    stub = KeptStub("1", "2", "3", "4", ("5",), " restricted", "6", is_stated=True)
    assert digest_of(stub) == hashlib.sha256(text.encode()).digest()
    tally = Tally()
    tally.add(stub, stubs=1)
    assert tally.hash == hashlib.sha256(digest_of(stub)).hexdigest()
    assert tally.counts == {"stubs": 1}


@given(values=st.lists(st.tuples(st.text(), st.integers(0, 3))))
def test_order_says_nothing_and_number_does(values: list[tuple[str, int]]) -> None:
    assert bag(reversed(values)) == bag(values)
    one, other, more = Tally(), Tally(), Tally()
    for value in values:
        one.add(value)
        more.add(value)
    for value in reversed(values):
        other.add(value)
    more.add(("more", 0))
    more.add(("more", 0))
    assert one.hash == other.hash != more.hash


def test_evidence_of_two_edges_is_told_apart() -> None:
    evidence = Evidence("a.md", "a.md#para1")
    keys = [EdgeKey("entity:a", kind, "entity:b", Provenance.RULE) for kind in ("x", "y")]
    one, other = (KeptRelation(key, KeptOrigin.RULES, evidence) for key in keys)
    assert digest_of(one) != digest_of(other)


@pytest.mark.guarantee("G1")
def test_no_value_shows_a_text_in_its_repr(tmp_path: Path) -> None:
    backend = SQLiteBackend(tmp_path / "store.db", "text")
    store: ChunkStore = backend.open_store()
    fill_store(backend, store)
    kept = read_kept(store)
    shown = repr(kept) + repr(DOCUMENT)
    for text in ("Acme pays", "Kingfisher", "Leave", "grants", "Rules", "rival"):
        assert text not in shown, text
    backend.close()
