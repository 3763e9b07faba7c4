"""Judges of a service over real HTTP: what they are shown, and what becomes of their faults."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_graph.cli import app
from ragspine_graph.retrieval import Shape
from tests.conftest import AtRest
from tests.openai_server import (
    KEY,
    OpenAIServer,
    Received,
    Step,
    bare_scores,
    refusal,
    relevance,
    reply,
)

CANARY = "canaryquartz"
SHAPES: tuple[Shape, ...] = ("window", "merge")
JUDGES = ("llm", "documents", "texts")


def turned(request: Received) -> Step:
    """A judge of any kind that turns the order round."""
    if request.path.endswith("/chat/completions"):
        count = request.text.count("<<<PASSAGE")
        return reply(json.dumps({"ranking": [*range(count, 0, -1)]}))
    scores = [(index, float(index)) for index in range(len(request.passages))]
    return bare_scores(*scores) if "texts" in request.body else relevance(*scores)


def only_texts(request: Received) -> Step:
    return turned(request) if "texts" in request.body else refusal(422, CANARY)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    pay = "# Pay\n\n1. The salary is paid.\n2. The salary and the salary of the month.\n"
    (folder / "a.md").write_text(pay + "3. Bonus.\n4. Tea.\n5. Coffee.\n")
    (folder / "b.md").write_text(f"# Plan {CANARY}\n\nThe salary {CANARY}.\n\n## Salary\n\nTea.\n")
    (folder / "c.md").write_text(f"---\nsensitivity: RESTRICTED\n---\n# {CANARY}\n\nThe salary.\n")
    (folder / "d.md").write_text(f"# Parts\n\nThe salary.\n\n## {CANARY}\n\nSalary {CANARY}.\n")
    return folder


@pytest.fixture(params=JUDGES)
def server(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OpenAIServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with OpenAIServer(only_texts if request.param == "texts" else turned) as server:
        set_up(monkeypatch, server, "llm" if request.param == "llm" else "http")
        yield server


def set_up(monkeypatch: pytest.MonkeyPatch, server: OpenAIServer, reranker: str) -> None:
    monkeypatch.setenv("RAGSPINE_RERANKER", reranker)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("RAGSPINE_LLM_MODEL", "judge")
    monkeypatch.setenv("RAGSPINE_RERANK_URL", server.rerank_url)
    monkeypatch.setenv("RAGSPINE_RERANK_KEY", KEY)
    monkeypatch.setenv("RAGSPINE_RERANK_ATTEMPTS", "1")


def opened(store_url: str, at_rest: AtRest, folder: Path) -> KnowledgeBase:
    config = ServiceConfig.load(
        store=store_url, restricted_at_rest=at_rest, chunker="hierarchical", merge_threshold=0.1
    )
    knowledge = KnowledgeBase.open(config=config)
    knowledge.ingest(folder)
    knowledge.relabel("docs/b.md", "RESTRICTED")
    knowledge.relabel("docs/d.md#s2", "RESTRICTED")
    return knowledge


@pytest.mark.guarantee("G1")
def test_a_judge_is_shown_nothing_restricted(
    store_url: str, at_rest: AtRest, folder: Path, server: OpenAIServer
) -> None:
    with opened(store_url, at_rest, folder) as knowledge:
        hits = knowledge.search("salary")
        for shape in SHAPES:
            assert knowledge.context("salary", expand=shape).notes == ()
    assert hits.notes == ()
    assert [hit.chunk_id for hit in hits.snippets][:2] != ["docs/a.md#c1", "docs/a.md#c0"]
    assert {hit.doc_id for hit in hits.snippets} == {"docs/a.md", "docs/d.md"}
    sent = [json.dumps(received.body) for received in server.received]
    assert any("The salary is paid." in body for body in sent)
    assert [body for body in sent if CANARY in body] == []


def test_a_judge_decides_the_order_and_changes_no_score(
    store_url: str,
    at_rest: AtRest,
    folder: Path,
    server: OpenAIServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with opened(store_url, at_rest, folder) as knowledge:
        judged = knowledge.search("salary").snippets
        merged = knowledge.context("salary", expand="merge").blocks
    monkeypatch.setenv("RAGSPINE_RERANKER", "none")
    with KnowledgeBase.open(store_url) as plain:
        assert plain.search("salary").snippets == judged[::-1]
    assert merged[0].evidence[0] == judged[0].chunk_id or judged[0].chunk_id in merged[0].evidence


@pytest.mark.parametrize("reranker", ["llm", "http"])
def test_a_judge_that_fails_leaves_the_order_and_a_note(
    tmp_path: Path,
    folder: Path,
    reranker: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    url = f"sqlite:///{tmp_path / 'kb.db'}"
    with opened(url, "stub", folder) as knowledge:
        plain = knowledge.search("salary")
        blocks = knowledge.context("salary").blocks
    with OpenAIServer(refusal(500, "The salary is paid.")) as server:
        set_up(monkeypatch, server, reranker)
        with KnowledgeBase.open(url) as knowledge:
            judged = knowledge.search("salary")
            context = knowledge.context("salary")
        asked = CliRunner().invoke(app, ["search", "salary", "--store", url, "--json"])
        read = CliRunner().invoke(app, ["context", "salary", "--store", url])
        questions = tmp_path / "questions.jsonl"
        questions.write_text('{"question": "salary", "answers": ["The salary is paid."]}\n')
        measured = CliRunner().invoke(app, ["eval", str(questions), "--store", url])
    assert judged.snippets == plain.snippets
    assert [block.to_dict() for block in context.blocks] == [block.to_dict() for block in blocks]
    for note in (*judged.notes, *context.notes):
        assert note.startswith("not reranked: ")
        assert "HTTP 500" in note
        assert "salary" not in note
    assert list(judged.to_dict())[-1] == list(context.to_dict())[-1] == "notes"
    assert "notes" not in plain.to_dict()
    for result in (asked, read):
        assert result.exit_code == 0
        assert result.stderr.startswith("note: not reranked: ")
    assert measured.exit_code == 0
    assert "note: 1 question not reranked: " in measured.stderr
    assert json.loads(asked.stdout)["notes"] == list(judged.notes)
    assert "The salary is paid." not in caplog.text
    assert KEY not in caplog.text + read.stderr


GAPS = {
    "llm": "RAGSPINE_LLM_MODEL names none",
    "http": "RAGSPINE_RERANK_URL names no endpoint",
}


@pytest.mark.parametrize("reranker", [*GAPS])
def test_settings_that_say_too_little_are_told_with_every_answer(
    tmp_path: Path, folder: Path, reranker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_RERANKER", reranker)
    with opened(f"sqlite:///{tmp_path / 'kb.db'}", "stub", folder) as knowledge:
        (note,) = knowledge.search("salary").notes
    assert GAPS[reranker] in note
