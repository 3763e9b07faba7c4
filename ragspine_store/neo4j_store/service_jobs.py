"""Jobs of the service in the store on a server."""

from __future__ import annotations

from neo4j import Record

from ragspine_store.neo4j_store.transaction import Opened
from ragspine_store.service_jobs import JobState, ServiceJob


class JobReading:
    """Reads of the jobs inside one open transaction."""

    _opened: Opened

    def find_job(self, job_id: str) -> ServiceJob | None:
        """A job; None when there is none."""
        row = self._opened.queries.row("find_job", job_id=job_id)
        return None if row is None else _job(row)

    def jobs(self, limit: int) -> list[ServiceJob]:
        """The newest jobs, newest first."""
        return [_job(row) for row in self._opened.queries.rows("read_jobs", limit=limit)]


class JobWriting:
    """Changes of the jobs inside one open transaction."""

    _opened: Opened

    def put_job(self, job: ServiceJob) -> None:
        """Keep a job in place of what was known of it; a wish to cancel it stays."""
        self._opened.queries.run(
            "put_job",
            job_id=job.job_id,
            first={
                "job_id": job.job_id,
                "key_id": job.key_id,
                "created_at": job.created_at,
                "is_cancelled": job.is_cancelled,
            },
            properties={
                "state": job.state.value,
                "updated_at": job.updated_at,
                "message": job.message,
                "note": job.note,
            },
        )

    def cancel_job(self, job_id: str) -> bool:
        """Note that somebody wants a job to end; whether it was not over."""
        return self._opened.queries.row("cancel_job", job_id=job_id) is not None

    def touch_jobs(self, job_ids: list[str], at: str) -> None:
        """Note that the process of these jobs is still at work."""
        self._opened.queries.run("touch_jobs", job_ids=job_ids, at=at)


def _job(row: Record) -> ServiceJob:
    kept = row["kept"]
    return ServiceJob(
        kept["job_id"],
        kept["key_id"],
        JobState(kept["state"]),
        kept["created_at"],
        kept["updated_at"],
        kept["message"],
        kept["note"],
        kept["is_cancelled"],
    )
