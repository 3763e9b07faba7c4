"""What is near, for whom, and what is left of vectors: on a file and on a server."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.protocols import Store
from ragspine_store.records import PreparedDocument
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.testing import Part, make_document
from ragspine_store.testing.base import put
from ragspine_store.testing.vectors import (
    CHILD,
    PARENT,
    embed,
    embedded,
    hash_of,
    near,
    values_of,
)
from ragspine_store.vectors import VectorKind
from tests.backends import Neo4jBackend, Place, SQLiteBackend

WORDS = ("tea", "milk", "税", "手当", "tea milk", "cash")
READERS = (
    Reader(),
    Reader(Sensitivity.PUBLIC),
    Reader(Sensitivity.INTERNAL, frozenset({"default"})),
    Reader(collections=frozenset({"x"})),
)
SECRET = "The quuxzebra moves in spring."
OPEN = Part("Open", ("tea one", "tea two"))
PLAN = Part("Plan", (SECRET, "tea three"))


@pytest.fixture
def place(each_backend: Place) -> Place:
    return each_backend


@st.composite
def corpora(draw: st.DrawFn) -> list[PreparedDocument]:
    """Some documents, many of whose texts are the same."""
    names = draw(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5, unique=True))
    lines = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(tuple)
    return [
        embedded(
            make_document(
                f"{name}.md",
                *draw(st.lists(st.builds(Part, st.just("h"), lines), min_size=1, max_size=2)),
                label=draw(st.sampled_from(list(Sensitivity))),
                described={"collection": draw(st.sampled_from(("default", "x")))},
            )
        )
        for name in names
    ]


def answers(store: Store, text: str, reader: Reader) -> list[object]:
    """All that is near for a reader, to the last digit."""
    return [
        list(near(store, text, kind=kind, k=k, reader=reader, filters=filters).items())
        for kind in VectorKind
        for k, filters in ((1, {}), (3, {}), (50, {}), (2, {"doc_id": ["a.md", "b.md"]}))
    ]


@pytest.mark.guarantee("G1")
@pytest.mark.guarantee("G2")
def test_what_a_reader_may_not_see_changes_nothing_that_is_near(place: Place) -> None:
    """Not a digit: a cosine reflects no statistics, so that holds for every clearance."""

    @place.examples(40, on_server=6)
    @given(corpora(), st.sampled_from(WORDS), st.sampled_from(READERS))
    def check(documents: list[PreparedDocument], text: str, reader: Reader) -> None:
        seen = [d for d in documents if reader.may_see(d.meta.sensitivity, d.meta.collection)]
        store = place.scratch_store()
        put(store, *documents)
        full = answers(store, text, reader)
        store = place.scratch_store()
        put(store, *reversed(seen))
        assert full == answers(store, text, reader)

    check()


def traces(place: Place, text: str) -> bool:
    """Whether the vector of a text stands anywhere that can be looked at without a store."""
    if isinstance(place, SQLiteBackend):
        files = [file.read_bytes() for file in place.path.parent.iterdir()]
        return any(values_of(embed(text)) in file for file in files)
    assert isinstance(place, Neo4jBackend)
    kept = place.raw(
        "MATCH (v:RagspineVector) WHERE v.text_hash = $hash RETURN v.id", hash=hash_of(text).hex()
    )
    indexed = [
        row["score"]
        for index in ("ragspine_child_vectors", "ragspine_parent_vectors")
        for row in place.raw(
            "CALL db.index.vector.queryNodes($index, 500, $vector) YIELD score RETURN score",
            index=index,
            vector=embed(text),
        )
    ]
    return bool(kept) or any(score > 1 - 1e-6 for score in indexed)


@pytest.mark.guarantee("G4")
@pytest.mark.parametrize("way", ["document", "section", "child", "ingest", "delete"])
def test_the_vectors_of_what_was_restricted_or_deleted_are_erased(place: Place, way: str) -> None:
    store = place.open_store()
    document = make_document("a.md", OPEN, PLAN)
    window = f"# Plan\n\n{SECRET}\n\ntea three"
    fillers = [make_document(f"{n}.md", Part("h", (f"filler {n}",) * 9)) for n in range(9)]
    put(store, embedded(document), *map(embedded, fillers))
    assert traces(place, SECRET)
    assert traces(place, window)
    with store.writing() as transaction:
        match way:
            case "document":
                transaction.relabel("a.md", Sensitivity.RESTRICTED)
            case "section":
                transaction.relabel_part("a.md#s2", Sensitivity.RESTRICTED)
            case "child":
                transaction.relabel_part("a.md#c2", Sensitivity.RESTRICTED)
            case "ingest":
                meta = replace(document.meta, sensitivity=Sensitivity.RESTRICTED)
                transaction.put(embedded(replace(document, meta=meta)))
            case _:
                transaction.delete("a.md")
    assert store.erase()
    assert not traces(place, SECRET)
    assert not traces(place, window)
    store.close()
    assert not traces(place, SECRET)
    assert traces(place, "filler 0")


def test_a_file_and_a_server_find_the_same_in_the_same_order(place: Place) -> None:
    store = place.open_store()
    lines = [tuple(f"line {a} {b}" for b in range(4)) for a in range(30)]
    documents = [
        make_document(
            f"{n:02}.md",
            Part("h", line[:2]),
            Part("i", (*line[2:], "the same")),
            label=Sensitivity(n % 3),
            described={"topic": f"t{n % 5}"},
        )
        for n, line in enumerate(lines)
    ]
    put(store, *map(embedded, documents))
    reader = Reader(Sensitivity.INTERNAL)
    visible = [d for d in documents if d.meta.sensitivity <= Sensitivity.INTERNAL]
    for kind in (CHILD, PARENT):
        for filters in ({}, {"topic": ["t1", "t2"]}):
            inside = [d for d in visible if not filters or d.meta.topic in filters["topic"]]
            found = near(store, "question", kind=kind, k=7, reader=reader, filters=filters)
            assert list(found) == nearest_of(inside, kind, 7)


def nearest_of(documents: list[PreparedDocument], kind: VectorKind, k: int) -> list[str]:
    """Ids of the nearest children to `question`, reckoned without a store."""
    question = embed("question")
    families: dict[tuple[float, str, int], list[tuple[int, str]]] = {}
    for document in documents:
        text, doc_id = document.loaded.text, document.meta.doc_id
        firsts = {chunk.window: chunk.seq for chunk in reversed(document.chunks)}
        for chunk in document.chunks:
            assert chunk.window is not None
            part = chunk.text if kind is CHILD else text[slice(*chunk.window)]
            score = sum(a * b for a, b in zip(question, embed(part), strict=True))
            first = chunk.seq if kind is CHILD else firsts[chunk.window]
            family = families.setdefault((-round(score, 9), doc_id, first), [])
            family.append((chunk.seq, chunk.chunk_id))
    best = sorted(families)[:k]
    ranked = [
        (score, doc_id, child)
        for score, doc_id, first in best
        for child in families[score, doc_id, first]
    ]
    return [chunk_id for _, _, (_, chunk_id) in sorted(ranked)]
