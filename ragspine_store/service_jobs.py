"""Jobs of the service: work that goes on after its request was answered.

A job is a row of the store, so that any process can tell how far it is. Its bytes are with the
process that took them; when that process is gone, so are they, and the job has failed.

A row names no document: one that is raised to RESTRICTED later must leave no name behind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

# A process says this often that it is still at work; one that was silent for longer is gone.
HEARTBEAT_S = 5.0
_SILENCE = timedelta(seconds=6 * HEARTBEAT_S)


class JobState(StrEnum):
    """How far a job is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens to it."""
        return self not in (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True, slots=True)
class ServiceJob:
    """An upload under way, or over.

    Attributes:
        job_id: names it; not to be guessed.
        key_id: of the key that asked for it.
        state: how far it is.
        message: why it failed; '' otherwise. It holds no text and no name of the document.
        note: for operators alone: what became of it.
        is_cancelled: somebody asked for it to end.
        created_at, updated_at: ISO 8601, UTC.
    """

    job_id: str
    key_id: str
    state: JobState
    created_at: str
    updated_at: str
    message: str = ""
    note: str = field(default="", repr=False)
    is_cancelled: bool = False

    def is_lost(self, now: datetime) -> bool:
        """Whether its process has been silent for so long that it must be gone."""
        return not self.state.is_over and now - datetime.fromisoformat(self.updated_at) > _SILENCE


class JobReader(Protocol):
    """Reads of the jobs."""

    def find_job(self, job_id: str) -> ServiceJob | None:
        """A job; None when there is none."""
        ...

    def jobs(self, limit: int) -> list[ServiceJob]:
        """The newest jobs, newest first."""
        ...


class JobWriter(Protocol):
    """Changes of the jobs."""

    def put_job(self, job: ServiceJob) -> None:
        """Keep a job in place of what was known of it; a wish to cancel it stays."""
        ...

    def cancel_job(self, job_id: str) -> bool:
        """Note that somebody wants a job to end; whether it was not over."""
        ...

    def touch_jobs(self, job_ids: list[str], at: str) -> None:
        """Note that the process of these jobs is still at work."""
        ...
