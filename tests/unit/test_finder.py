"""From a question to children: what is weighed, and what follows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, ServiceConfig

WORDS = ("salary", "leave", "travel", "bonus", "night", "shift", "month", "article")


@pytest.fixture(params=["none", "question"])
def knowledge(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KnowledgeBase]:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(30):
        lines = [
            f"## Article {article}\n\n"
            + "\n".join(
                f"{item}. {' '.join(WORDS[(number + article + item + n) % 8] for n in range(item))}"
                for item in range(1, 5)
            )
            for article in range(1, 4)
        ]
        (folder / f"{number:02}.md").write_text(f"# Rules {number}\n\n" + "\n\n".join(lines))
    config = ServiceConfig.load(chunker="hierarchical", walk=request.param)
    with KnowledgeBase.open(tmp_path / "kb.db", config) as knowledge:
        knowledge.ingest(folder)
        knowledge.build_relations()
        yield knowledge


@pytest.mark.parametrize("question", ["salary leave", "Article 2 night shift bonus", "Rules 7"])
def test_asking_for_more_moves_none_of_the_first(knowledge: KnowledgeBase, question: str) -> None:
    found = {k: knowledge.search(question, k=k).snippets for k in (1, 5, 20, 50, 60, 120, 200)}
    most = found[200]
    assert len({snippet.chunk_id for snippet in most}) == len(most)
    for k, snippets in found.items():
        assert snippets == most[:k]
