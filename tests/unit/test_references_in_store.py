"""References of ingested documents, resolved by the store at each read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragspine_graph.extraction.references import find_references
from ragspine_graph.security.exits import clear_source
from ragspine_store.chunking import make_chunker
from ragspine_store.ingest import ingest_narrative
from ragspine_store.relation_protocols import EdgeFilter
from ragspine_store.relations import REFERS_TO, DocumentRelations
from ragspine_store.sealed import unseal
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.sqlite_store import ChunkStore

RULES = """# 就業規則

## 第1条　目的

1. 賃金規程第2条第1項による。
2. 賃金規程第9条は、もうない。

## 第2条　適用

1. 前条及び第4条による。
"""
WAGES = """# 賃金規程（令和6年4月1日施行）

## 第1条　目的

1. 就業規則第1条に基づく。

## 第2条　手当

1. 通勤手当を払う。
2. 前項の額は、別に定める。
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ChunkStore]:
    with ChunkStore(tmp_path / "store.db") as store:
        store.init_schema()
        yield store


def _ingest(store: ChunkStore, folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    paths = [folder / f"{name}.md" for name in texts]
    ingest_narrative(paths, store, root=folder, chunker=make_chunker("parent_child"))
    with store.reading() as transaction:
        stale = [state.doc_id for state in transaction.relation_states() if not state.rules]
    for doc_id in stale:
        with store.reading() as transaction:
            view = transaction.find_document(doc_id)
        source = clear_source(view, Reader()) if view else None
        assert source is not None
        found = find_references(source)
        with store.writing() as transaction:
            relations = DocumentRelations(
                doc_id,
                unseal(source).version,
                rules="1",
                titles=found.titles,
                addresses=found.addresses,
                references=found.references,
            )
            assert transaction.put_document_relations(relations)


def _edges(store: ChunkStore) -> set[tuple[str, str]]:
    with store.reading() as transaction:
        edges = transaction.edges(EdgeFilter(Reader(), kinds=[REFERS_TO]))
    return {(edge.key.source, edge.key.target) for edge in edges}


def _dangling(store: ChunkStore) -> list[str]:
    with store.reading() as transaction:
        return [one.reference.evidence.quote for one in transaction.dangling(Reader())]


_INSIDE_RULES = {("section:rules.md#s3", "section:rules.md#s2")}
_BETWEEN = {
    ("section:rules.md#s2", "child:wages.md#c1"),
    ("section:wages.md#s2", "section:rules.md#s2"),
}
_INSIDE_WAGES = {("section:wages.md#s3", "child:wages.md#c1")}


@pytest.mark.parametrize("order", [("rules", "wages"), ("wages", "rules")], ids=["as read", "back"])
def test_references_resolve_whatever_was_ingested_first(
    store: ChunkStore, tmp_path: Path, order: tuple[str, str]
) -> None:
    texts = {"rules": RULES, "wages": WAGES}
    for name in order:
        _ingest(store, tmp_path, **{name: texts[name]})
    assert _edges(store) == _INSIDE_RULES | _BETWEEN | _INSIDE_WAGES
    assert sorted(_dangling(store)) == ["第4条", "賃金規程第9条"]


def test_a_missing_and_a_hidden_target_dangle_alike(store: ChunkStore, tmp_path: Path) -> None:
    _ingest(store, tmp_path, rules=RULES)
    missing = _edges(store), _dangling(store)
    _ingest(store, tmp_path, wages=WAGES)
    assert (_edges(store), _dangling(store)) != missing
    with store.writing() as transaction:
        transaction.relabel("wages.md", Sensitivity.RESTRICTED)
    assert (_edges(store), _dangling(store)) == missing


def test_a_changed_target_is_found_anew(store: ChunkStore, tmp_path: Path) -> None:
    _ingest(store, tmp_path, rules=RULES, wages=WAGES)
    _ingest(store, tmp_path, wages=WAGES.replace("第2条", "第9条"))
    assert ("section:rules.md#s2", "section:wages.md#s3") in _edges(store)
    assert sorted(_dangling(store)) == ["第4条", "賃金規程第2条第1項"]
