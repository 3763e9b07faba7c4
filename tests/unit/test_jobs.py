from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragspine_graph import KnowledgeBase, NarrativeJob, ServiceConfig, run_job
from ragspine_graph.errors import RequestError
from ragspine_store.errors import ChunkingError, LabelError
from ragspine_store.ingest_report import Outcome


@pytest.fixture
def config(tmp_path: Path) -> ServiceConfig:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Pay\n\n1. The salary.\n2. The allowance.\n")
    return ServiceConfig.load(store=f"sqlite:///{tmp_path / 'kb.db'}")


def test_a_job_that_went_through_a_queue_is_run(tmp_path: Path, config: ServiceConfig) -> None:
    job = NarrativeJob(path=tmp_path / "docs", chunker="small-to-big", collection="hr")
    payload = json.loads(json.dumps(job.model_dump(mode="json")))
    assert NarrativeJob.model_validate(payload) == job
    report = run_job(payload, config)
    assert [file.outcome for file in report.files] == [Outcome.ADDED]
    assert report.chunker.startswith("parent_child(")
    with KnowledgeBase.open(config=config) as knowledge:
        (snippet,) = knowledge.search("salary", filters={"collection": "hr"}).snippets
    assert snippet.prompt_text.startswith("# Pay")


def test_a_job_without_a_chunker_takes_the_workers(tmp_path: Path, config: ServiceConfig) -> None:
    job = NarrativeJob(path=tmp_path / "docs")
    assert run_job(job, config).chunker == "none"
    cut = ServiceConfig.load(store=config.store, chunker="sentence_window")
    assert run_job(job, cut).chunker.startswith("sentence_window(")
    none = NarrativeJob(path=tmp_path / "docs", chunker="none")
    assert run_job(none, cut).chunker == "none"


def test_a_job_keeps_the_workers_other_settings(tmp_path: Path, config: ServiceConfig) -> None:
    settings = ServiceConfig.load(
        store=config.store, restricted_at_rest="text", stub_key="a key", max_parents=2
    )
    job = NarrativeJob(path=tmp_path / "docs", chunker="parent_child", sensitivity="RESTRICTED")
    run_job(job, settings)
    with KnowledgeBase.open(config=settings) as knowledge:
        status = knowledge.status(operator=True)
    assert status.census is not None
    assert (status.census.restricted_documents, status.census.stubs) == (1, 0)


def test_a_job_takes_its_root_and_its_settings_from_the_environment(
    tmp_path: Path, config: ServiceConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSPINE_STORE", config.store)
    report = run_job({"path": str(tmp_path / "docs" / "a.md"), "root": str(tmp_path / "docs")})
    assert [file.doc_id for file in report.files] == ["a.md"]


def test_a_missing_path_is_a_line_of_the_report(tmp_path: Path, config: ServiceConfig) -> None:
    report = run_job(NarrativeJob(path=tmp_path / "none"), config)
    assert [file.outcome for file in report.files] == [Outcome.REFUSED]


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        ({}, "key 'path': missing"),
        ({"path": 1}, "key 'path': expected a path"),
        ({"path": "x", "text": "y"}, "key 'text': unknown key"),
        ({"path": "x", "chunker": 1}, "key 'chunker': expected a string"),
    ],
    ids=["empty", "number", "text", "chunker"],
)
def test_a_malformed_payload_is_an_error(
    config: ServiceConfig, payload: dict[str, object], problem: str
) -> None:
    with pytest.raises(RequestError, match=problem):
        run_job(payload, config)


def test_a_wrong_setting_in_a_job_is_an_error(tmp_path: Path, config: ServiceConfig) -> None:
    with pytest.raises(ChunkingError, match="unknown chunker"):
        run_job({"path": str(tmp_path), "chunker": "nonsense"}, config)
    with pytest.raises(LabelError):
        run_job({"path": str(tmp_path), "sensitivity": "nonsense"}, config)


def test_a_job_cannot_be_changed(tmp_path: Path) -> None:
    job: Any = NarrativeJob(path=tmp_path)
    with pytest.raises(ValueError, match="frozen"):
        job.path = tmp_path
