"""Uploads: taken over at once, written by a job, and quiet about what is withheld."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from ragspine_graph import KnowledgeBase
from ragspine_graph.api.limits import MAX_UPLOAD_BYTES
from ragspine_graph.uploads import Upload, Uploads
from ragspine_store.access import Role
from ragspine_store.sensitivity import Reader
from ragspine_store.service_jobs import JobState, ServiceJob
from tests.api_calls import bearer

PAY = b"# Pay\n\n1. The salary is paid monthly.\n"


def put(
    client: TestClient, headers: dict[str, str], content: bytes = PAY, **asked: str
) -> dict[str, str]:
    """Upload a document and return the job that writes it."""
    given = {"collection": "hr", "name": "pay.md", **asked}
    answer = client.put("/v1/documents", params=given, content=content, headers=headers)
    assert answer.status_code == 202, answer.text
    return answer.json()


def end_of(client: TestClient, headers: dict[str, str], job: dict[str, str]) -> dict[str, str]:
    """The job when it is over."""
    client.get(f"/v1/jobs/{job['job_id']}/events", headers=headers)
    return client.get(f"/v1/jobs/{job['job_id']}", headers=headers).json()


def test_an_upload_is_found_once_its_job_is_done(
    client: TestClient, knowledge: KnowledgeBase
) -> None:
    headers = bearer(knowledge, Role.EDITOR, collections=["hr"])
    job = put(client, headers, title="Salaries", topic="pay")
    assert job["doc_id"] == "hr/pay.md"
    assert end_of(client, headers, job)["state"] == "done"
    found = client.post("/v1/search", json={"query": "salary"}, headers=headers).json()
    (snippet,) = found["snippets"]
    assert (snippet["doc_id"], snippet["title"], snippet["topic"]) == (
        "hr/pay.md",
        "Salaries",
        "pay",
    )


def test_the_same_bytes_again_change_nothing(client: TestClient, knowledge: KnowledgeBase) -> None:
    headers = bearer(knowledge, Role.EDITOR)
    for _ in range(2):
        end_of(client, headers, put(client, headers))
    (document,) = client.get("/v1/documents", headers=headers).json()["documents"]
    assert document["version"] == 1


def test_equal_bytes_under_another_name_are_another_document(
    client: TestClient, knowledge: KnowledgeBase
) -> None:
    headers = bearer(knowledge, Role.EDITOR)
    for name in ("a.md", "b.md"):
        end_of(client, headers, put(client, headers, name=name))
    listed = client.get("/v1/documents", headers=headers).json()["documents"]
    assert [document["doc_id"] for document in listed] == ["hr/a.md", "hr/b.md"]


def test_a_key_of_another_collection_is_answered_as_if_there_were_none(
    client: TestClient, knowledge: KnowledgeBase
) -> None:
    owner = bearer(knowledge, Role.EDITOR, collections=["hr"])
    job = put(client, owner)
    end_of(client, owner, job)
    other = bearer(knowledge, Role.EDITOR, collections=["law"])
    for url in (f"/v1/jobs/{job['job_id']}", "/v1/nodes?id=hr/pay.md"):
        known = client.get(url, headers=other)
        unknown = client.get(
            url.replace(job["job_id"], "0" * 32).replace("pay", "bay"), headers=other
        )
        assert known.status_code == unknown.status_code == 404
        assert strip(known.json()["detail"]) == strip(unknown.json()["detail"])
    refused = client.put(
        "/v1/documents", params={"collection": "hr", "name": "x.md"}, content=PAY, headers=other
    )
    assert refused.status_code == 404


def strip(detail: str) -> str:
    """A detail without the id that was asked for."""
    before, _, rest = detail.partition("'")
    return before + rest.partition("'")[2]


@pytest.mark.parametrize("label", ["RESTRICTED", "CONFIDENTIAL"])
def test_what_a_writer_may_not_see_is_not_overwritten_and_answers_like_a_fresh_id(
    client: TestClient, knowledge: KnowledgeBase, label: str
) -> None:
    headers = bearer(knowledge, Role.EDITOR, collections=["hr"], clearance="INTERNAL")
    operator = bearer(knowledge, Role.ADMIN)
    end_of(client, operator, put(client, operator, sensitivity=label))
    over = end_of(client, headers, put(client, headers, content=b"# New\n\ncanary\n"))
    fresh = end_of(client, headers, put(client, headers, name="fresh.md"))
    assert {**over, **changing(fresh)} == fresh
    assert client.get("/v1/nodes?id=hr/pay.md", headers=headers).status_code == 404
    notes = [job["note"] for job in client.get("/v1/jobs", headers=operator).json()["jobs"]]
    assert "not written: its id is that of a document that the key may not see" in notes
    assert knowledge.search("canary").snippets == ()


@pytest.mark.parametrize("label", ["RESTRICTED", "CONFIDENTIAL", "visible"])
@pytest.mark.parametrize(
    "content",
    [b" \n", b"\0" * 99, b"---\nsensitivity: zz\n---\nx", b"---\ntitle: [\n---\nx"],
    ids=["blank", "binary", "an unknown label", "broken front matter"],
)
def test_what_cannot_be_read_fails_alike_whatever_stands_under_its_id(
    client: TestClient, knowledge: KnowledgeBase, label: str, content: bytes
) -> None:
    headers = bearer(knowledge, Role.EDITOR, collections=["hr"], clearance="INTERNAL")
    operator = bearer(knowledge, Role.ADMIN)
    label = "PUBLIC" if label == "visible" else label
    end_of(client, operator, put(client, operator, sensitivity=label))
    over = end_of(client, headers, put(client, headers, content=content))
    fresh = end_of(client, headers, put(client, headers, content=content, name="fresh.md"))
    assert fresh["state"] == "failed"
    assert {**over, **changing(fresh)} == fresh


def changing(job: dict[str, str]) -> dict[str, str]:
    """What differs from job to job."""
    return {key: job[key] for key in ("job_id", "created_at", "updated_at")}


@pytest.mark.parametrize(
    ("asked", "content", "status"),
    [
        ({"name": "../x.md"}, PAY, 422),
        ({"name": "a#b.md"}, PAY, 422),
        ({"name": "x\0.md"}, PAY, 422),
        ({}, b"", 400),
        ({"name": "x" * 900}, PAY, 422),
        ({"collection": ""}, PAY, 422),
    ],
    ids=["a path upwards", "a hash", "NUL", "no bytes", "too long", "no collection"],
)
def test_an_upload_that_cannot_be_one_is_refused(
    client: TestClient,
    knowledge: KnowledgeBase,
    asked: dict[str, str],
    content: bytes,
    status: int,
) -> None:
    headers = bearer(knowledge, Role.EDITOR)
    given = {"collection": "hr", "name": "pay.md", **asked}
    answer = client.put("/v1/documents", params=given, content=content, headers=headers)
    assert answer.status_code == status
    assert client.get("/v1/jobs", headers=bearer(knowledge, Role.ADMIN)).json() == {"jobs": []}


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("x.md", b"\xff\xfe\x00\x00\xff", "x.md"),
        ("x.exe", b"MZ", "x.exe"),
    ],
    ids=["not a text", "no loader"],
)
def test_a_document_that_cannot_be_read_fails_its_job_with_the_reason(
    client: TestClient, knowledge: KnowledgeBase, name: str, content: bytes, says: str
) -> None:
    headers = bearer(knowledge, Role.EDITOR)
    over = end_of(client, headers, put(client, headers, content=content, name=name))
    assert over["state"] == "failed"
    assert over["message"]


def test_a_body_that_is_too_large_is_refused(client: TestClient, knowledge: KnowledgeBase) -> None:
    headers = bearer(knowledge, Role.EDITOR)

    def pieces() -> Generator[bytes]:
        for _ in range(MAX_UPLOAD_BYTES // 2**20 + 1):
            yield b"x" * 2**20

    answer = client.put(
        "/v1/documents",
        params={"collection": "hr", "name": "x.md"},
        content=pieces(),
        headers=headers,
    )
    assert answer.status_code == 413


def test_a_question_that_is_too_large_is_refused_whether_it_says_its_length_or_not(
    client: TestClient, knowledge: KnowledgeBase
) -> None:
    headers = bearer(knowledge)
    body = b'{"query": "' + b"x" * 2**20 + b'"}'
    for path in ("/v1/search", "/mcp/"):
        for content in (body, iter([body[: 2**19], body[2**19 :]])):
            answer = client.post(path, content=content, headers=headers)
            assert answer.status_code == 413
            assert answer.json()["status"] == 413


def test_a_job_that_waits_can_be_cancelled(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "kb.db") as knowledge:
        uploads = Uploads(knowledge)
        gate = threading.Event()
        uploads._pool.submit(gate.wait, 10)
        job = uploads.submit(Upload("hr", "pay.md"), io.BytesIO(PAY), "k", Reader())
        uploads.cancel(job.job_id)
        gate.set()
        uploads.close()
        assert uploads.get(job.job_id).state is JobState.CANCELLED
        assert knowledge.documents() == []


def test_a_job_whose_process_is_gone_has_failed_and_asks_for_the_upload_again(
    tmp_path: Path,
) -> None:
    with KnowledgeBase.open(tmp_path / "kb.db") as knowledge:
        now = datetime.now(UTC)
        started = (now - timedelta(minutes=5)).isoformat()
        lost = ServiceJob("a" * 32, "k", JobState.RUNNING, started, started)
        with knowledge.store.writing() as transaction:
            transaction.put_job(lost)
        uploads = Uploads(knowledge)
        found = uploads.get(lost.job_id)
        assert found.state is JobState.FAILED
        assert "upload the document again" in found.message
        uploads.close()


def test_a_service_that_ends_writes_what_is_under_way_and_fails_what_waits(
    tmp_path: Path,
) -> None:
    with KnowledgeBase.open(tmp_path / "kb.db") as knowledge:
        uploads = Uploads(knowledge)
        gate = threading.Event()
        uploads._pool.submit(gate.wait, 10)
        waiting = uploads.submit(Upload("hr", "pay.md"), io.BytesIO(PAY), "k", Reader())
        closing = threading.Thread(target=uploads.close)
        closing.start()
        time.sleep(0.1)
        gate.set()
        closing.join()
        assert uploads.get(waiting.job_id).state is JobState.FAILED
