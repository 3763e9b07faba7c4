"""A walk from the best children to what they name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragspine_graph import KnowledgeBase, Reader, Sensitivity, ServiceConfig
from ragspine_graph.retrieval import Snippet
from ragspine_graph.retrieval.snippet import Step

FILMS = {
    "jaws.md": "# Jaws\n\nA film about a shark, directed by Jo Dee.\n",
    "dee.md": "# Jo Dee\n\nAn American who was born in Ohio.\n",
    "bay.md": "# The Bay\n\nA film about a place. Jo Dee admired it; born is not said.\n",
    "noise.md": "# Birth\n\nWhere the director of a hospital was born.\n",
}
QUESTION = "Where was the director of the film Jaws born?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    films = tmp_path / "films"
    films.mkdir()
    for name, text in FILMS.items():
        (films / name).write_text(text, encoding="utf-8")
    return films


@pytest.fixture
def knowledge(folder: Path, tmp_path: Path) -> Iterator[KnowledgeBase]:
    config = ServiceConfig(chunker="hierarchical", walk="question")
    with KnowledgeBase.open(tmp_path / "kb.db", config) as knowledge:
        knowledge.ingest(folder)
        yield knowledge


def ids(snippets: tuple[Snippet, ...]) -> list[str]:
    return [snippet.doc_id.rpartition("/")[2] for snippet in snippets]


def test_without_a_graph_a_walk_finds_what_a_search_finds(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    config = ServiceConfig(chunker="hierarchical")
    with KnowledgeBase.open(tmp_path / "kb.db", config) as plain:
        expected = plain.search(QUESTION).to_dict()
    assert knowledge.search(QUESTION).to_dict() == expected


def test_what_the_best_child_names_comes_before_what_shares_more_words(
    knowledge: KnowledgeBase,
) -> None:
    knowledge.build_relations()
    snippets = knowledge.search(QUESTION, expand="none").snippets
    assert ids(snippets)[:2] == ["dee.md", "jaws.md"]
    fused = [snippet.scores.fused for snippet in snippets]
    assert fused == sorted(fused, reverse=True)


def test_a_hit_carries_the_way_on_which_it_was_found(knowledge: KnowledgeBase) -> None:
    knowledge.build_relations()
    second, first, *_ = knowledge.search(QUESTION).snippets
    assert first.via == (Step("question", "mentions", "", "document:films/jaws.md"),)
    (step,) = second.via
    assert step == (f"child:{first.chunk_id}", "mentions", "", "document:films/dee.md")
    shown = second.to_dict()
    assert [*shown][-1] == "via"
    assert shown["via"] == [
        {"from": step.from_id, "kind": "mentions", "edge": "", "to": step.to_id},
    ]


def test_a_hit_of_its_own_words_has_no_way(knowledge: KnowledgeBase) -> None:
    knowledge.build_relations()
    (found,) = knowledge.search("hospital").snippets
    assert found.via == ()
    assert "via" not in found.to_dict()


@pytest.mark.parametrize("way", ["label", "filter", "collection"])
def test_what_a_reader_may_not_find_is_not_reached(folder: Path, tmp_path: Path, way: str) -> None:
    config = ServiceConfig(chunker="hierarchical", walk="question")
    with KnowledgeBase.open(tmp_path / "other.db", config) as knowledge:
        files = sorted(folder.glob("*.md"))
        dee = [file for file in files if file.name == "dee.md"]
        knowledge.ingest([file for file in files if file not in dee], root=folder)
        knowledge.ingest(
            dee,
            root=folder,
            sensitivity="CONFIDENTIAL" if way == "label" else None,
            collection="other" if way == "collection" else None,
        )
        knowledge.build_relations()
        reader = Reader(Sensitivity.INTERNAL, frozenset({"default"}))
        filters = {"doc_id": ["jaws.md", "noise.md"]} if way == "filter" else {}
        assert "dee.md" in ids(knowledge.search(QUESTION).snippets)
        shown = json.dumps(knowledge.search(QUESTION, reader=reader, filters=filters).to_dict())
        assert "dee.md" not in shown
        assert "Ohio" not in shown


def test_a_reference_leads_to_the_part_that_it_names(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "rules.md").write_text(
        "# 就業規則\n\n## 第4条（手当）\n\n毎月末に支給する。\n\n"
        "## 第12条（在宅勤務）\n\n在宅勤務の者には第4条を準用する。\n",
        encoding="utf-8",
    )
    config = ServiceConfig(chunker="hierarchical", walk="question")
    with KnowledgeBase.open(tmp_path / "kb.db", config) as knowledge:
        knowledge.ingest(rules)
        knowledge.build_relations()
        snippets = knowledge.search("在宅勤務の扱い", expand="none").snippets
        (edge,) = knowledge.relations.list(kinds=["refers_to"]).edges
    (reached,) = [snippet for snippet in snippets if snippet.via]
    assert reached.text == "毎月末に支給する。"
    (step,) = reached.via
    assert (step.kind, step.edge_id) == ("refers_to", edge.key.edge_id)
    assert (step.from_id, step.to_id) == (edge.key.source, edge.key.target)
