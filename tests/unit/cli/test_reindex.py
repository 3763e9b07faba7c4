"""`reindex` and `ingest` on the command line, with a server of embeddings on loopback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ragspine_graph.cli import app
from tests.openai_server import OpenAIServer, Received, Step, embeddings, refusal

RUNNER = CliRunner()


def answer(received: Received) -> Step:
    texts: list[str] = received.body["input"]
    return embeddings(*([1.0, float(len(text))] for text in texts))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("RAGSPINE_STORE", f"sqlite:///{tmp_path / 'kb.db'}")
    monkeypatch.setenv("RAGSPINE_LLM_RETRY_WAIT_S", "0.001")
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "pay.md").write_text("# Pay\n\nThe wage is paid on the 25th.\n", encoding="utf-8")
    return folder


def embed_with(monkeypatch: pytest.MonkeyPatch, server: OpenAIServer) -> None:
    monkeypatch.setenv("RAGSPINE_EMBEDDERS", "openai")
    monkeypatch.setenv("RAGSPINE_EMBEDDING_MODEL", "some-model")
    monkeypatch.setenv("RAGSPINE_EMBEDDING_BASE_URL", server.base_url)


def test_a_store_is_embedded_and_searched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert RUNNER.invoke(app, ["ingest", str(folder)]).exit_code == 0
    with OpenAIServer(answer) as server:
        embed_with(monkeypatch, server)
        refused = RUNNER.invoke(app, ["search", "wage"])
        assert (refused.exit_code, "run reindex" in refused.stderr) == (1, True)
        done = RUNNER.invoke(app, ["reindex", "--json"])
        assert json.loads(done.stdout) == {
            "models": ["openai:some-model/1"],
            "documents": 1,
            "outdated": 0,
            "failed": 0,
            "failures": {},
            "embedded": 1,
            "dropped": 0,
            "calls": 1,
            "tokens": 7,
        }
        found = json.loads(
            RUNNER.invoke(app, ["search", "wage for work that nobody wrote about", "--json"]).stdout
        )
        assert found["snippets"][0]["scores"]["vector"] is not None
        assert "documents embedded  0" in RUNNER.invoke(app, ["reindex"]).stdout


@pytest.mark.parametrize("command", ["ingest", "reindex"])
def test_an_embedder_that_fails_throughout_exits_3(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if command == "reindex":
        RUNNER.invoke(app, ["ingest", str(folder)])
    with OpenAIServer(refusal(401)) as server:
        embed_with(monkeypatch, server)
        arguments = [command, str(folder)] if command == "ingest" else [command]
        done = RUNNER.invoke(app, arguments)
    assert done.exit_code == 3
    assert "check the key of the embedding server" in done.stderr
