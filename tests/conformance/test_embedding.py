"""Embedding through the knowledge base on every backend: what is embedded, when, and for whom."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_graph import KnowledgeBase, Reader, Sensitivity, ServiceConfig
from ragspine_graph.embedding.texts import stored_model
from ragspine_graph.errors import NotEmbeddedError, ProviderError
from ragspine_store.ingest_report import IngestReport, Outcome
from ragspine_store.protocols import Store
from tests.backends import Place
from tests.embedders import HashingEmbedder

RULES = """# Leave

## Article 1 Annual leave

1. Leave is granted in the following cases:
   - a child is ill
   - the household moves
2. Ten days are granted each year.

## Article 2 Pay

The wage is paid on the 25th.
"""
SECRET = "# Merger\n\nThe takeover of Quartz is signed.\n"
CONFIG = ServiceConfig(chunker="hierarchical")


@pytest.fixture
def place(each_backend: Place) -> Place:
    return each_backend


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "rules.md").write_text(RULES, encoding="utf-8")
    return folder


def knowledge_of(store: Store, *embedders: HashingEmbedder) -> KnowledgeBase:
    return KnowledgeBase(store, CONFIG, embedders=embedders)


def ingest(knowledge: KnowledgeBase, folder: Path) -> IngestReport:
    return knowledge.ingest(folder, root=folder)


def counts(store: Store) -> dict[str, int]:
    with store.reading() as transaction:
        return {count.model: count.children for count in transaction.vector_counts()}


def test_children_go_with_the_line_their_list_begins_with_and_parents_whole(
    place: Place, folder: Path
) -> None:
    embedder = HashingEmbedder()
    store = place.new_store()
    with knowledge_of(store, embedder) as knowledge:
        assert ingest(knowledge, folder).count(Outcome.ADDED) == 1
        _, children = knowledge.status().documents, knowledge.status().chunks
        assert counts(store) == {stored_model(embedder): children}
    lead_in = "1. Leave is granted in the following cases:"
    assert any(
        text.startswith(lead_in) and text.endswith("- a child is ill") for text in embedder.passages
    )
    assert any("## Article 2 Pay" in text and "25th" in text for text in embedder.passages)


def test_a_text_is_embedded_once_wherever_it_stands(place: Place, folder: Path) -> None:
    (folder / "twin.md").write_text(RULES, encoding="utf-8")
    embedder = HashingEmbedder()
    with knowledge_of(place.new_store(), embedder) as knowledge:
        ingest(knowledge, folder)
        assert len(embedder.passages) == len(set(embedder.passages))
        before = len(embedder.passages)
        (folder / "rules.md").write_text(RULES + "\nOne line more.\n", encoding="utf-8")
        ingest(knowledge, folder)
    # The new child, and the parent that it stands in.
    assert len(embedder.passages) == before + 2


@pytest.mark.guarantee("G1")
def test_restricted_text_reaches_no_embedder(place: Place, folder: Path) -> None:
    (folder / "secret.md").write_text(f"---\nsensitivity: RESTRICTED\n---\n{SECRET}", "utf-8")
    embedder, late = HashingEmbedder(), HashingEmbedder("late")
    with knowledge_of(place.new_store(), embedder) as knowledge:
        ingest(knowledge, folder)
        assert knowledge.status().documents == 1
        seq = find_child(knowledge, "moves")
        knowledge.relabel(f"rules.md#c{seq}", "RESTRICTED")
        embedder.passages.clear()
        knowledge.reindex()
        knowledge.ingest(folder, root=folder)
        assert embedder.passages == []
        both = KnowledgeBase(knowledge._store, CONFIG, embedders=[embedder, late])
        both.reindex()
        assert late.passages
        assert not any("moves" in text or "Quartz" in text for text in late.passages)
        assert both.search("ill").snippets


def find_child(knowledge: KnowledgeBase, word: str) -> int:
    (snippet,) = [s for s in knowledge.search(word, k=50).snippets if word in s.text]
    return int(snippet.chunk_id.rpartition("#c")[2])


@pytest.mark.guarantee("G2")
def test_a_withheld_lead_in_makes_no_item_findable(place: Place, folder: Path) -> None:
    embedder = HashingEmbedder()
    store = place.new_store()
    with knowledge_of(store, embedder) as knowledge:
        ingest(knowledge, folder)
        seq = find_child(knowledge, "following")
        embedder.passages.clear()
        knowledge.relabel(f"rules.md#c{seq}", "CONFIDENTIAL")
        assert counts(store) == {stored_model(embedder): knowledge.status().chunks}
        assert sorted(text.strip() for text in embedder.passages) == [
            "- a child is ill",
            "- the household moves",
        ]
        embedder.passages.clear()
        knowledge.relabel(f"rules.md#c{seq}", "INTERNAL", allow_lower=True)
        assert all("following cases" in text for text in embedder.passages)
        assert len(embedder.passages) == 2


def test_a_label_whose_vectors_could_not_be_had_is_changed_all_the_same(
    place: Place, folder: Path
) -> None:
    embedder = HashingEmbedder()
    with knowledge_of(place.new_store(), embedder) as knowledge:
        ingest(knowledge, folder)
        seq = find_child(knowledge, "following")
        embedder.fault = ProviderError("the server is away")
        changed = knowledge.relabel(f"rules.md#c{seq}", "CONFIDENTIAL")
        assert changed.to_dict()["notes"] == ["not embedded, run reindex: the server is away"]
        embedder.fault = None
        assert knowledge.reindex().documents == 1
        assert "notes" not in knowledge.relabel("rules.md", "CONFIDENTIAL").to_dict()


@pytest.mark.guarantee("G10")
def test_a_document_without_vectors_is_refused_whole(place: Place, folder: Path) -> None:
    (folder / "pay.md").write_text("# Pay\n\nThe bonus is paid in June.\n", encoding="utf-8")
    embedder = HashingEmbedder()
    embedder.fails_on = "bonus"
    with knowledge_of(place.new_store(), embedder) as knowledge:
        report = ingest(knowledge, folder)
        outcomes = {file.doc_id: file.outcome for file in report.files}
        assert outcomes == {"pay.md": Outcome.REFUSED, "rules.md": Outcome.ADDED}
        assert "asked in vain" in report.files[0].message
        assert not report.all_unembedded
        assert knowledge.status().documents == 1
        embedder.fails_on = ""
        assert ingest(knowledge, folder).count(Outcome.ADDED) == 1


def test_an_ingest_that_got_no_vectors_says_so(place: Place, folder: Path) -> None:
    embedder = HashingEmbedder()
    embedder.fault = ProviderError("no key", is_final=True)
    with knowledge_of(place.new_store(), embedder) as knowledge:
        assert ingest(knowledge, folder).all_unembedded
        assert knowledge.status().documents == 0


def test_a_store_without_vectors_of_a_model_names_reindex(place: Place, folder: Path) -> None:
    embedder, other = HashingEmbedder(), HashingEmbedder("other")
    store = place.new_store()
    with knowledge_of(store) as knowledge:
        ingest(knowledge, folder)
        embedded = knowledge_of(store, embedder)
        for ask in (
            lambda: embedded.search("leave"),
            lambda: embedded.context("leave"),
            lambda: embedded.parent_contexts("leave"),
            lambda: ingest(embedded, folder),
        ):
            with pytest.raises(NotEmbeddedError, match="reindex"):
                ask()
        report = embedded.reindex()
        assert (report.documents, report.dropped) == (1, 0)
        assert embedded.search("leave").snippets
        assert embedded.reindex().embedded == 0
        switched = knowledge_of(store, other)
        with pytest.raises(NotEmbeddedError, match="other-1"):
            switched.search("leave")
        assert switched.reindex().dropped > 0
        assert counts(store) == {stored_model(other): knowledge.status().chunks}
        with pytest.raises(NotEmbeddedError, match="names no embedder"):
            ingest(knowledge, folder)
        assert knowledge.reindex().dropped > 0
        assert counts(store) == {}


def test_a_reindex_goes_on_where_it_stopped(place: Place, folder: Path) -> None:
    (folder / "pay.md").write_text("# Pay\n\nThe bonus is paid in June.\n", encoding="utf-8")
    embedder = HashingEmbedder()
    store = place.new_store()
    with knowledge_of(store) as knowledge:
        ingest(knowledge, folder)
        embedder.fails_on = "bonus"
        embedded = knowledge_of(store, embedder)
        report = embedded.reindex()
        assert (report.documents, report.failed, report.all_failed) == (1, 1, False)
        done = len(embedder.passages)
        embedder.fails_on = ""
        assert embedded.reindex().documents == 1
        assert all("bonus" in text or "Pay" in text for text in embedder.passages[done:])


def test_a_question_without_a_vector_is_answered_by_the_others_and_noted(
    place: Place, folder: Path
) -> None:
    embedder = HashingEmbedder()
    with knowledge_of(place.new_store(), embedder) as knowledge:
        ingest(knowledge, folder)
        assert "notes" not in knowledge.search("wage").to_dict()
        embedder.fault = ProviderError("the server is away")
        result = knowledge.search("wage")
        assert "wage" in result.snippets[0].text
        assert result.to_dict()["notes"] == [
            "found without the vectors of hashing: the server is away"
        ]
        assert knowledge.context("wage").notes == result.notes


def test_a_refused_or_empty_question_is_not_embedded(place: Place, folder: Path) -> None:
    embedder = HashingEmbedder()
    with knowledge_of(place.new_store(), embedder) as knowledge:
        ingest(knowledge, folder)
        with pytest.raises(ValueError, match="nothing"):
            knowledge.search("?!")
    assert embedder.questions == []


@pytest.mark.guarantee("G2")
def test_restricted_documents_change_no_answer(place: Place, tmp_path: Path) -> None:
    words = st.sampled_from(("wage", "leave", "bonus", "moves", "ill", "25th"))
    lines = st.lists(words, min_size=1, max_size=4).map(" ".join)
    documents = st.lists(st.lists(lines, min_size=1, max_size=4), min_size=1, max_size=3)

    @place.examples(settings().max_examples // 5, on_server=1)
    @given(shown=documents, hidden=documents, query=lines)
    def check(shown: list[list[str]], hidden: list[list[str]], query: str) -> None:
        answers: list[str] = []
        for kept in ([], hidden):
            folder = tmp_path / "kept"
            for old in folder.glob("*"):
                old.unlink()
            folder.mkdir(exist_ok=True)
            for no, (label, paragraphs) in enumerate(
                [("INTERNAL", one) for one in shown] + [("RESTRICTED", one) for one in kept]
            ):
                text = f"---\nsensitivity: {label}\n---\n# Title {no}\n\n" + "\n\n".join(paragraphs)
                (folder / f"{no}.md").write_text(text, encoding="utf-8")
            with knowledge_of(place.new_store(), HashingEmbedder()) as knowledge:
                ingest(knowledge, folder)
                answers.append(json.dumps(knowledge.search(query, k=20).to_dict()))
        assert answers[0] == answers[1]

    check()


@pytest.mark.guarantee("G2")
def test_a_stricter_document_takes_no_slot(place: Place, folder: Path) -> None:
    for no in range(60):
        text = f"---\nsensitivity: CONFIDENTIAL\n---\n# The wage\n\nThe wage is paid {no}.\n"
        (folder / f"strict{no}.md").write_text(text, encoding="utf-8")
    embedder = HashingEmbedder()
    with knowledge_of(place.new_store(), embedder) as knowledge:
        ingest(knowledge, folder)
        found = knowledge.search("the wage is paid", k=5, reader=Reader(Sensitivity.INTERNAL))
    assert "25th" in found.snippets[0].text
    assert {snippet.doc_id for snippet in found.snippets} == {"rules.md"}


_PROGRAM = """
import json, sys
from pathlib import Path
from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_store.sqlite_store import ChunkStore
from tests.embedders import HashingEmbedder
store = ChunkStore(":memory:")
store.init_schema()
config = ServiceConfig(chunker="hierarchical")
with KnowledgeBase(store, config, embedders=[HashingEmbedder()]) as knowledge:
    knowledge.ingest(sys.argv[1], root=sys.argv[1])
    print(json.dumps(knowledge.search("leave when ill").to_dict()))
"""


def test_two_processes_give_the_same_answer(folder: Path) -> None:
    answers = {
        subprocess.run(
            [sys.executable, "-c", _PROGRAM, str(folder)],
            capture_output=True,
            check=True,
            cwd=Path(__file__).parents[2],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1
