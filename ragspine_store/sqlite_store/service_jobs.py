"""Jobs of the service in the embedded store."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from ragspine_store.service_jobs import JobState, ServiceJob

JOB_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS service_job (
        job_id       TEXT PRIMARY KEY,
        key_id       TEXT NOT NULL,
        state        TEXT NOT NULL,
        created_at   TEXT NOT NULL,
        updated_at   TEXT NOT NULL,
        message      TEXT NOT NULL,
        note         TEXT NOT NULL,
        is_cancelled INTEGER NOT NULL
    ) WITHOUT ROWID
    """,
)


class JobReading:
    """Reads of the jobs inside one open transaction."""

    _db: sqlite3.Connection

    def find_job(self, job_id: str) -> ServiceJob | None:
        """A job; None when there is none."""
        row = self._db.execute("SELECT * FROM service_job WHERE job_id = ?", (job_id,)).fetchone()
        return None if row is None else _job(row)

    def jobs(self, limit: int) -> list[ServiceJob]:
        """The newest jobs, newest first."""
        rows = self._db.execute(
            "SELECT * FROM service_job ORDER BY created_at DESC, job_id LIMIT ?", (limit,)
        )
        return [_job(row) for row in rows]


class JobWriting:
    """Changes of the jobs inside one open transaction."""

    _db: sqlite3.Connection

    def put_job(self, job: ServiceJob) -> None:
        """Keep a job in place of what was known of it; a wish to cancel it stays."""
        self._db.execute(
            "INSERT INTO service_job VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (job_id) DO UPDATE SET state = excluded.state,"
            " updated_at = excluded.updated_at, message = excluded.message, note = excluded.note",
            (
                job.job_id,
                job.key_id,
                job.state.value,
                job.created_at,
                job.updated_at,
                job.message,
                job.note,
                job.is_cancelled,
            ),
        )

    def cancel_job(self, job_id: str) -> bool:
        """Note that somebody wants a job to end; whether it was not over."""
        changed = self._db.execute(
            "UPDATE service_job SET is_cancelled = 1"
            " WHERE job_id = ? AND state IN ('queued', 'running')",
            (job_id,),
        )
        return changed.rowcount > 0

    def touch_jobs(self, job_ids: list[str], at: str) -> None:
        """Note that the process of these jobs is still at work."""
        self._db.execute(
            "UPDATE service_job SET updated_at = ?"
            " WHERE job_id IN (SELECT value FROM json_each(?)) AND state IN ('queued', 'running')",
            (at, json.dumps(job_ids)),
        )


def _job(row: tuple[Any, ...]) -> ServiceJob:
    job_id, key_id, state, created, updated, message, note, is_cancelled = row
    return ServiceJob(
        job_id,
        key_id,
        JobState(state),
        created,
        updated,
        message,
        note,
        bool(is_cancelled),
    )
