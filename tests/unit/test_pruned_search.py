"""Search in a large store: rare terms find candidates, all terms score them."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from ragspine_store.protocols import Scope
from ragspine_store.query import parse_query
from ragspine_store.records import Hit
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.sqlite_store import ChunkStore, pruning
from ragspine_store.testing.base import put
from ragspine_store.testing.documents import Part, make_document

COMMON = [f"common{number}" for number in range(8)]
RARE = [f"rare{number}" for number in range(60)]
QUESTION = "common0 common1 common2 common3 rare1 rare2 rare3 rare4 第4条"
DOCUMENTS = 30
LOW = Reader(Sensitivity.INTERNAL, frozenset({"c0", "c1"}))


@pytest.fixture
def store() -> Iterator[ChunkStore]:
    chance = random.Random(0)
    with ChunkStore(":memory:") as opened:
        opened.init_schema()
        for number in range(DOCUMENTS):
            lines = tuple(
                " ".join([*chance.choices(COMMON, k=12), *chance.choices(RARE, k=2), "第4条"])
                for _ in range(10)
            )
            label = Sensitivity.CONFIDENTIAL if number % 3 == 0 else Sensitivity.INTERNAL
            described = {"collection": f"c{number % 4}", "topic": f"t{number % 2}"}
            put(
                opened,
                make_document(
                    f"{number}.md", Part("Part", lines), label=label, described=described
                ),
            )
        yield opened


def hits(store: ChunkStore, scope: Scope, k: int = 10) -> list[Hit]:
    with store.reading() as transaction:
        return transaction.search(parse_query(QUESTION), scope, k)


@pytest.fixture
def is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower what counts as costly, so that the store of these tests is a large one."""
    monkeypatch.setattr(pruning, "MAX_POSTINGS", 100)
    monkeypatch.setattr(pruning, "RARE_POSTINGS", 60)
    monkeypatch.setattr(pruning, "RESCORED", 40)
    monkeypatch.setattr(pruning, "MOST_LIKELY", 200)


SCOPES = {
    "all": Scope(Reader()),
    "clearance and collections": Scope(LOW),
    "filter": Scope(Reader(), {"topic": ["t1"]}),
    "section": Scope(Reader(), {"section": ["Part"]}),
}


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
def test_what_is_pruned_has_the_scores_of_what_is_not(
    store: ChunkStore, monkeypatch: pytest.MonkeyPatch, scope: Scope
) -> None:
    exact = hits(store, scope, 300)
    monkeypatch.setattr(pruning, "MAX_POSTINGS", 100)
    monkeypatch.setattr(pruning, "RARE_POSTINGS", 60)
    monkeypatch.setattr(pruning, "RESCORED", 40)
    found = hits(store, scope)
    assert found == [hit for hit in exact if hit in found]
    assert found[:3] == exact[:3]
    assert len(found) == 10


def test_candidates_are_those_with_the_rarest_terms(store: ChunkStore, is_small: None) -> None:
    with store.reading() as transaction:
        best = transaction.search(parse_query("rare1 common0 common1 common2"), Scope(Reader()), 5)
        with_rare = transaction.search(parse_query("rare1"), Scope(Reader()), 300)
    assert {hit.key for hit in best} <= {hit.key for hit in with_rare}


def test_a_narrow_scope_gets_all_that_it_holds(store: ChunkStore, is_small: None) -> None:
    found = hits(store, Scope(Reader(), {"doc_id": ["29.md"]}), 10)
    assert len(found) == 10
    assert found == sorted(found, key=lambda hit: -hit.score)


def test_many_hits_are_not_pruned(
    store: ChunkStore, is_small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pruned = hits(store, Scope(Reader()), pruning.MOST_HITS + 1)
    monkeypatch.setattr(pruning, "MAX_POSTINGS", 10**9)
    assert pruned == hits(store, Scope(Reader()), pruning.MOST_HITS + 1)


def test_what_is_withheld_takes_no_place_among_candidates(
    store: ChunkStore, is_small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = Scope(LOW)
    before = hits(store, scope, 5)
    loud = " ".join(["rare1 rare2 rare3 rare4"] * 3)
    hidden = make_document(
        "z.md",
        Part("Part", (loud,) * 60),
        label=Sensitivity.CONFIDENTIAL,
        described={"collection": "c0"},
    )
    put(store, hidden)
    after = hits(store, scope, 5)
    assert len(after) == 5
    monkeypatch.setattr(pruning, "MAX_POSTINGS", 10**9)
    assert {hit.key for hit in after} <= {hit.key for hit in hits(store, scope, 300)}
    assert before[0].key in {hit.key for hit in after}
