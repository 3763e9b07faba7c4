"""Uploads: documents that come as bytes, written by jobs whose state any process can tell.

A document's id is `{collection}/{name}`, so that a key reaches none but those of its collections.
What stands under an id and may not be seen by whoever uploads is not overwritten; the job is done
all the same, as it is when the rules of the house label an upload above its writer's clearance.
Only an operator is told (ADR 0030).
"""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import BinaryIO

from ragspine_graph.egress import Json
from ragspine_graph.errors import GraphError
from ragspine_graph.knowledge_base import KnowledgeBase
from ragspine_store.document_id import check_document_id
from ragspine_store.errors import DocumentIdError, NotFoundError, StoreError, WithheldError
from ragspine_store.ingest_report import IngestedFile
from ragspine_store.retrying import retried
from ragspine_store.sensitivity import Reader
from ragspine_store.service_jobs import HEARTBEAT_S, JobState, ServiceJob

_LOST = (
    "the process that took the upload is gone, and its bytes with it; expected it to live: upload "
    "the document again"
)

_OTHER_SOURCE = (
    "the id belongs to a document that an operator ingested from a file; expected another name, or "
    "the operator to ingest the file again"
)
_WITHHELD = "not written: its id is that of a document that the key may not see"


@dataclass(frozen=True, slots=True)
class Upload:
    """A document to write.

    Attributes:
        collection: that it belongs to.
        name: its path inside the collection; its ending names the format.
        metadata: title, topic and so on, keys as in front matter.
        sensitivity: a label stated for it; None states none.
    """

    collection: str
    name: str = field(repr=False)
    metadata: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    sensitivity: str | None = None

    @property
    def doc_id(self) -> str:
        """Its id.

        Raises:
            DocumentIdError: the name or the collection cannot be part of one.
        """
        return check_document_id(f"{self.collection}/{self.name}")


def job_to_dict(job: ServiceJob, *, operator: bool = False) -> Json:
    """A job as a JSON object; what became of it in detail is for operators."""
    shown: Json = {
        "job_id": job.job_id,
        "state": job.state.value,
        "message": job.message or None,
        "created_at": job.created_at,
        "updated_at": job.updated_at,
    }
    if operator:
        shown |= {"key_id": job.key_id, "note": job.note or None}
    return shown


class Uploads:
    """Writes uploads, one after the other, in threads of this process.

    Args:
        knowledge: where to.
        clock: the time, with its zone.
        workers: uploads written at once.
    """

    def __init__(
        self,
        knowledge: KnowledgeBase,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        workers: int = 1,
    ) -> None:
        self._knowledge = knowledge
        self._clock = clock
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="upload")
        self._mine: dict[str, BinaryIO] = {}
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._pulse = threading.Thread(target=self._beat, name="upload-pulse", daemon=True)
        self._pulse.start()

    def submit(self, upload: Upload, data: BinaryIO, key_id: str, writer: Reader) -> ServiceJob:
        """Take an upload over, its bytes included, and write it later.

        Args:
            upload: what it is.
            data: an open file of its bytes; closed when they are written, or given up.
            key_id: of the key that asks for it.
            writer: for whom it is written.

        Raises:
            DocumentIdError: it cannot have such an id.
        """
        check_document_id(upload.doc_id)
        now = self._now()
        job = ServiceJob(secrets.token_hex(16), key_id, JobState.QUEUED, now, now)
        self._put(job)
        with self._lock:
            self._mine[job.job_id] = data
        self._pool.submit(self._run, job, upload, data, writer)
        return job

    def get(self, job_id: str) -> ServiceJob:
        """A job, as it is now.

        Raises:
            NotFoundError: there is none.
        """
        with self._knowledge.store.reading() as transaction:
            job = transaction.find_job(job_id)
        if job is None:
            raise NotFoundError(f"no job {job_id!r}: expected an id as an upload gives it")
        return self._as_it_is(job)

    def newest(self, limit: int) -> list[ServiceJob]:
        """The newest jobs, newest first; for operators."""
        with self._knowledge.store.reading() as transaction:
            jobs = transaction.jobs(limit)
        return list(map(self._as_it_is, jobs))

    @retried
    def cancel(self, job_id: str) -> ServiceJob:
        """Ask for a job to end before it writes anything; one that is over stays as it is.

        Raises:
            NotFoundError: there is none.
        """
        with self._knowledge.store.writing() as transaction:
            transaction.cancel_job(job_id)
        return self.get(job_id)

    def close(self) -> None:
        """End: what is being written is written, what waits has failed."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._ended.set()
        self._pulse.join()
        with self._lock:
            left = dict(sorted(self._mine.items()))
        for data in left.values():
            data.close()
        for job in map(self.get, left):
            self._put(
                replace(job, state=JobState.CANCELLED)
                if job.is_cancelled
                else replace(job, state=JobState.FAILED, message=_LOST)
            )

    def _run(self, job: ServiceJob, upload: Upload, data: BinaryIO, writer: Reader) -> None:
        with data, self._mine_until_over(job):
            if self.get(job.job_id).is_cancelled:
                self._put(replace(job, state=JobState.CANCELLED, updated_at=self._now()))
                return
            self._put(replace(job, state=JobState.RUNNING, updated_at=self._now()))
            message = note = ""
            try:
                written = self._knowledge.write_upload(
                    data.read(),
                    upload.doc_id,
                    collection=upload.collection,
                    metadata=upload.metadata,
                    sensitivity=upload.sensitivity,
                    writer=writer,
                )
                note = _note(written)
            except WithheldError:
                note = _WITHHELD
            except DocumentIdError:
                message = _OTHER_SOURCE
            except (StoreError, GraphError) as error:
                message = _without_name(str(error), upload.doc_id)
            except Exception as error:  # whatever it is, the job is over
                message = f"unexpected {type(error).__name__}; expected none: try again"
            state = JobState.FAILED if message else JobState.DONE
            self._put(replace(job, state=state, updated_at=self._now(), message=message, note=note))

    @contextlib.contextmanager
    def _mine_until_over(self, job: ServiceJob) -> Generator[None]:
        try:
            yield
        finally:
            with self._lock:
                self._mine.pop(job.job_id, None)

    def _beat(self) -> None:
        while not self._ended.wait(HEARTBEAT_S):
            with self._lock:
                mine = sorted(self._mine)
            if mine:
                with contextlib.suppress(StoreError), self._knowledge.store.writing() as writing:
                    writing.touch_jobs(mine, self._now())

    def _as_it_is(self, job: ServiceJob) -> ServiceJob:
        """A job, failed when its process is gone."""
        is_lost = job.is_lost(self._clock())
        return replace(job, state=JobState.FAILED, message=_LOST) if is_lost else job

    @retried
    def _put(self, job: ServiceJob) -> None:
        with self._knowledge.store.writing() as transaction:
            transaction.put_job(job)

    def _now(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="seconds")


def _without_name(message: str, doc_id: str) -> str:
    """A message that may be kept: it outlives what it is about."""
    named = message.replace(repr(doc_id), "the document").replace(doc_id, "the document")
    return named.replace("pass --allow-lower", "ask an admin")


def _note(written: IngestedFile) -> str:
    label = written.label.name if written.label is not None else "no label"
    return f"{written.outcome.value}, {label}, {written.chunks} children"
