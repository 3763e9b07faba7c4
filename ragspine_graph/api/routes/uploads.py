"""Uploads, and the jobs that write them."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Annotated, BinaryIO

from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse
from starlette.requests import ClientDisconnect

from ragspine_graph.api.callers import Caller, OperatingCaller, WritingCaller
from ragspine_graph.api.limits import MAX_UPLOAD_BYTES, SILENCE_S, UPLOAD_PATH
from ragspine_graph.api.problems import ProblemError, problem_responses
from ragspine_graph.api.schemas import JobResponse, JobsResponse, Label, UploadResponse
from ragspine_graph.egress import Json
from ragspine_graph.uploads import Upload, Uploads, job_to_dict
from ragspine_store.access import Role
from ragspine_store.errors import NotFoundError
from ragspine_store.service_jobs import ServiceJob

# What `check_document_id` allows, as far as a pattern can say it.
COLLECTION = r"^[^\x00-\x1f\x7f-\x9f#/\\\u2028\u2029\s.][^\x00-\x1f\x7f-\x9f#/\\\u2028\u2029]*$"
PATH_IN_COLLECTION = (
    r"^(?:[^\x00-\x1f\x7f-\x9f#/\\\u2028\u2029.][^\x00-\x1f\x7f-\x9f#/\\\u2028\u2029]*/)*"
    r"[^\x00-\x1f\x7f-\x9f#/\\\u2028\u2029.][^\x00-\x1f\x7f-\x9f#/\\\u2028\u2029]*$"
)
_POLL_S = 0.5

router = APIRouter(tags=["documents"])


def get_uploads(request: Request) -> Uploads:
    """What writes the uploads of the application."""
    uploads = request.app.state.uploads
    assert isinstance(uploads, Uploads)
    return uploads


UploadsOfApp = Annotated[Uploads, Depends(get_uploads)]
Text = Annotated[str | None, Query(max_length=1_000)]


@router.put(
    UPLOAD_PATH,
    status_code=HTTPStatus.ACCEPTED,
    response_model=UploadResponse,
    responses=problem_responses(HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_TIMEOUT),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/octet-stream": {
                    "schema": {"type": "string", "format": "binary", "minLength": 1}
                }
            },
        }
    },
)
async def upload(
    request: Request,
    uploads: UploadsOfApp,
    caller: WritingCaller,
    collection: Annotated[
        str,
        Query(min_length=1, max_length=200, pattern=COLLECTION, examples=["hr"]),
    ],
    name: Annotated[
        str,
        Query(
            min_length=1,
            max_length=800,
            pattern=PATH_IN_COLLECTION,
            description="Its path inside the collection; the ending names the format.",
            examples=["rules/pay.md"],
        ),
    ],
    title: Text = None,
    topic: Text = None,
    entity: Text = None,
    geography: Text = None,
    period: Text = None,
    language: Text = None,
    sensitivity: Label | None = None,
) -> Json:
    """Take a document over, and answer with the job that writes it.

    Its id becomes `{collection}/{name}`. The same bytes under the same id change nothing.
    """
    if not caller.may_write(collection):
        raise NotFoundError(
            f"no collection {collection!r} that this key may write: expected one of its own"
        )
    given = {
        "title": title,
        "topic": topic,
        "entity": entity,
        "geography": geography,
        "period": period,
        "language": language,
    }
    metadata = {key: value for key, value in given.items() if value}
    taken = Upload(collection, name, metadata, sensitivity)
    file = await _receive(request)
    try:
        job = await to_thread.run_sync(uploads.submit, taken, file, caller.key_id, caller.reader)
    except BaseException:
        file.close()
        raise
    return {"doc_id": taken.doc_id, **job_to_dict(job)}


@router.get(
    "/jobs/{job_id}",
    response_model=JobResponse,
    responses=problem_responses(HTTPStatus.NOT_FOUND),
)
def show_job(job_id: str, uploads: UploadsOfApp, caller: WritingCaller) -> Json:
    """How far a job of this key is."""
    return job_to_dict(_get_own(uploads, job_id, caller))


@router.delete(
    "/jobs/{job_id}",
    response_model=JobResponse,
    responses=problem_responses(HTTPStatus.NOT_FOUND),
)
def cancel_job(job_id: str, uploads: UploadsOfApp, caller: WritingCaller) -> Json:
    """Ask for a job of this key to end; one that is being written already is written."""
    _get_own(uploads, job_id, caller)
    return job_to_dict(uploads.cancel(job_id))


@router.get(
    "/jobs/{job_id}/events",
    response_class=StreamingResponse,
    responses={
        **problem_responses(HTTPStatus.NOT_FOUND),
        200: {"content": {"text/event-stream": {}}},
    },
)
async def watch_job(job_id: str, uploads: UploadsOfApp, caller: WritingCaller) -> StreamingResponse:
    """How a job of this key goes on, as server-sent events, until it is over."""
    job = await to_thread.run_sync(_get_own, uploads, job_id, caller)
    return StreamingResponse(_events(uploads, job), media_type="text/event-stream")


@router.get("/jobs", response_model=JobsResponse, tags=["service"])
def list_jobs(
    uploads: UploadsOfApp,
    caller: OperatingCaller,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> Json:
    """The newest jobs of all keys, with what became of each; for operators."""
    return {"jobs": [job_to_dict(job, operator=True) for job in uploads.newest(limit)]}


def _get_own(uploads: Uploads, job_id: str, caller: Caller) -> ServiceJob:
    job = uploads.get(job_id)
    if job.key_id != caller.key_id and caller.role is not Role.ADMIN:
        raise NotFoundError(f"no job {job_id!r}: expected an id as an upload gives it")
    return job


async def _receive(request: Request) -> BinaryIO:
    """The body in a file that has no name; memory holds a piece of it at a time."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 the job closes it
    try:
        size, pieces = 0, request.stream()
        while piece := await _next_piece(pieces):
            size += len(piece)
            if size > MAX_UPLOAD_BYTES:
                raise ProblemError(
                    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                    f"more than {MAX_UPLOAD_BYTES:,} bytes given; expected a smaller document",
                )
            await to_thread.run_sync(file.write, piece)
        if not size:
            raise ProblemError(
                HTTPStatus.BAD_REQUEST, "an empty body given; expected the bytes of a document"
            )
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


async def _next_piece(pieces: AsyncIterator[bytes]) -> bytes:
    """The next piece of a body; b'' at its end."""
    while True:
        try:
            piece = await asyncio.wait_for(anext(pieces, None), SILENCE_S)
        except TimeoutError:
            raise ProblemError(
                HTTPStatus.REQUEST_TIMEOUT,
                f"nothing received for {SILENCE_S:.0f} s; expected the rest of the document",
                {"Connection": "close"},
            ) from None
        except ClientDisconnect:
            raise ProblemError(
                HTTPStatus.BAD_REQUEST, "the connection ended; expected the rest of the document"
            ) from None
        if piece is None:
            return b""
        if piece:
            return piece


async def _events(uploads: Uploads, job: ServiceJob) -> AsyncIterator[str]:
    shown: ServiceJob | None = None
    while True:
        if shown is None or (job.state, job.message) != (shown.state, shown.message):
            yield f"event: job\ndata: {json.dumps(job_to_dict(job), ensure_ascii=False)}\n\n"
            shown = job
        else:
            yield ": still at work\n\n"
        if job.state.is_over:
            return
        await asyncio.sleep(_POLL_S)
        job = await to_thread.run_sync(uploads.get, job.job_id)
