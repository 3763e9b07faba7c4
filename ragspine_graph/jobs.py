"""The worker's entry point: ingest described as data, so that a queue can carry it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ragspine_graph.config import ServiceConfig
from ragspine_graph.errors import RequestError
from ragspine_graph.knowledge_base import KnowledgeBase
from ragspine_graph.validation import first_fault
from ragspine_store.chunking import make_chunker
from ragspine_store.ingest_report import IngestReport


class NarrativeJob(BaseModel):
    """One ingest to run later, elsewhere. It names a path and never carries text.

    Attributes:
        path: file or folder to ingest.
        chunker: the chunker selection; None takes the worker's setting.
        root: folder that ids are relative to; None takes the default.
        sensitivity: label stated for all files.
        collection: collection of all files.
        sync: also delete the documents whose files are not in the folder any more.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    path: Path
    chunker: str | None = None
    root: Path | None = None
    sensitivity: str | None = None
    collection: str | None = None
    sync: bool = False


def run_job(
    payload: NarrativeJob | Mapping[str, object], config: ServiceConfig | None = None
) -> IngestReport:
    """Run a job in this process.

    Args:
        payload: the job, or its JSON object as a queue delivers it.
        config: the worker's settings; None loads them from file and environment.

    Raises:
        RequestError: the payload is malformed.
        ConfigError: a setting is wrong.
        ChunkingError: the chunker is unknown.
        StoreLockedError: another process kept the store's write lock: put the job back.
        SyncError: what the folder holds cannot be known; put the job back.
    """
    job = payload if isinstance(payload, NarrativeJob) else _parse(payload)
    config = config or ServiceConfig.load()
    if job.chunker is not None:
        make_chunker(job.chunker)
        config = config.model_copy(update={"chunker": job.chunker})
    with KnowledgeBase.open(config=config) as knowledge:
        return knowledge.ingest(
            job.path,
            root=job.root,
            sensitivity=job.sensitivity,
            collection=job.collection,
            sync=job.sync,
        )


def _parse(payload: Mapping[str, object]) -> NarrativeJob:
    try:
        return NarrativeJob.model_validate(payload)
    except ValidationError as error:
        # Whoever put text into a job by mistake finds none of it in a worker's log.
        key, problem = first_fault(error, NarrativeJob, shows_values=False)
        raise RequestError(f"job payload, key {key!r}: {problem}") from None
