"""With no chunker chosen, chunks and snippets are the predecessor's, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_store.sqlite_store import ChunkStore

pytestmark = pytest.mark.guarantee("G9")

DATA = Path(__file__).parents[1] / "data" / "default_unchanged"
# Written by hand, from the rules of `chunk_document`.
GOLDEN = (DATA / "golden.json").read_text(encoding="utf-8")
SPELLINGS = [None, "none", "default"]


@pytest.fixture(params=SPELLINGS, ids=str)
def config(request: pytest.FixtureRequest) -> ServiceConfig:
    return ServiceConfig.load(chunker=request.param)


@pytest.fixture
def knowledge(tmp_path: Path, config: ServiceConfig) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(tmp_path / "store.db", config) as knowledge:
        described = {"topic": "travel", "period": "2026", "language": "en"}
        report = knowledge.ingest(
            [DATA / "travel.md", DATA / "出張.txt"],
            meta_by_doc={"default_unchanged/travel.md": described},
        )
        assert report.chunker == "none"
        yield knowledge


def test_chunks_and_snippets_equal_the_golden_file(
    tmp_path: Path, knowledge: KnowledgeBase
) -> None:
    with ChunkStore(tmp_path / "store.db") as store:
        chunks = [
            {
                "chunk_id": chunk.chunk_id,
                "seq": chunk.seq,
                "source_locator": chunk.source_locator,
                "para_start": chunk.para_start,
                "para_end": chunk.para_end,
                "text": chunk.text,
            }
            for chunk in store.iter_chunks()
        ]
    found = [
        *knowledge.search("receipt", k=1).snippets,
        *knowledge.search("日当").snippets,
    ]
    snippets = [{**snippet.to_dict(), "scores": None} for snippet in found]
    result = {"chunks": chunks, "snippets": snippets}
    assert json.dumps(result, ensure_ascii=False, indent=2) + "\n" == GOLDEN


def test_the_four_columns_stay_empty(tmp_path: Path, knowledge: KnowledgeBase) -> None:
    with ChunkStore(tmp_path / "store.db") as store:
        rows = store.iter_chunks()
    assert rows
    assert {(r.parent_id, r.heading, r.window_text, r.parent_locator) for r in rows} == {
        ("", "", "", "")
    }


def test_expansion_changes_nothing_without_windows(knowledge: KnowledgeBase) -> None:
    for query in ("journey", "日当"):
        bare = knowledge.search(query, expand="none").to_dict()
        assert knowledge.search(query, expand="window").to_dict() == bare


def test_scores_have_the_predecessors_keys(knowledge: KnowledgeBase) -> None:
    (snippet,) = knowledge.search("日当").snippets
    scores = snippet.to_dict()["scores"]
    assert isinstance(scores, dict)
    assert [*scores] == ["bm25", "vector", "fused"]
